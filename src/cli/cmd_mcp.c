/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/confine.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/pages.h"
#include "mcp/server.h"

static int command_run(const void *context, int argc, const char *const *argv,
		       int progress_fd)
{
	const struct options *o = context;
	struct error err;

	/* Of the process of one call. */
	if (o->root && !confine_below(o->root)) {
		error_set(&err, ERROR_USAGE, "--root %s: %s", o->root,
			  strerror(errno));
		message_error(&err);
		return error_exit_code(err.code);
	}
	progress_report(progress_fd);
	return cli_run_again(context, argc, argv);
}

/* Longer than any command waits for servers by itself; what hangs would keep
 * all calls behind it waiting. */
#define CALL_SECONDS 300u

int cmd_mcp(const struct options *o)
{
	const struct mcp_settings settings = {
		.version = TRACEFIND_VERSION,
		.root = o->root,
		.budget_tokens = (size_t)o->budget,
		.call_seconds = CALL_SECONDS,
		.run = command_run,
		.context = o,
	};
	struct error err;

	if (mcp_serve(&settings, &err))
		return 0;
	message_error(&err);
	return error_exit_code(err.code);
}
