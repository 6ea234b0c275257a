/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_fleet.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/fleet_growth.h"
#include "base/count.h"
#include "base/shell.h"
#include "cli/fail_on.h"
#include "cli/fleet_file.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/suggest_next.h"
#include "cli/window.h"
#include "investigate/services.h"
#include "report/fleet_answer.h"
#include "report/shortfall_text.h"

#define DEFAULT_WINDOW_NS NS_PER_HOUR
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
			      DEFAULT_WINDOW_NS, &s->fleet.window, err) &&
	       read_baseline(s, ctx->options, err) &&
	       check_length(s, err);
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

static bool tell(struct sweep *s, struct error *err)
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
	return check_formats(o, err) && refuse_choice(o, err) && read_limits(s, o, err) &&
	       read_windows(s, err) && write_question(s, err) && ask(s, err) &&
	       fleet_growth_find(&s->fleet, &s->limits, err) && tell(s, err);
}

/* What the server did not answer may have grown. */
static int exit_of(const struct sweep *s, const struct options *o)
{
	if (s->fleet.grown)
		return EXIT_BROKEN;
	return (s->fleet.compared && !s->left) || o->allow_empty ? 0
								 : EXIT_UNKNOWN;
}

int check_fleet(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	struct sweep s = { .run = &r, .file = { .fd = -1 } };
	bool done;
	int status, outcome;

	fleet_init(&s.fleet);
	done = run_begin(&r, o, "check", &err) && sweep(&s, &err);
	outcome = exit_of(&s, o);
	fleet_file_close(&s.file);
	fleet_release(&s.fleet);
	status = run_end(&r, done, &err);
	return status ? status : outcome;
}
