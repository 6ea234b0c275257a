/* SPDX-License-Identifier: Apache-2.0
 *
 * One run: options resolved into what the stages take. Holds the clock, the
 * endpoints with their secrets, the network client, the case file and the
 * notes of the run.
 */
#ifndef CLI_CONTEXT_H
#define CLI_CONTEXT_H

#include "backend/backends.h"
#include "backend/sides.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/timefmt.h"
#include "cli/options.h"
#include "investigate/question.h"
#include "model/result.h"
#include "wire/har.h"
#include "wire/http.h"

struct context {
	const struct options *options;
	struct arena arena;
	struct notes notes;
	bool has_told_notes; /* an answer holds them */
	bool is_answer_bare; /* of a form that has no room for them */
	struct backends backends;
	struct side_logins logins;
	/* Of a run that asks much; 0: as usual. */
	size_t most_requests;
	int64_t most_ns;
	struct har *record;
	struct har *replay;
	bool is_replay_own;           /* not the options' */
	struct cache *cache;          /* of --cache */
	const char *cache_folders[2]; /* that are in use, NULL: none */
	const char *state_folder;     /* likewise, of exports */
	bool is_long;                 /* http_settings */
};

/* No network yet. Release also after failure. */
bool context_init(struct context *ctx, const struct options *o,
		  struct error *err) MUST_CHECK;
void context_release(struct context *ctx);

/* Writes the case file when one was asked for, and lists the requests with
 * -v. Call once, also when the run failed: done says whether it did not, and
 * err then why; its notes are then told here, unless an answer had them.
 * Returns whether all is well. That the case file could not be written is the
 * error of any run; another is told before. */
bool context_finish(struct context *ctx, bool done,
		    struct error *err) MUST_CHECK;

/* The end of a command: the same, tells the error if any, and releases.
 * Returns the exit status. */
int context_end(struct context *ctx, bool done, struct error *err);

/* The folder of the cache, whether it is there or not. ERROR_USAGE when the
 * environment has no place for it. */
bool context_find_cache(struct arena *arena, struct str *folder,
			struct error *err) MUST_CHECK;

/* Puts notes and requests of the run into a result before rendering. */
bool context_report(struct context *ctx, struct result *result,
		    struct error *err) MUST_CHECK;

/* The rights that a run gives up before the first byte of an answer is read,
 * when all it will need is known: to read the user's files and folders that
 * were not named, to write anywhere but where its outputs go, to start
 * programs. */

/* Where the kernel lacks something, or the run needs it, there is less of that;
 * -v tells what is on. Never a failure. */
void sandbox_enter(const struct context *ctx);

/* Time options to windows: the slow side's and the baseline's. All times are
 * resolved with the run's clock, so that a replay repeats them. */

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
