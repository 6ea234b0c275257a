/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"
#include "cli/pages.h"

int main(int argc, char **argv)
{
	return cli_run(argc, argv, completion_scripts);
}
