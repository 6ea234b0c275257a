/* SPDX-License-Identifier: Apache-2.0
 *
 * Case files, read, written and read again: the same clock and arguments.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "wire/har.h"

static void check_run(const struct har *h)
{
	const char *const *args = NULL;
	size_t count = har_args(h, &args);

	for (size_t i = 0; i < count; i++)
		FUZZ_CHECK(args[i] != NULL, "argument %zu", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("case", 0);
	struct error err = { 0 };
	char path[64];
	struct har *h;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size,
		   "cannot write");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	h = har_open(path, &err);
	fuzz_check_outcome(h != NULL, &err);
	if (h)
		check_run(h);
	har_free(h);
	close(fd);
	return 0;
}
