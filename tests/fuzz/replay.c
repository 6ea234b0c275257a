/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over files: each as it is, and cut short at many places.
 * TAP output; a crash ends the run, the file is on the line before.
 *
 *   fuzz-otlp-json [CUTS] FILE...
 *
 * Files of at most CUTS bytes are cut after every byte, longer ones at that
 * many places.
 */
#include <string.h>

#include "fuzz.h"

#define MAX_FILE_BYTES (4u << 20)

static uint8_t *read_file(const char *path, size_t *size)
{
	uint8_t *data = malloc(MAX_FILE_BYTES);
	FILE *file = fopen(path, "rb");

	FUZZ_CHECK(data && file, "cannot read %s", path);
	*size = fread(data, 1, MAX_FILE_BYTES, file);
	FUZZ_CHECK(!ferror(file), "cannot read %s", path);
	fclose(file);
	return data;
}

/* In memory of its own, so that a sanitizer sees a read past the end. */
static void run_prefix(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy != NULL, "no memory");
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t run_cuts(const uint8_t *data, size_t size, size_t cuts)
{
	size_t step = cuts && size > cuts ? size / cuts : 1;
	size_t count = 0;

	for (size_t at = 0; cuts && at < size; at += step, count++)
		run_prefix(data, at);
	return count;
}

int main(int argc, char **argv)
{
	size_t cuts = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	size_t total = 0;

	printf("1..%d\n", argc > 2 ? argc - 2 : 0);
	for (int i = 2; i < argc; i++) {
		size_t size;
		uint8_t *data;

		fprintf(stderr, "# %s\n", argv[i]);
		data = read_file(argv[i], &size);
		run_prefix(data, size);
		total += run_cuts(data, size, cuts);
		free(data);
		printf("ok %d - %s\n", i - 1, argv[i]);
		fflush(stdout);
	}
	printf("# %zu cuts\n", total);
	return 0;
}
