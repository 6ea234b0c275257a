/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_details.h"

#include <string.h>

#include "analyze/call_graph.h"
#include "backend/source_files.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/row_order.h"
#include "render/details.h"

bool profile_details_wanted(const struct options *o)
{
	return o->peek || o->list || o->tree;
}

bool profile_details_check(const struct options *o, struct error *err)
{
	if ((o->peek != NULL) + (o->list != NULL) + o->tree > 1)
		return error_set(err, ERROR_USAGE,
				 "--peek, --list and --tree exclude each "
				 "other");
	if (o->list && o->granularity)
		return error_set(err, ERROR_USAGE,
				 "--list shows lines: --granularity does not "
				 "go with it");
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

/* What weakens the answer goes to standard error: the output is the view. */
static void tell_notes(const struct run *r)
{
	for (size_t i = 0; i < r->ctx.notes.count; i++)
		message_info("note: %s", r->ctx.notes.text[i]);
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

bool profile_details_show(struct run *r, struct error *err)
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
	if (is_done && !o->quiet)
		tell_notes(r);
	return is_done;
}
