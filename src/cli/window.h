/* SPDX-License-Identifier: Apache-2.0
 *
 * Time options to windows: the slow side's and the baseline's. All times are
 * resolved with the run's clock, so that a replay repeats them.
 */
#ifndef CLI_WINDOW_H
#define CLI_WINDOW_H

#include "base/error.h"
#include "base/timefmt.h"
#include "cli/options.h"
#include "investigate/windows.h"

/* True when the user gave any of --from --to --since --around. */
bool window_is_given(const struct options *o);

/* Refuses a window when what is looked at is a file: nothing would read it.
 * path "-" is standard input, NULL no file. */
bool window_refuse_file(const struct options *o, const char *path,
			struct error *err) MUST_CHECK;

/* The window the options name; `fallback_ns` is the length before now when
 * they name none. */
bool window_resolve(const struct options *o, int64_t now_ns,
		    int64_t fallback_ns, struct time_range *out,
		    struct error *err) MUST_CHECK;

/* Reads --baseline. */
bool baseline_parse(const struct options *o, int64_t now_ns,
		    struct baseline_want *out, struct error *err) MUST_CHECK;

/* A command over a case (--replay) that says nothing of what it wants takes
 * what the case holds: its trace, its searches, its profiles. */

struct command;
struct har;

/* Fills what the command needs and the options leave open. Texts are in the
 * arena. ERROR_NOT_FOUND, with what there is, when the case holds nothing of
 * the kind. path: of the case. */
bool case_fill(struct options *o, const struct command *command,
	       struct har *har, const char *path, struct arena *arena,
	       struct error *err) MUST_CHECK;

#endif
