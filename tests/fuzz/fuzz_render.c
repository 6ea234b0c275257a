/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole program, from the bytes of a file to each output. The first byte
 * chooses command and format; the rest is the file, for a comparison both
 * sides, divided where the two bytes after it say.
 */
#include "fuzz_run.h"

static void run(const char *command, const char *format, const char *a,
		const char *b)
{
	const char *args[] = { "tracefind", command, "--no-pager", "-o", format,
			       a,           b,       NULL };
	struct fuzz_run r = fuzz_run(args, format);

	FUZZ_CHECK(r.status != 3 && r.status != 6, "status %d: %s", r.status,
		   buf_text(&r.texts[1]));
	FUZZ_CHECK(r.status == 0 || r.texts[1].len > 0,
		   "status %d and no words", r.status);
	fuzz_run_release(&r);
}

static void compare(const char *format, const uint8_t *data, size_t size)
{
	char before[PATH_BYTES], after[PATH_BYTES];
	size_t middle = size < 2 ? 0 : (data[0] + 256u * data[1]) % (size - 1);
	int before_fd, after_fd;

	if (size < 2)
		return;
	before_fd = fuzz_file(data + 2, middle, before);
	after_fd = fuzz_file(data + 2 + middle, size - 2 - middle, after);
	run("diff", format, before, after);
	close(before_fd);
	close(after_fd);
}

static void alone(const char *command, const char *format, const uint8_t *data,
		  size_t size)
{
	char path[PATH_BYTES];
	int fd = fuzz_file(data, size, path);

	run(command, format, path, NULL);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tried[] = { "diff", "profile", "show",
					     "slow" };
	const char *command, *format;

	if (size == 0)
		return 0;
	setenv("HOME", "/nonexistent", 1);
	command = tried[data[0] % 4];
	format = fuzz_format(data[0] / 4);
	if (!output_gives(command_find(str_from(command)), format))
		format = "table";
	if (strcmp(command, "diff") == 0)
		compare(format, data + 1, size - 1);
	else
		alone(command, format, data + 1, size - 1);
	return 0;
}
