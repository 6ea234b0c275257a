/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole program on a case file: the arguments in it choose the command,
 * its answers are what servers said. So what no file holds is reached, too:
 * lists of traces, services, tags and types, and doctor. The first byte chooses
 * the format; 0 leaves it to the case.
 */
#include "fuzz_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *format = size && data[0] ? fuzz_format(data[0] - 1u) : NULL;
	char path[PATH_BYTES];
	struct fuzz_run r;
	int fd;

	if (size == 0)
		return 0;
	setenv("HOME", "/nonexistent", 1);
	fd = fuzz_file(data + 1, size - 1, path);
	r = fuzz_run((const char *[]){ "tracefind", "--no-pager", "--replay",
				       path, format ? "-o" : NULL, format,
				       NULL },
		     format ? format : "pprof");
	/* doctor answers with its status, too. */
	FUZZ_CHECK(r.status == 0 || r.texts[0].len + r.texts[1].len > 0,
		   "status %d and no words", r.status);
	fuzz_run_release(&r);
	close(fd);
	return 0;
}
