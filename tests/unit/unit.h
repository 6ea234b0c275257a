/* SPDX-License-Identifier: Apache-2.0
 *
 * The tests of a folder are one program, in which each file has its group.
 */
#ifndef UNIT_H
#define UNIT_H

struct unit_group {
	const char *name;
	int (*run)(void); /* how many tests failed */
	struct unit_group *next;
};

/* Before main(). */
void unit_add(struct unit_group *group);

/* The head of the function that runs a file's group. */
#define UNIT_TESTS(title)                                                      \
	static int unit_run(void);                                             \
	__attribute__((constructor)) static void unit_register(void)           \
	{                                                                      \
		static struct unit_group group = { #title, unit_run, NULL };   \
                                                                               \
		unit_add(&group);                                              \
	}                                                                      \
	static int unit_run(void)

#endif
