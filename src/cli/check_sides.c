/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_sides.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "backend/profile_folder.h"
#include "base/outfile.h"
#include "cli/fail_on.h"
#include "cli/price_words.h"
#include "cli/window.h"
#include "decode/snapshot.h"

#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

void check_sides_init(struct check_sides *s)
{
	*s = (struct check_sides){ .want = { .is_alone = false } };
	snapshot_init(&s->snapshot);
}

void check_sides_release(struct check_sides *s)
{
	snapshot_release(&s->snapshot);
}

/* ---- snapshots ---- */

/* By its first bytes; what cannot be read is told when it is. */
static bool is_snapshot(const char *path)
{
	char front[64];
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd < 0 ? 0 : read(fd, front, sizeof front);

	if (fd >= 0)
		close(fd);
	return n > 0 && snapshot_is((struct str){ front, (size_t)n });
}

static bool read_snapshot(struct check_sides *s, const char *path,
			  struct error *err)
{
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_SNAPSHOT_BYTES);
	done = file_read(path, &text, err) &&
	       (snapshot_read(&s->snapshot, buf_str(&text), err) ||
		error_prefix(err, "%s", path));
	buf_release(&text);
	if (done && !s->snapshot.source.len)
		s->snapshot.source = str_from(path);
	s->want.snapshot = &s->snapshot;
	return done;
}

/* ---- files ---- */

static struct str folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (struct str){ path, slash ? (size_t)(slash - path) : 0 };
}

/* A pattern that the shell unfolded: only its first file stands behind
 * --against, the others are taken for candidates. */
static bool check_pattern(const struct options *o, struct error *err)
{
	struct str folder = folder_of(o->against[0]);
	size_t beside = 0;

	for (size_t i = 0; i < o->arg_count; i++)
		beside += str_equal(folder_of(o->args[i]), folder);
	if (o->against_count != 1 || !beside || beside == o->arg_count)
		return true;
	return error_set(err, ERROR_USAGE,
			 "%s lies beside candidates, others lie elsewhere: "
			 "--against takes one file, a folder, or is given once "
			 "for each",
			 o->against[0]);
}

static bool read_files(struct check_files *out, const char *const *paths,
		       size_t count, struct run *r, struct error *err)
{
	struct path_list list;

	if (!profile_paths_expand(&list, paths, count, &r->ctx.arena, err))
		return false;
	*out = (struct check_files){ list.items, list.count };
	if (list.passed)
		notes_add(&r->ctx.notes,
			  "%zu file%s in the folders left out: not named like "
			  "a profile",
			  list.passed, &"s"[list.passed == 1]);
	return true;
}

static bool read_against(struct check_sides *s, struct run *r,
			 struct error *err)
{
	const struct options *o = r->ctx.options;

	if (o->baseline || o->baseline_selector)
		return error_set(err, ERROR_USAGE,
				 "--against and --baseline exclude each other");
	if (o->against_count == 1 && is_snapshot(o->against[0]))
		return read_snapshot(s, o->against[0], err);
	return check_pattern(o, err) &&
	       (read_files(&s->want.baseline, o->against, o->against_count, r,
			   err) ||
		error_prefix(err, "--against"));
}

static bool fail_snapshot(const char *path, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "%s is a snapshot: it can be the baseline, behind "
			 "--against",
			 path);
}

static bool read_candidates(struct check_sides *s, struct run *r,
			    struct error *err)
{
	const struct options *o = r->ctx.options;

	if (o->service || o->selector)
		return error_set(err, ERROR_USAGE,
				 "files and --service or --selector exclude "
				 "each other");
	if (o->baseline || o->baseline_selector)
		return error_set(err, ERROR_USAGE,
				 "files have no windows and versions: name the "
				 "baseline's with --against");
	if (!o->against_count && !o->save)
		return error_set(err, ERROR_USAGE,
				 "compare with what? --against FILE, a folder, "
				 "or a snapshot; --save FILE makes one");
	for (size_t i = 0; i < o->arg_count; i++)
		if (is_snapshot(o->args[i]))
			return fail_snapshot(o->args[i], err);
	return window_refuse_file(o, o->args[0], err) &&
	       read_files(&s->want.candidate, o->args, o->arg_count, r, err);
}

/* ---- a service ---- */

static bool read_window(struct check_sides *s, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	bool is_compared = !o->against_count &&
			   (!o->save || o->baseline || o->baseline_selector);

	if (!o->service && !o->selector)
		return error_set(err, ERROR_USAGE,
				 "check what? profiles or a folder of them and "
				 "--against FILE, or --service NAME");
	if (r->ctx.backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"%s is a file: name it as an argument, without "
			"--profiles-url",
			r->ctx.backends.profiles.path);
	s->want.live = (struct chosen_want){
		.service = str_from(o->service),
		.baseline_selector = o->baseline_selector,
		.is_baseline_wanted = is_compared,
		.slices = COMPARISON_PARTS,
	};
	return window_resolve(o, r->ctx.backends.now_ns, DEFAULT_WINDOW_NS,
			      &s->want.live.window, err) &&
	       (!is_compared || baseline_parse(o, r->ctx.backends.now_ns,
					       &r->question.baseline, err));
}

static bool check_baseline(const struct run *r, const struct check_sides *s,
			   struct error *err)
{
	const struct baseline_want *want = &r->question.baseline;

	if (!s->want.live.is_baseline_wanted ||
	    (want->kind != BASELINE_WANT_FILE &&
	     want->kind != BASELINE_WANT_FAST &&
	     want->kind != BASELINE_WANT_NONE))
		return true;
	return error_set(err, ERROR_USAGE,
			 "--baseline of check is a window or version=V; a file "
			 "goes behind --against");
}

/* ---- latency ---- */

static bool fail_latency(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	const char *path = r->ctx.backends.traces.path;

	if (path)
		return error_set(err, ERROR_USAGE,
				 "latency is judged by the requests of two "
				 "windows: %s is a file, name a server of "
				 "traces with --traces-url",
				 path);
	if (o->selector || o->baseline_selector)
		return error_set(err, ERROR_USAGE,
				 "latency is of all requests of a service: "
				 "leave out %s",
				 o->selector ? "--selector"
					     : "--baseline-selector");
	return error_set(err, ERROR_USAGE,
			 "latency is of the requests of a service in two "
			 "windows, which files and snapshots do not hold: give "
			 "--service and --baseline");
}

/* Asked for by its name, or wished for where traces are at hand. */
static bool read_latency(struct check_sides *s, const struct run *r,
			 struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct side *traces = &r->ctx.backends.traces;
	double *limit = s->want.limits.limit;
	bool is_alone = limit[GATE_TOTAL] < 0 && limit[GATE_FUNCTION] < 0 &&
			limit[GATE_NEW] < 0;
	bool is_possible = o->service && s->want.live.is_baseline_wanted &&
			   !o->baseline_selector && !o->selector &&
			   !traces->path && !(is_alone && o->save);

	if (limit[GATE_LATENCY] >= 0 && !is_possible)
		return fail_latency(r, err);
	if (limit[GATE_LATENCY] >= 0) {
		s->want.latency = LATENCY_NEEDED;
		s->want.is_latency_alone = is_alone;
	} else if (!o->fail_on && is_possible && !traces->is_default) {
		s->want.latency = LATENCY_IF_KNOWN;
		limit[GATE_LATENCY] = FAIL_ON_LATENCY;
	}
	return true;
}

/* A profile per request of one side says nothing beside one per run of the
 * other; and a snapshot keeps runs. */
static bool read_requests(struct check_sides *s, const struct options *o,
			  struct error *err)
{
	s->want.requests = amount_of(o->requests);
	s->want.baseline_requests = amount_of(o->baseline_requests);
	if (!o->requests && !o->baseline_requests)
		return true;
	if (!o->requests || !o->baseline_requests)
		return error_set(err, ERROR_USAGE,
				 "requests of one side alone compare nothing: "
				 "give --requests and --baseline-requests");
	return !o->save || error_set(err, ERROR_USAGE,
				     "--save keeps what a run takes: --requests "
				     "goes with a comparison");
}

bool check_sides_read(struct check_sides *s, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (o->resume)
		return error_set(err, ERROR_USAGE, "--resume goes with --all");
	if (!fail_on_parse(o->fail_on ? o->fail_on : FAIL_ON_DEFAULT,
			   &s->want.limits, err) ||
	    !(o->arg_count ? read_candidates(s, r, err)
			   : read_window(s, r, err)) ||
	    (o->against_count && !read_against(s, r, err)))
		return false;
	s->want.limits.is_total_told = !o->fail_on && !o->requests;
	s->want.is_alone =
		!o->against_count && !s->want.live.is_baseline_wanted;
	return read_requests(s, o, err) && check_baseline(r, s, err) &&
	       read_latency(s, r, err);
}
