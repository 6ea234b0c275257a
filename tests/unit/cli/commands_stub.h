/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that only keep what they were given, in place of the real ones.
 */
#ifndef TESTS_COMMANDS_STUB_H
#define TESTS_COMMANDS_STUB_H

#include "cli/cli.h"

static struct options stub_options;
static const char *stub_name;

static int stub_keep(const char *name, const struct options *o)
{
	stub_name = name;
	stub_options = *o;
	return 0;
}

int cmd_slow(const struct options *o)
{
	return stub_keep("slow", o);
}

int cmd_diff(const struct options *o)
{
	return stub_keep("diff", o);
}

int cmd_show(const struct options *o)
{
	return stub_keep("show", o);
}

int cmd_profile(const struct options *o)
{
	return stub_keep("profile", o);
}

int cmd_types(const struct options *o)
{
	return stub_keep("types", o);
}

int cmd_config(const struct options *o)
{
	return stub_keep("config", o);
}

int cmd_services(const struct options *o)
{
	return stub_keep("services", o);
}

int cmd_doctor(const struct options *o)
{
	return stub_keep("doctor", o);
}

#endif
