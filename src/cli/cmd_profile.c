/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/call_graph.h"
#include "analyze/category_share.h"
#include "backend/input.h"
#include "base/num.h"
#include "cli/context.h"
#include "cli/guess.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/chosen.h"
#include "render/render.h"

/* profile --peek, --tree and --list: callers and callees, and source lines,
 * instead of the table of functions. */

/* True when one of these is asked for. */
static bool profile_details_wanted(const struct options *o)
{
	return o->peek || o->list || o->tree;
}

/* Two of them, or a format that they do not have: ERROR_USAGE. */
static bool profile_details_check(const struct options *o, struct error *err)
{
	if ((o->peek != NULL) + (o->list != NULL) + o->tree > 1)
		return error_set(err, ERROR_USAGE,
				 "--peek, --list and --tree exclude each "
				 "other");
	if (o->list && o->granularity)
		return error_set(err, ERROR_USAGE,
				 "--list shows lines: leave out --granularity");
	return !profile_details_wanted(o) ||
	       output_check_answer(o,
				   o->peek   ? "profile --peek"
				   : o->list ? "profile --list"
					     : "profile --tree",
				   err);
}

static bool fail_no_match(const char *option, const char *pattern,
			  struct error *err)
{
	return error_set(err, ERROR_NOT_FOUND,
			 "%s: no function of the profile matches \"%.200s\"",
			 option, pattern);
}

/* ---- peek and tree ---- */

static bool show_graph(struct run *r, struct regex *symbol, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct call_graph_want want = {
		.symbol = symbol,
		.is_by_cum = row_order_measure(o, RANK_SELF) == RANK_TOTAL,
	};
	/* A pattern chooses already. */
	struct options all = *o;
	struct call_graph g = { .count = 0 };
	bool is_done;

	if (symbol && !options_given(o, "limit"))
		all.limit = 0;
	arena_init(&g.arena, LIMIT_RESULT_BYTES);
	is_done = call_graph_build(&g, &r->shown->slow.profile, &want, err) &&
		  (g.count || fail_no_match("--peek", o->peek, err)) &&
		  output_answer(&all, &call_graph_writer, &g, err);
	arena_release(&g.arena);
	return is_done;
}

/* ---- list ---- */

static bool show_listings(struct run *r, struct regex *symbol,
			  struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct source_places places = {
		.trim_path = str_from(o->trim_path),
		.folders = str_from(o->source_path),
	};
	struct listings l = { .count = 0 };
	bool is_done;

	arena_init(&l.arena, LIMIT_RESULT_BYTES);
	is_done = listings_build(&l, &r->shown->slow.profile, symbol, err) &&
		  (l.count || fail_no_match("--list", o->list, err)) &&
		  source_files_read(&places, &l, err) &&
		  output_answer(o, &listings_writer, &l, err);
	arena_release(&l.arena);
	return is_done;
}

/* Shows them for the run's profile, filters already applied. */
static bool profile_details_show(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	const char *pattern = o->peek ? o->peek : o->list;
	struct regex *symbol = NULL;
	bool is_done;

	if (pattern) {
		symbol = regex_new(str_from(pattern),
				   o->peek ? "--peek" : "--list", err);
		if (!symbol)
			return false;
	}
	is_done = o->list ? show_listings(r, symbol, err)
			  : show_graph(r, symbol, err);
	regex_free(symbol);
	/* To standard error: the output is the view. */
	for (size_t i = 0; is_done && !o->quiet && i < r->ctx.notes.count; i++)
		message_info("note: %s", r->ctx.notes.text[i]);
	return is_done;
}

/* Long enough for some thousand samples at 100 Hz, short enough to be "now". */
#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

static bool check_args(const struct options *o, struct error *err)
{
	size_t input_count = 0;

	for (size_t i = 0; i < o->arg_count; i++) {
		if (!input_check(o->args[i], err))
			return false;
		input_count += !strcmp(o->args[i], "-");
	}
	if (input_count > 1)
		return error_set(err, ERROR_USAGE,
				 "- is given twice: standard input can be read "
				 "once");
	if (o->arg_count && (o->service || o->selector))
		return error_set(err, ERROR_USAGE,
				 "a file and --service or --selector exclude "
				 "each other");
	return true;
}

static bool read_want(const struct run *r, struct chosen_want *want,
		      struct error *err)
{
	const struct options *o = r->ctx.options;
	static const char *const piped = "-";
	const char *const *server_path = &r->ctx.backends.profiles.path;

	*want = (struct chosen_want){
		.service = str_from(o->service),
		.paths = o->arg_count ? o->args : server_path,
		.path_count =
			o->arg_count ? o->arg_count : *server_path != NULL,
	};
	if (!want->path_count && !o->service && !o->selector &&
	    o->may_read_stdin && stdin_is_piped()) {
		want->paths = &piped;
		want->path_count = 1;
	}
	if (!want->path_count && !o->service && !o->selector)
		return error_set(err, ERROR_USAGE,
				 "no profile given: --service NAME, --selector "
				 "'{...}', a file or -");
	return window_refuse_file(o, want->path_count ? want->paths[0] : NULL,
				  err) &&
	       window_resolve(o, r->ctx.backends.now_ns, DEFAULT_WINDOW_NS,
			      &want->window, err);
}

static bool profile_print(struct run *r, struct chosen *chosen,
			  struct error *err)
{
	const struct profile *p = &chosen->comparison.slow.profile;
	bool is_of_waiting;

	if (profile_details_wanted(r->ctx.options))
		return profile_details_show(r, err);
	r->result.has_locations_in_names =
		r->filters.view.granularity != GRANULARITY_FUNCTION;
	if (!chosen_report(chosen, &r->result, err))
		return false;
	/* In a profile of what waits all leaves are ways to wait: the time is
	 * that of the code which waits. */
	is_of_waiting = kinds_wait(p) || counts_goroutines(p) ||
			str_equal(profile_type_name(p), STR("off_cpu"));
	if (output_shows_ranks(r->ctx.options) &&
	    !chosen_rank(chosen, is_of_waiting ? RANK_SELF_LIB : RANK_SELF,
			 STR(""), false, err))
		return false;
	/* Kinds are known of functions, not of files and lines. */
	if (r->result.has_locations_in_names)
		r->result.categories.total = 0;
	return run_render(r, err);
}

static bool profile_choose(struct run *r, struct chosen_want *want,
			   struct chosen *chosen, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!check_args(o, err) || !profile_details_check(o, err) ||
	    !read_want(r, want, err) ||
	    !profile_filters_init(&r->filters, &r->ctx, err))
		return false;
	run_ask(r);
	r->question.rows.is_plain = true;
	r->ctx.backends.want.detail = view_detail(&r->filters.view);
	r->ctx.backends.want.omits_stackless = true;
	if (!profile_details_wanted(o))
		r->ctx.backends.file_order =
			run_file_order(r, o->arg_count > 1);
	return run_choose(r, chosen, err) && profile_print(r, chosen, err);
}

bool show_profile(struct run *r, struct error *err)
{
	struct chosen_want want = { .path_count = 0 };
	struct chosen chosen;
	bool done;

	chosen_init(&chosen, &r->investigation, &want);
	done = profile_choose(r, &want, &chosen, err);
	chosen_release(&chosen);
	return done;
}

int cmd_profile(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done = run_begin(&r, o, "profile", &err) && show_profile(&r, &err);

	return run_end(&r, done, &err);
}
