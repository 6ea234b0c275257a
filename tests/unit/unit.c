/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: unit-FOLDER [FILE]
 *
 * Runs the tests of a file, or of all, each file's in a process of its own:
 * what one of them does to its process is none of another's business.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* By name: constructors come in any order. */
static struct unit_group *groups;

void unit_add(struct unit_group *group)
{
	struct unit_group **at = &groups;

	while (*at && strcmp((*at)->name, group->name) < 0)
		at = &(*at)->next;
	group->next = *at;
	*at = group;
}

static struct unit_group *find(const char *name)
{
	struct unit_group *group = groups;

	while (group && strcmp(group->name, name) != 0)
		group = group->next;
	return group;
}

static int run_apart(const struct unit_group *group)
{
	int status = 0;
	pid_t child;

	fprintf(stderr, "# %s\n", group->name);
	fflush(NULL);
	child = fork();
	if (child == 0)
		exit(group->run());
	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv)
{
	const struct unit_group *one = argc > 1 ? find(argv[1]) : NULL;
	int failed = 0;

	if (one)
		return one->run();
	if (argc > 1) {
		fprintf(stderr, "no tests of %s\n", argv[1]);
		return 2;
	}
	for (one = groups; one; one = one->next)
		failed |= run_apart(one);
	return failed;
}
