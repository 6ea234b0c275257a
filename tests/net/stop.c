/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded: stops the program when all of it has run, so that the test can
 * read what is left in its memory, and then let it go on.
 */
#include <signal.h>
#include <stdlib.h>

/* Programs that it starts end as usual. */
__attribute__((constructor)) static void begin(void)
{
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	raise(SIGSTOP);
}
