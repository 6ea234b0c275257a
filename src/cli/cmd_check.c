/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/fleet_growth.h"
#include "analyze/gates.h"
#include "backend/input.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/cmd_cost.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "cli/suggest_next.h"
#include "cli/window.h"
#include "decode/snapshot.h"
#include "investigate/check.h"
#include "investigate/fleet.h"
#include "investigate/services.h"
#include "report/check_answer.h"
#include "report/comparison_notes.h"
#include "report/texts.h"

/* Where in the repository the functions lie that `check` names: profiles know
 * files as they were called where the program was built. */

/* Code scanning shows nothing without a file. */
#define ANY_FILE "README.md"

/* "FROM=TO": TO is a path of the user's, and may hold a '='. */
static bool map_split(const char *map, struct str *from, struct str *to)
{
	const char *equals = strchr(map, '=');

	*from = (struct str){ map, (size_t)(equals - map) };
	*to = str_from(equals + 1);
	return from->len > 0;
}

static bool by_map(const struct options *o, struct str file,
		   struct arena *arena, struct str *out)
{
	struct str from, to;

	for (size_t i = 0; i < o->path_map_count; i++) {
		if (!map_split(o->path_maps[i], &from, &to) ||
		    !str_starts(file, from))
			continue;
		file = str_slice(file, from.len, file.len);
		while (!to.len && file.len && file.ptr[0] == '/')
			file = str_slice(file, 1, file.len);
		*out = arena_printf(arena, "%.*s%.*s", STR_ARGS(to),
				    STR_ARGS(file));
		return true;
	}
	return false;
}

/* Names come from strangers: nothing above the working folder is looked at. */
static bool is_below(struct str path)
{
	return path.len && path.ptr[0] != '/' &&
	       path.len < LIMIT_PATH_BYTES &&
	       !str_starts(path, STR("../")) &&
	       str_find(path, STR("/../")) == SIZE_MAX &&
	       !memchr(path.ptr, '\0', path.len);
}

static bool is_file(struct str path)
{
	char text[LIMIT_PATH_BYTES];
	struct stat st;

	if (!is_below(path))
		return false;
	memcpy(text, path.ptr, path.len);
	text[path.len] = '\0';
	return !stat(text, &st) && S_ISREG(st.st_mode);
}

static bool by_end(struct str file, struct str *out)
{
	size_t at = 0;

	while (at < file.len) {
		const char *slash;

		*out = str_slice(file, at, file.len);
		if (is_file(*out))
			return true;
		slash = memchr(out->ptr, '/', out->len);
		at = slash ? (size_t)(slash - file.ptr) + 1 : file.len;
	}
	return false;
}

static struct str unknown_place(const struct options *o)
{
	struct str from, to;

	for (size_t i = 0; i < o->path_map_count; i++)
		if (!map_split(o->path_maps[i], &from, &to) && to.len)
			return to;
	return STR(ANY_FILE);
}

static struct check_place place_of(const struct options *o,
				   const struct function_row *row,
				   struct arena *arena)
{
	struct check_place place = { .line = 1 };

	if (!row || !row->file.len ||
	    (!by_map(o, row->file, arena, &place.path) &&
	     !by_end(row->file, &place.path))) {
		place.path = unknown_place(o);
		return place;
	}
	place.is_known = true;
	if (row->line)
		place.line = row->line;
	return place;
}

/* A place for each hit of the gates, in the arena. A file is found by
 * --path-map, else it is the longest end of its name that is a file below the
 * working folder. */
static bool check_places_find(const struct options *o, const struct gates *g,
			      struct arena *arena,
			      const struct check_place **out, struct error *err)
{
	struct check_place *places =
		arena_array(arena, g->hit_count, sizeof *places);

	for (size_t i = 0; places && i < g->hit_count; i++) {
		places[i] = place_of(o, g->hits[i].row, arena);
		if (!places[i].path.ptr)
			places = NULL;
	}
	*out = places;
	return places || arena_fail(arena, "the places of functions", err);
}

/* Which two sides the options of `check` mean: files, folders, a snapshot,
 * windows of a service. Compares nothing. */

#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

struct check_sides {
	struct check_want want;
	struct snapshot snapshot; /* of --against */
};

static void check_sides_init(struct check_sides *s)
{
	*s = (struct check_sides){ .want = { .is_alone = false } };
	snapshot_init(&s->snapshot);
}

static void check_sides_release(struct check_sides *s)
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

/* Beside it, where traces are at hand. Windows of a quarter of an hour lie
 * some percent apart. */
#define FAIL_ON_LATENCY 0.1

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

/* Fills s->want, and the baseline of the run's question. Reads a snapshot. */
static bool check_sides_read(struct check_sides *s, struct run *r,
			     struct error *err)
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

/* The file of --resume: what a sweep has asked so far, so that one that was
 * stopped goes on from there. It is added to, a service at a time, and gone
 * when all was answered. */

/* "The last hour" of a sweep that began long ago is not what is asked today. */
#define MOST_AGE_NS NS_PER_DAY

#define TAIL_BYTES 4096

struct fleet_file {
	const char *path;
	int fd; /* -1: there is none, or not yet */
};

static bool fail_system(const struct fleet_file *file, const char *what,
			struct error *err)
{
	return error_set(err, ERROR_OUTPUT, "--resume: cannot %s %s: %s", what,
			 file->path, strerror(errno));
}

/* ---- what is there ---- */

/* A line that was not finished, by a run that was stopped, is cut off. *size:
 * what is left. */
static bool cut_tail(struct fleet_file *file, off_t *size, struct error *err)
{
	char tail[TAIL_BYTES];
	off_t end = *size;

	while (end > 0) {
		off_t from = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
		ssize_t n = pread(file->fd, tail, (size_t)(end - from), from);
		size_t lines;

		if (n != end - from)
			return fail_system(file, "read", err);
		lines = str_behind_last((struct str){ tail, (size_t)n }, '\n');
		end = from + (off_t)lines;
		if (lines)
			break;
	}
	if (end < *size && ftruncate(file->fd, end) != 0)
		return fail_system(file, "write", err);
	*size = end;
	return true;
}

static bool check_question(const struct fleet_file *file,
			   const struct fleet *f, struct str kept,
			   struct str question, int64_t now_ns,
			   struct error *err)
{
	if (!str_equal(kept, question))
		return error_set(err, ERROR_USAGE,
				 "--resume: %s is of another question (%.*s, "
				 "not %.*s): name another file, or remove it",
				 file->path, STR_ARGS(kept), STR_ARGS(question));
	if (now_ns - f->started_ns > MOST_AGE_NS)
		return error_set(err, ERROR_USAGE,
				 "--resume: %s is of a sweep that began more "
				 "than a day ago: remove it to begin anew",
				 file->path);
	return true;
}

static bool read_state(struct fleet_file *file, struct str question,
		       struct fleet *f, int64_t now_ns, struct error *err)
{
	struct str kept = { NULL, 0 };
	bool is_regular, done;
	struct feed *feed = feed_open(file->path, LIMIT_FLEET_FILE_BYTES,
				      LIMIT_FLEET_FILE_BYTES, &is_regular, err);

	if (!feed)
		return false;
	done = fleet_state_read(f, feed, &kept, err) ||
	       error_prefix(err, "--resume: %s is no file of check --all",
			    file->path);
	feed_free(feed);
	return done &&
	       check_question(file, f, kept, question, now_ns, err);
}

/* What is in the file is read into an initialised f, which stays empty where
 * there is none yet. question: what is asked, as text. ERROR_USAGE: the file is
 * of another question or too old; ERROR_FORMAT: it is no such file. path may be
 * NULL. Close it after failure, too. */
static bool fleet_file_open(struct fleet_file *file, const char *path,
			    struct str question, struct fleet *f,
			    int64_t now_ns, struct error *err)
{
	struct stat st;
	off_t size;

	*file = (struct fleet_file){ .path = path, .fd = -1 };
	if (!path)
		return true;
	file->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (file->fd < 0 && errno == ENOENT)
		return true;
	if (file->fd < 0 || fstat(file->fd, &st) != 0)
		return fail_system(file, "open", err);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "--resume: %s is no ordinary file", path);
	size = st.st_size;
	return cut_tail(file, &size, err) &&
	       (!size || read_state(file, question, f, now_ns, err));
}

/* ---- what is added ---- */

static bool add(struct fleet_file *file, struct str text, struct error *err)
{
	while (text.len) {
		ssize_t n = write(file->fd, text.ptr, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_system(file, "write", err);
		text = str_slice(text, (size_t)n, text.len);
	}
	return true;
}

static bool add_buf(struct fleet_file *file, struct out *out, struct buf *text,
		    struct error *err)
{
	bool done = out_finish(out, file->path, err) &&
		    add(file, buf_str(text), err);

	out_release(out);
	buf_release(text);
	return done;
}

/* Writes which services there are, of a sweep that begins. */
static bool fleet_file_begin(struct fleet_file *file, const struct fleet *f,
			     struct str question, struct error *err)
{
	struct buf text;
	struct out out;

	if (!file->path)
		return true;
	if (file->fd >= 0 && ftruncate(file->fd, 0) != 0)
		return fail_system(file, "write", err);
	if (file->fd < 0)
		file->fd = open(file->path,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				0600);
	if (file->fd < 0)
		return fail_system(file, "write", err);
	buf_init(&text, LIMIT_FLEET_FILE_BYTES);
	out_init_memory(&out, &text);
	fleet_state_write(f, question, &out);
	return add_buf(file, &out, &text, err);
}

/* A struct fleet_keeper's take(); context: the file. */
static bool fleet_file_take(void *context, const struct fleet *f, size_t index,
			    struct error *err)
{
	struct fleet_file *file = context;
	struct buf text;
	struct out out;

	if (file->fd < 0)
		return true;
	buf_init(&text, LIMIT_FLEET_FILE_BYTES);
	out_init_memory(&out, &text);
	fleet_state_add(f, index, &out);
	return add_buf(file, &out, &text, err);
}

static void fleet_file_close(struct fleet_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* Nothing is left to go on with. */
static bool fleet_file_remove(struct fleet_file *file, struct error *err)
{
	return !file->path || unlink(file->path) == 0 ||
	       fail_system(file, "remove", err);
}

/* `check --all`: the gate over the fleet. */

#define FLEET_WINDOW_NS NS_PER_HOUR
/* Four connections of a server of one's own bring thousands of services. */
#define FLEET_TIMEOUT_NS (30 * NS_PER_MIN)

#define EXIT_BROKEN 10
#define EXIT_UNKNOWN 5

struct sweep {
	struct run *run;
	struct fleet fleet;
	struct gate_limits limits;
	struct fleet_file file;
	struct str question;
	size_t left; /* services that were not answered */
};

/* ---- the question ---- */

static bool check_formats(const struct options *o, struct error *err)
{
	static const char *const formats[] = { "table", "json", "markdown" };

	for (size_t i = 0; i < o->output_count; i++) {
		size_t k = 0;

		while (k < COUNT_OF(formats) &&
		       strcmp(o->outputs[i].format, formats[k]) != 0)
			k++;
		if (k == COUNT_OF(formats))
			return error_set(err, ERROR_USAGE,
					 "check --all gives table, json and "
					 "markdown, not %s",
					 o->outputs[i].format);
	}
	return true;
}

static bool refuse_choice(const struct options *o, struct error *err)
{
	const char *other = o->arg_count	   ? "files"
			    : o->service	   ? "--service"
			    : o->selector	   ? "--selector"
			    : o->against_count	   ? "--against"
			    : o->save		   ? "--save"
			    : o->type		   ? "--type"
			    : o->normalize	   ? "--normalize"
			    : o->map_count	   ? "--map"
			    : o->baseline_selector ? "--baseline-selector"
			    : o->requests	   ? "--requests"
			    : o->baseline_requests ? "--baseline-requests"
						   : NULL;

	return !other || error_set(err, ERROR_USAGE,
				   "--all looks at the CPU of every service: "
				   "leave out %s",
				   other);
}

static bool read_limits(struct sweep *s, const struct options *o,
			struct error *err)
{
	const char *text = o->fail_on ? o->fail_on : FAIL_ON_DEFAULT;

	if (!fail_on_parse(text, &s->limits, err))
		return false;
	if (s->limits.limit[GATE_LATENCY] >= 0)
		return error_set(err, ERROR_USAGE,
				 "--fail-on %s: --all looks at profiles; "
				 "latency is judged with --service",
				 text);
	return s->limits.limit[GATE_FUNCTION] >= 0 ||
	       s->limits.limit[GATE_NEW] >= 0 ||
	       error_set(err, ERROR_USAGE,
			 "--fail-on %s: what services take in all follows "
			 "their traffic; --all judges function and new",
			 text);
}

static bool read_baseline(struct sweep *s, const struct options *o,
			  struct error *err)
{
	struct baseline_want want;

	if (o->baseline && !strcmp(o->baseline, "version"))
		return true;
	if (!baseline_parse(o, s->run->ctx.backends.now_ns, &want, err))
		return false;
	switch (want.kind) {
	case BASELINE_WANT_AUTO:
	case BASELINE_WANT_PREVIOUS:
		s->fleet.baseline = window_previous(s->fleet.window);
		return true;
	case BASELINE_WANT_SHIFT:
		s->fleet.baseline =
			window_shifted(s->fleet.window, want.shift_ns);
		return true;
	case BASELINE_WANT_RANGE:
		s->fleet.baseline = want.range;
		return true;
	default:
		return error_set(err, ERROR_USAGE,
				 "--baseline of check --all is a window "
				 "(previous, 1h, 1d, 7d, FROM..TO) or version");
	}
}

static bool check_length(const struct sweep *s, struct error *err)
{
	const struct time_range *window = &s->fleet.window;
	bool is_by_version = !s->fleet.baseline.to_ns;

	if (window->to_ns - window->from_ns <=
	    (is_by_version ? NS_PER_DAY : SERVICES_MAX_NS))
		return true;
	return error_set(err, ERROR_USAGE,
			 "check --all looks at %s at most",
			 is_by_version ? "a day of versions" : "20 days");
}

static bool read_windows(struct sweep *s, struct error *err)
{
	const struct context *ctx = &s->run->ctx;

	if (ctx->backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "check --all asks a server, and %s is a file",
				 ctx->backends.profiles.path);
	return window_resolve(ctx->options, ctx->backends.now_ns,
			      FLEET_WINDOW_NS, &s->fleet.window, err) &&
	       read_baseline(s, ctx->options, err) && check_length(s, err);
}

static void add_option(struct buf *text, const char *name, const char *value)
{
	if (!value)
		return;
	buf_addf(text, " --%s", name);
	shell_word_add(text, str_from(value));
}

/* What makes two sweeps the same, as people ask for it: "the last hour" goes on
 * to be the hour that it was. */
static bool write_question(struct sweep *s, struct error *err)
{
	struct context *ctx = &s->run->ctx;
	const struct options *o = ctx->options;
	struct str server = backends_side_name(&ctx->backends,
					       &ctx->backends.profiles);
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	buf_addf(&text, "%.*s", STR_ARGS(server));
	add_option(&text, "tenant-id", ctx->backends.profiles.endpoint.tenant_id);
	add_option(&text, "from", o->from);
	add_option(&text, "to", o->to);
	add_option(&text, "since", o->since);
	add_option(&text, "around", o->around);
	if (options_given(o, "pad"))
		buf_addf(&text, " --pad %" PRId64 "ns", o->pad_ns);
	add_option(&text, "baseline", o->baseline);
	add_option(&text, "rules", o->rules);
	s->question = text.state == BUF_OK
			      ? arena_str(&ctx->arena, buf_str(&text))
			      : (struct str){ NULL, 0 };
	buf_release(&text);
	return s->question.ptr ||
	       error_set(err, ERROR_LIMIT, "the options are too long");
}

/* ---- the answer ---- */

static void note_resumed(struct sweep *s)
{
	const struct fleet *f = &s->fleet;
	char began[TIME_RFC3339_BYTES];
	size_t left = 0;

	for (size_t i = 0; i < f->count; i++)
		left += f->items[i].state == FLEET_WAITING;
	format_rfc3339(f->started_ns, began);
	notes_add(&s->run->ctx.notes,
		  "goes on with %s, begun %.19sZ: %zu of %zu services were "
		  "asked about before",
		  s->file.path, began, f->count - left, f->count);
}

static bool ask(struct sweep *s, struct error *err)
{
	struct investigation *v = &s->run->investigation;
	const struct fleet_keeper keeper = { fleet_file_take, &s->file };
	int64_t now_ns = s->run->ctx.backends.now_ns;

	if (!fleet_file_open(&s->file, s->run->ctx.options->resume, s->question,
			     &s->fleet, now_ns, err))
		return false;
	if (!s->fleet.count) {
		s->fleet.started_ns = now_ns;
		if (!fleet_plan(&s->fleet, v, err) ||
		    !fleet_file_begin(&s->file, &s->fleet, s->question, err))
			return false;
	} else {
		note_resumed(s);
	}
	if (!fleet_ask(&s->fleet, v, &keeper, err))
		return v->shortfall.kind ? shortfall_explain(&v->shortfall, err)
					 : false;
	for (size_t i = 0; i < s->fleet.count; i++)
		s->left += s->fleet.items[i].state == FLEET_FAILED;
	return true;
}

static bool tell_fleet(struct sweep *s, struct error *err)
{
	struct context *ctx = &s->run->ctx;
	struct fleet_answer answer = {
		.fleet = &s->fleet,
		.limits = &s->limits,
		.limit = (size_t)ctx->options->limit,
		.is_lack_accepted = ctx->options->allow_empty,
		.servers = suggest_servers(ctx, false),
		.notes = &ctx->notes,
	};

	ctx->has_told_notes =
		output_answer(ctx->options, &fleet_writer, &answer, err);
	return ctx->has_told_notes &&
	       (s->left || fleet_file_remove(&s->file, err));
}

static bool sweep(struct sweep *s, struct error *err)
{
	const struct options *o = s->run->ctx.options;

	run_ask(s->run);
	s->run->ctx.most_requests = LIMIT_FLEET_REQUESTS;
	if (!options_given(o, "timeout"))
		s->run->ctx.most_ns = FLEET_TIMEOUT_NS;
	/* Profiles are only added up by function. */
	s->run->ctx.backends.file_order = STACKS_IN_ORDER;
	return check_formats(o, err) && refuse_choice(o, err) &&
	       read_limits(s, o, err) && read_windows(s, err) &&
	       write_question(s, err) && ask(s, err) &&
	       fleet_growth_find(&s->fleet, &s->limits, err) &&
	       tell_fleet(s, err);
}

/* What the server did not answer may have grown. */
static int exit_of_fleet(const struct sweep *s, const struct options *o)
{
	if (s->fleet.grown)
		return EXIT_BROKEN;
	return (s->fleet.compared && !s->left) || o->allow_empty ? 0
								 : EXIT_UNKNOWN;
}

/* Returns the exit status. */
static int check_fleet(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	struct sweep s = { .run = &r, .file = { .fd = -1 } };
	bool done;
	int status, outcome;

	fleet_init(&s.fleet);
	done = run_begin(&r, o, "check", &err) && sweep(&s, &err);
	outcome = exit_of_fleet(&s, o);
	fleet_file_close(&s.file);
	fleet_release(&s.fleet);
	status = run_end(&r, done, &err);
	return status ? status : outcome;
}

static bool save(struct check *c, const struct options *o, struct error *err)
{
	struct snapshot s;
	struct outfile file;
	bool done;

	snapshot_init(&s);
	done = check_snapshot(c, &s, err) &&
	       (outfile_open(&file, o->save, 0666, err) ||
		error_prefix(err, "--save"));
	if (done) {
		snapshot_write(&s, &file.out);
		done = outfile_commit(&file, err);
	}
	if (done && !o->quiet)
		message_info("%zu functions of %u run%s kept in %s", s.count,
			     s.runs, &"s"[s.runs == 1], o -> save);
	snapshot_release(&s);
	return done;
}

/* A slow request of the operation that broke its limit first. */
static void add_slow(struct buf *out, const struct check *c,
		     struct context *ctx)
{
	struct str servers = suggest_servers(ctx, true);

	if (!c->gates.hits[0].operation || !servers.ptr)
		return;
	buf_add_text(out, "tracefind slow --service");
	shell_word_add(out, c->want->live.service);
	buf_add_text(out, " --name");
	shell_word_add(out, c->gates.hits[0].operation->name);
	buf_add_str(out, servers);
}

/* One run a side of several: that is where to look on. */
static void add_diff(struct buf *out, const struct check *c)
{
	const struct check_files *before = &c->want->baseline;
	const struct check_files *after = &c->want->candidate;

	if (!before->count || !after->count)
		return;
	buf_add_text(out, "tracefind diff");
	shell_word_add(out, str_from(before->paths[0]));
	shell_word_add(out, str_from(after->paths[0]));
}

static struct str next_command(const struct check *c, struct context *ctx)
{
	struct str none = { NULL, 0 }, line;
	struct buf text;

	if (c->gates.outcome != GATES_BROKEN)
		return none;
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	add_diff(&text, c);
	add_slow(&text, c, ctx);
	line = text.len && text.state == BUF_OK
		       ? arena_str(&ctx->arena, buf_str(&text))
		       : none;
	buf_release(&text);
	return line;
}

static bool tell(struct run *r, struct check *c, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct check_answer answer = { .check = c,
				       .result = &r->result,
				       .notes = &r->ctx.notes,
				       .is_lack_accepted = o->allow_empty };

	if (!check_places_find(o, &c->gates, &r->ctx.arena, &answer.places,
			       err))
		return false;
	if (!c->want->is_latency_alone)
		comparison_notes_report(&r->result, &r->ctx.notes,
					&r->result.reasons);
	check_latency_notes(&c->latency, &r->ctx.notes);
	answer.next = next_command(c, &r->ctx);
	if (!context_report(&r->ctx, &r->result, err))
		return false;
	answer.notes = &r->result.notes;
	r->ctx.has_told_notes = output_answer(o, &check_writer, &answer, err);
	return r->ctx.has_told_notes;
}

static bool check(struct run *r, struct check_sides *sides, struct check *c,
		  struct error *err)
{
	const struct options *o = r->ctx.options;

	run_ask(r);
	if (!check_sides_read(sides, r, err))
		return false;
	if (!check_fetch(c, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	if (o->save && !save(c, o, err))
		return false;
	return sides->want.is_alone || (check_judge(c, err) && tell(r, c, err));
}

static int exit_of(const struct check *c, const struct options *o)
{
	switch (c->gates.outcome) {
	case GATES_BROKEN:
		return EXIT_BROKEN;
	case GATES_UNKNOWN:
		return o->allow_empty ? 0 : EXIT_UNKNOWN;
	case GATES_HELD:
		break;
	}
	return 0;
}

int cmd_check(const struct options *o)
{
	struct error err = { 0 };
	struct check_sides sides;
	struct check c;
	struct run r;
	bool done;
	int status, outcome;

	if (o->all)
		return check_fleet(o);
	check_sides_init(&sides);
	check_init(&c, &r.investigation, &sides.want);
	done = run_begin(&r, o, "check", &err) && check(&r, &sides, &c, &err);
	outcome = done && !sides.want.is_alone ? exit_of(&c, o) : 0;
	check_release(&c);
	check_sides_release(&sides);
	status = run_end(&r, done, &err);
	return status ? status : outcome;
}
