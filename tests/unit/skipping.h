/* SPDX-License-Identifier: Apache-2.0 */
/* A test of cmocka that can't run here: tests/count.py shows why. */
#ifndef TESTS_UNIT_SKIPPING_H
#define TESTS_UNIT_SKIPPING_H

/* A macro, since skip() ends the function it stands in, for the compiler, too.
 * why: what is missing, and how to have it. */
#define SKIP_BECAUSE(why)                                                      \
	do {                                                                   \
		print_message("# SKIP " why "\n");                             \
		skip();                                                        \
	} while (0)

#define NO_GERMAN "no locale de_DE.UTF-8: apt-get install locales-all"

#endif
