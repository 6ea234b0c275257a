/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "cli/config_actions.h"
#include "cli/message.h"
#include "cli/pages.h"

/* set and import make the context they name, and use mends one that is wrong.
 */
static bool load(struct config_run *s, const struct config_action *a,
		 struct error *err)
{
	if (!options_environment(&s->options, err))
		return false;
	if (!a->is_change)
		return config_load(&s->config, &s->options, err);
	if (!config_load_user(&s->config, err))
		return false;
	s->config.context = s->options.context ? s->options.context
					       : s->config.user.current;
	return true;
}

static bool run(struct config_run *s, struct error *err)
{
	const struct config_action *a = config_action_find(s->given, err);

	if (!a)
		return false;
	if (s->given->origin && !a->takes_origin)
		return error_set(err, ERROR_USAGE,
				 "--origin is for tracefind config view");
	return load(s, a, err) && a->run(s, s->given->args + 1, err);
}

int cmd_config(const struct options *o)
{
	struct error err = { 0 };
	struct config_run s = { .given = o, .options = *o };
	bool done;

	config_init(&s.config);
	if (!out_init_fd(&s.out, STDOUT_FILENO, &err)) {
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = run(&s, &err);
	if (done && !out_finish(&s.out, "standard output", &err) &&
	    !out_is_broken_pipe(&s.out))
		done = false;
	if (!done && err.code != ERROR_NONE)
		message_error(&err);
	out_release(&s.out);
	config_release(&s.config);
	return done ? 0 : error_exit_code(err.code);
}
