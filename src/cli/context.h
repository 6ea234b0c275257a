/* SPDX-License-Identifier: Apache-2.0
 *
 * State of a run, set up from options: the clock, endpoints with their secrets,
 * the HTTP client, the case file and notes.
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
	bool has_told_notes; /* notes are part of an answer */
	bool is_answer_bare; /* the format has no place for notes */
	struct backends backends;
	struct side_logins logins;
	/* For runs with many requests; 0: default limits. */
	size_t most_requests;
	int64_t most_ns;
	struct har *record;
	struct har *replay;
	bool is_replay_own;           /* set up from options */
	struct cache *cache;          /* for --cache */
	const char *cache_folders[2]; /* in use, NULL: none */
	const char *state_folder;     /* same, for exports */
	bool is_long;                 /* see http_settings */
};

/* Makes no requests. Release even after a failure. */
bool context_init(struct context *ctx, const struct options *o,
		  struct error *err) MUST_CHECK;
void context_release(struct context *ctx);

/* Writes the case file if requested, and lists the requests with -v. Call once,
 * also when the run failed: done is false then, err has the reason, and notes
 * are printed here unless an answer contained them. Returns whether everything
 * succeeded. If the case file cannot be written, that becomes the error; a
 * previous one is printed before. */
bool context_finish(struct context *ctx, bool done,
		    struct error *err) MUST_CHECK;

/* Ends a command: calls context_finish(), prints the error if any, and
 * releases. Returns the exit status. */
int context_end(struct context *ctx, bool done, struct error *err);

/* Returns the folder of the cache, whether or not it exists. ERROR_USAGE if the
 * environment does not define a place for it. */
bool context_find_cache(struct arena *arena, struct str *folder,
			struct error *err) MUST_CHECK;

/* Adds notes and requests of the run to a result before rendering. */
bool context_report(struct context *ctx, struct result *result,
		    struct error *err) MUST_CHECK;

/* Sandbox: privileges dropped before the first byte of a response is read, when
 * everything needed is known: reading unrelated files and folders of the user,
 * writing outside of output locations, starting programs. */

/* Restricts as much as the kernel supports and the run permits; -v prints what
 * is active. Never fails. */
void sandbox_enter(const struct context *ctx);

/* Time options to windows, of the slow side and the baseline. Everything is
 * resolved with the run's clock, so that replays are reproducible. */

/* Returns whether any of --from --to --since --around was given. */
bool window_is_given(const struct options *o);

/* Fails if a window was given for a file, which would ignore it. path "-" is
 * standard input, NULL no file. */
bool window_refuse_file(const struct options *o, const char *path,
			struct error *err) MUST_CHECK;

/* Returns the window given by the options, by default `fallback_ns` until
 * now. */
bool window_resolve(const struct options *o, int64_t now_ns,
		    int64_t fallback_ns, struct time_range *out,
		    struct error *err) MUST_CHECK;

/* Parses --baseline. */
bool baseline_parse(const struct options *o, int64_t now_ns,
		    struct baseline_want *out, struct error *err) MUST_CHECK;

/* With --replay, a command without further arguments uses what the case
 * contains: its trace, its searches, its profiles. */

struct command;
struct har;

/* Sets options that the command needs and that are unset. Texts are in the
 * arena. ERROR_NOT_FOUND, listing the content, if the case has nothing
 * suitable. path: of the case. */
bool case_fill(struct options *o, const struct command *command,
	       struct har *har, const char *path, struct arena *arena,
	       struct error *err) MUST_CHECK;

#endif
