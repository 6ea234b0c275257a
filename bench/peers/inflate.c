/* SPDX-License-Identifier: Apache-2.0
 *
 * inflate FILE...: unpacks gzip files into one buffer that is used again, and
 * nothing else: what reading them costs at least.
 */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

struct bytes {
	unsigned char *data;
	size_t len;
};

static int read_all(const char *path, struct bytes *out)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 18)
		return -1;
	rewind(file);
	out->len = (size_t)size;
	out->data = malloc(out->len);
	if (!out->data || fread(out->data, 1, out->len, file) != out->len)
		return -1;
	return fclose(file);
}

/* The last four bytes of gzip: its plain size, for files below 4 GiB. */
static size_t plain_size(const struct bytes *b)
{
	const unsigned char *end = b->data + b->len - 4;

	return (size_t)end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 |
	       (size_t)end[3] << 24;
}

int main(int argc, char **argv)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	unsigned char *plain = NULL;
	size_t room = 0;

	for (int i = 1; d && i < argc; i++) {
		struct bytes packed;
		size_t size, got;

		if (read_all(argv[i], &packed))
			return perror(argv[i]), 1;
		size = plain_size(&packed);
		if (size > room) {
			free(plain);
			plain = malloc(size);
			room = size;
		}
		if (!plain ||
		    libdeflate_gzip_decompress(d, packed.data, packed.len,
					       plain, room, &got))
			return fprintf(stderr, "%s: damaged\n", argv[i]), 1;
		printf("%s %zu\n", argv[i], got);
		free(packed.data);
	}
	free(plain);
	libdeflate_free_decompressor(d);
	return 0;
}
