/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded: stops the program when all of it has run, so that the test can
 * read what is left in its memory, and then let it go on. Leaves words there,
 * without which the test has not read it.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* More than this an allocator maps by itself. */
#define LARGE_BYTES ((size_t)4 << 20)

static char data[] __attribute__((used)) = "stop.c was in the data";
static char *volatile heap, *volatile map;

static char *leave(size_t size_bytes, const char *word)
{
	char *place = malloc(size_bytes);

	return place ? strcpy(place, word) : NULL;
}

/* Programs that it starts end as usual. */
__attribute__((constructor)) static void begin(void)
{
	unsetenv("LD_PRELOAD");
	heap = leave(64, "stop.c was on the heap");
	map = leave(LARGE_BYTES, "stop.c was in a map");
}

__attribute__((destructor)) static void end(void)
{
	raise(SIGSTOP);
}
