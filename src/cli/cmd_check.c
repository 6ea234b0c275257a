/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "analyze/gates.h"
#include "analyze/growth.h"
#include "backend/fleet_file.h"
#include "backend/input.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/out.h"
#include "base/suggest.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "decode/prices.h"
#include "decode/snapshot.h"
#include "investigate/check.h"
#include "investigate/profile_service.h"
#include "report/answers.h"
#include "report/texts.h"

/* Which two sides the options of `check` mean: files, folders, a snapshot,
 * windows of a service. Compares nothing. */

#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

struct check_sides {
	struct check_want want;
	struct snapshot snapshot; /* of --against */
};

/* ---- files ---- */

static struct str folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (struct str){ path, slash ? (size_t)(slash - path) : 0 };
}

/* A pattern that the shell unfolded: only its first file stands behind --against,
 * the others are taken for candidates. It is one where candidates stand on both
 * sides of --against, or where only some of them lie beside its file. */
static bool check_pattern(const struct options *o, struct error *err)
{
	struct str folder = folder_of(o->against[0]);
	size_t before = o->args_before_against, beside = 0;
	bool is_around = before && before < o->arg_count;

	for (size_t i = 0; i < o->arg_count; i++)
		beside += str_equal(folder_of(o->args[i]), folder);
	if (o->against_count != 1 || input_is_snapshot(o->against[0]) ||
	    (!is_around && (!beside || beside == o->arg_count)))
		return true;
	return error_set(err, ERROR_USAGE,
			 "--against %s: candidates %s, as if the shell had "
			 "expanded a pattern: give --against once per "
			 "file%s%.*s%s",
			 o->against[0],
			 is_around ? "are given before and after it"
				   : "are in its folder and elsewhere",
			 folder.len ? ", or once with the folder "
				      "(--against " : "",
			 STR_ARGS(folder), folder.len ? "/)" : "");
}

/* Where all lie in one folder nobody knows what was meant. */
static void note_pattern(const struct check_sides *s, struct run *r)
{
	const struct options *o = r->ctx.options;
	struct str folder;

	if (o->against_count != 1 || o->args_before_against ||
	    o->arg_count < 2 || s->want.snapshot || s->want.baseline.count != 1)
		return;
	folder = folder_of(o->against[0]);
	for (size_t i = 0; i < o->arg_count; i++)
		if (!str_equal(folder_of(o->args[i]), folder))
			return;
	notes_add(&r->ctx.notes,
		  "the baseline is %s alone, and the %zu files after it are "
		  "candidates: the shell may have expanded a pattern; give "
		  "--against once per file, or with a folder",
		  o->against[0], o->arg_count);
}

static bool read_files(struct check_files *out, const char *const *paths,
		       size_t count, struct run *r, struct error *err)
{
	struct path_list list;

	if (!run_expand_paths(r, paths, count, &list, err))
		return false;
	*out = (struct check_files){ list.items, list.count };
	return true;
}

static bool read_against(struct check_sides *s, struct run *r,
			 struct error *err)
{
	const struct options *o = r->ctx.options;

	if (o->baseline || o->baseline_selector)
		return error_set(err, ERROR_USAGE,
				 "--against and --baseline exclude each other");
	if (o->against_count == 1 && input_is_snapshot(o->against[0])) {
		s->want.snapshot = &s->snapshot;
		return input_read_snapshot(&s->snapshot, o->against[0], err);
	}
	if (!read_files(&s->want.baseline, o->against, o->against_count, r, err))
		return error_prefix(err, "--against");
	note_pattern(s, r);
	return true;
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
				 "files have no time windows or versions: give "
				 "the baseline's files with --against");
	if (!o->against_count && !o->save)
		return error_set(err, ERROR_USAGE,
				 "no baseline given: --against FILE, a folder "
				 "or a snapshot (--save FILE writes one)");
	for (size_t i = 0; i < o->arg_count; i++)
		if (input_is_snapshot(o->args[i]))
			return error_set(err, ERROR_USAGE,
					 "%s is a snapshot, which can only be "
					 "the baseline: give it with --against",
					 o->args[i]);
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
				 "nothing to check: give profiles or a folder "
				 "with --against FILE, or --service NAME");
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
			 "--baseline of check is a window or version=V; for "
			 "files use --against");
}

/* ---- latency ---- */

static bool fail_latency(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	const char *path = r->ctx.backends.traces.path;

	if (path)
		return error_set(err, ERROR_USAGE,
				 "a latency limit needs the traces of two "
				 "windows, and %s is a file: give a trace "
				 "server with --traces-url",
				 path);
	if (o->selector || o->baseline_selector)
		return error_set(err, ERROR_USAGE,
				 "a latency limit covers all requests of a "
				 "service: leave out %s",
				 o->selector ? "--selector"
					     : "--baseline-selector");
	return error_set(err, ERROR_USAGE,
			 "a latency limit needs the traces of a service, which "
			 "files and snapshots do not have: give --service and "
			 "--baseline");
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

static bool count_requests(const char *option, const char *text,
			   const struct check_files *files, struct run *r,
			   struct request_counts *out, struct error *err)
{
	if (!requests_read(option, text, &r->ctx.arena, out, err))
		return false;
	return out->count <= 1 || !files->count || out->count == files->count ||
	       error_set(err, ERROR_USAGE,
			 "%s: %s has %zu numbers for %zu runs: give one per "
			 "run, in the order of the file names, or a single one "
			 "for all",
			 option, text, out->count, files->count);
}

/* A profile per request of one side says nothing beside one per run of the
 * other; and a snapshot keeps runs. */
static bool read_requests(struct check_sides *s, struct run *r,
			  struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!o->requests && !o->baseline_requests)
		return true;
	if (!o->requests || !o->baseline_requests)
		return error_set(err, ERROR_USAGE,
				 "requests of one side only: give both "
				 "--requests and --baseline-requests");
	if (o->save)
		return error_set(err, ERROR_USAGE,
				 "--save saves a single run: --requests needs "
				 "a comparison (--against)");
	return count_requests("--requests", o->requests, &s->want.candidate, r,
			      &s->want.requests, err) &&
	       count_requests("--baseline-requests", o->baseline_requests,
			      &s->want.baseline, r, &s->want.baseline_requests,
			      err);
}

/* Fills s->want, and the baseline of the run's question. Reads a snapshot. */
static bool check_sides_read(struct check_sides *s, struct run *r,
			     struct error *err)
{
	const struct options *o = r->ctx.options;
	if (o->resume)
		return error_set(err, ERROR_USAGE, "--resume needs --all");
	if (!fail_on_parse(o->fail_on ? o->fail_on : FAIL_ON_DEFAULT,
			   &s->want.limits, err) ||
	    (o->against_count && !check_pattern(o, err)) ||
	    !(o->arg_count ? read_candidates(s, r, err)
			   : read_window(s, r, err)) ||
	    (o->against_count && !read_against(s, r, err)))
		return false;
	s->want.limits.is_total_open = !o->fail_on && !o->requests;
	s->want.is_alone =
		!o->against_count && !s->want.live.is_baseline_wanted;
	if (!read_requests(s, r, err) || !check_baseline(r, s, err) ||
	    !read_latency(s, r, err))
		return false;
	/* Nothing is compared beside itself. */
	if (o->reference && s->want.is_alone)
		return error_set(err, ERROR_USAGE,
				 "--reference needs a comparison: give "
				 "--against or --baseline");
	if (o->reference)
		s->want.reference = str_from(o->reference);
	return true;
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
			    : o->reference	   ? "--reference"
						   : NULL;

	for (size_t i = 0; i < o->output_count; i++)
		if (!words_have("table json markdown",
				str_from(o->outputs[i].format)))
			return error_set(err, ERROR_USAGE,
					 "check --all writes table, json or "
					 "markdown, not %s",
					 o->outputs[i].format);

	return !other || error_set(err, ERROR_USAGE,
				   "--all checks the CPU of every service: "
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
				 "--fail-on %s: --all compares profiles only; "
				 "for latency use --service",
				 text);
	return s->limits.limit[GATE_FUNCTION] >= 0 ||
	       s->limits.limit[GATE_NEW] >= 0 ||
	       error_set(err, ERROR_USAGE,
			 "--fail-on %s: the total of a service depends on its "
			 "traffic; --all supports function and new",
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

static bool read_windows(struct sweep *s, struct error *err)
{
	const struct context *ctx = &s->run->ctx;
	struct time_range *window = &s->fleet.window;
	bool is_by_version;

	if (ctx->backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "check --all needs a server, and %s is a file",
				 ctx->backends.profiles.path);
	if (!window_resolve(ctx->options, ctx->backends.now_ns, FLEET_WINDOW_NS,
			    window, err) ||
	    !read_baseline(s, ctx->options, err))
		return false;
	is_by_version = !s->fleet.baseline.to_ns;
	if (window->to_ns - window->from_ns <=
	    (is_by_version ? NS_PER_DAY : SERVICES_MAX_NS))
		return true;
	return error_set(err, ERROR_USAGE,
			 "check --all covers at most %s: use a shorter window "
			 "with --since",
			 is_by_version ? "one day with --baseline "
					 "version" : "20 days");
}

static void add_option(struct buf *text, const char *name, const char *value)
{
	if (!value)
		return;
	buf_addf(text, " --%s", name);
	shell_word_add(text, str_from(value));
}

/* Writes what makes two sweeps the same, as people mean it: "the last hour"
 * goes on to be the hour that it was. */
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

/* One that goes on with the file of an earlier one. */
static void note_resumed(struct sweep *s)
{
	const struct fleet *f = &s->fleet;
	char began[TIME_RFC3339_BYTES];
	size_t left = 0;

	for (size_t i = 0; i < f->count; i++)
		left += f->items[i].state == FLEET_WAITING;
	format_rfc3339(f->started_ns, began);
	notes_add(&s->run->ctx.notes,
		  "resuming %s, started %.19sZ: %zu of %zu services were "
		  "queried before",
		  s->file.path, began, f->count - left, f->count);
}

static bool sweep_ask(struct sweep *s, struct error *err)
{
	struct investigation *v = &s->run->investigation;
	bool is_resumed;

	if (!fleet_plan(&s->fleet, v, &s->file, s->run->ctx.options->resume,
			s->question, &is_resumed, err))
		return false;
	if (is_resumed)
		note_resumed(s);
	if (!fleet_ask(&s->fleet, v, &s->file, err))
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

static bool sweep_run(struct sweep *s, struct error *err)
{
	const struct options *o = s->run->ctx.options;

	run_ask(s->run);
	s->run->ctx.most_requests = LIMIT_FLEET_REQUESTS;
	if (!options_given(o, "timeout"))
		s->run->ctx.most_ns = FLEET_TIMEOUT_NS;
	/* Profiles are only added up by function. */
	s->run->ctx.backends.file_order = STACKS_IN_ORDER;
	return refuse_choice(o, err) && read_limits(s, o, err) &&
	       read_windows(s, err) && write_question(s, err) &&
	       sweep_ask(s, err) &&
	       fleet_growth_find(&s->fleet, &s->limits, err) &&
	       tell_fleet(s, err);
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
	done = run_begin(&r, o, "check", &err) && sweep_run(&s, &err);
	/* What the server did not answer may have grown. */
	outcome = s.fleet.grown ? EXIT_BROKEN
		  : (s.fleet.compared && !s.left) || o->allow_empty
			  ? 0
			  : EXIT_UNKNOWN;
	fleet_file_close(&s.file);
	fleet_release(&s.fleet);
	status = run_end(&r, done, &err);
	return status ? status : outcome;
}

static bool check_save(struct check *c, const struct options *o,
		       struct error *err)
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
		message_info("saved %zu functions of %u run%s to %s", s.count,
			     s.runs, &"s"[s.runs == 1], o -> save);
	snapshot_release(&s);
	return done;
}

static struct str next_command(const struct check *c, struct context *ctx)
{
	const struct check_files *before = &c->want->baseline;
	const struct check_files *after = &c->want->candidate;
	const struct gate_hit *worst = &c->gates.hits[0];
	struct str none = { NULL, 0 }, servers, line;
	struct buf text;

	if (c->gates.outcome != GATES_BROKEN)
		return none;
	servers = suggest_servers(ctx, true);
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	/* One run a side of several: that is where to look on. */
	if (before->count && after->count) {
		buf_add_text(&text, "tracefind diff");
		shell_word_add(&text, str_from(before->paths[0]));
		shell_word_add(&text, str_from(after->paths[0]));
	}
	/* A slow request of the operation that broke its limit first. */
	if (worst->operation && servers.ptr) {
		buf_add_text(&text, "tracefind slow --service");
		shell_word_add(&text, c->want->live.service);
		buf_add_text(&text, " --name");
		shell_word_add(&text, worst->operation->name);
		buf_add_str(&text, servers);
	}
	line = text.len && text.state == BUF_OK
		       ? arena_str(&ctx->arena, buf_str(&text))
		       : none;
	buf_release(&text);
	return line;
}

static bool is_accepted(const struct check *c, const struct options *o)
{
	return o->allow_empty && gates_lack_data(&c->gates);
}

static bool check_print(struct run *r, struct check *c, struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct path_maps maps = { o->path_maps, o->path_map_count };
	struct check_answer answer = { .check = c,
				       .result = &r->result,
				       .notes = &r->ctx.notes,
				       .is_lack_accepted = is_accepted(c, o) };

	if (!check_places_find(&maps, &c->gates, &r->ctx.arena, &answer.places,
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

#define REFERENCES_NAMED 3

/* Those that hold the name, the dearest first; else the one whose end, without
 * the way to its package, is nearest. */
static void list_references(struct str name, const struct result *result,
			    struct buf *out)
{
	size_t named = 0, best = name.len / 3 + 1;
	struct str nearest = { NULL, 0 };

	for (size_t i = 0; i < result->function_count; i++) {
		struct str known = result->functions[i].name;
		struct str end = str_slice(known, str_behind_last(known, '/'),
					   known.len);
		size_t distance = edit_distance(name, end, 1);

		if (distance < best) {
			best = distance;
			nearest = known;
		}
		if (named == REFERENCES_NAMED ||
		    str_find(known, name) == SIZE_MAX)
			continue;
		buf_addf(out, "%s%.*s", named++ ? ", " : "; did you mean ",
			 STR_ARGS(known));
	}
	if (!named && nearest.len)
		buf_addf(out, "; did you mean %.*s", STR_ARGS(nearest));
}

/* Checks the reference: what one side alone has shows nothing of the machine.
 */
static bool check_reference(const char *name, const struct result *result,
			    struct error *err)
{
	const struct function_row *row = NULL;
	struct buf near;

	for (size_t i = 0; i < result->function_count && !row; i++)
		if (str_equal(result->functions[i].name, str_from(name)))
			row = &result->functions[i];
	if (row && row->total_value && row->baseline_total_value)
		return true;
	if (row)
		return error_set(err, ERROR_NOT_FOUND,
				 "--reference: %s has no value on one side",
				 name);
	buf_init(&near, LIMIT_ERROR_BYTES);
	list_references(str_from(name), result, &near);
	error_set(err, ERROR_NOT_FOUND,
		  "--reference: no function %.100s in the profiles%s",
		  name, buf_text(&near));
	buf_release(&near);
	return false;
}

static bool check_compare(struct run *r, struct check_sides *sides,
			  struct check *c, struct error *err)
{
	const struct options *o = r->ctx.options;

	run_ask(r);
	if (!check_sides_read(sides, r, err))
		return false;
	if (!check_fetch(c, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	if (o->save && !check_save(c, o, err))
		return false;
	return sides->want.is_alone ||
	       (check_judge(c, err) &&
		(!o->reference ||
		 check_reference(o->reference, &r->result, err)) &&
		check_print(r, c, err));
}

int cmd_check(const struct options *o)
{
	struct error err = { 0 };
	struct check_sides sides = { .want = { .is_alone = false } };
	struct check c;
	struct run r;
	bool done;
	int status, outcome = 0;

	if (o->all)
		return check_fleet(o);
	snapshot_init(&sides.snapshot);
	check_init(&c, &r.investigation, &sides.want);
	done = run_begin(&r, o, "check", &err) &&
	       check_compare(&r, &sides, &c, &err);
	if (done && !sides.want.is_alone) {
		if (c.gates.outcome == GATES_BROKEN)
			outcome = EXIT_BROKEN;
		else if (c.gates.outcome == GATES_UNKNOWN &&
			 !is_accepted(&c, o))
			outcome = EXIT_UNKNOWN;
	}
	check_release(&c);
	snapshot_release(&sides.snapshot);
	status = run_end(&r, done, &err);
	return status ? status : outcome;
}
