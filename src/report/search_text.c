/* SPDX-License-Identifier: Apache-2.0 */
#include "report/search_text.h"

#include "base/num.h"

#define NEAREST 3

void search_text_add_basis(const struct trace_search *s, struct buf *out)
{
	static const char *const nouns[] = {
		[FIND_COUNTS_NONE] = "",
		[FIND_COUNTS_TRACES] = "traces",
		[FIND_COUNTS_REQUESTS] = "requests",
		[FIND_COUNTS_SPANS] = "spans",
	};
	char count[COUNT_TEXT_BYTES];

	if (s->buckets.total) {
		format_count(s->buckets.total, count);
		buf_addf(out, "all %s %s counted by the server", count,
			 nouns[s->counted]);
		return;
	}
	format_count((int64_t)s->duration_count, count);
	buf_addf(out, "%s%s trace%s", s->is_first_sample ? "a sample of " : "",
		 count, &"s"[s->duration_count == 1]);
}

void search_text_add_notes(const struct trace_search *s, struct notes *notes)
{
	char bound[24];

	format_duration(s->bound_ns, bound);
	if (s->held_count)
		notes_add(notes,
			  "the traces that %zu search%s of the case found, "
			  "whatever %s looked for",
			  s->held_count, s->held_count == 1 ? "" : "es",
			  s->held_count == 1 ? "it" : "they");
	if (s->is_first_sample && trace_search_is_sorted(s) && s->rounds > 1)
		notes_add(notes,
			  "the slowest are all here; the distribution is that "
			  "of the newest %zu traces",
			  s->duration_count);
	else if (s->is_first_sample && s->rounds > 1 && !s->is_sample)
		notes_add(notes,
			  "the server gives the first %u that it finds, so it "
			  "was asked again from %s on: the slowest are all "
			  "here%s",
			  s->query.trace_limit, bound,
			  s->buckets.total ? ""
					   : ", the distribution is that of "
					     "the first answer");
	else if (s->is_sample && s->bound_ns > 0)
		notes_add(notes,
			  "a sample: at least %u traces took %s or longer, and "
			  "the server gives the first that it finds; narrow it "
			  "with --since, --name or --min-duration",
			  s->query.trace_limit, bound);
	else if (s->is_sample)
		notes_add(notes,
			  "a sample: there are more than the %u traces that "
			  "the server found first; narrow it with --since, "
			  "--name or --min-duration",
			  s->query.trace_limit);
	if (s->buckets.total)
		notes_add(notes, "the distribution is from TraceQL metrics, "
				 "which count in steps of a factor of two: "
				 "quantiles are interpolated");
	if (s->hidden_count)
		notes_add(notes, "%zu health check%s hidden; --all shows %s",
			  s->hidden_count, &"s"[s->hidden_count == 1],
			  s -> hidden_count == 1 ? "it" : "them");
}

/* ": SERVICE NAME" of its root, or of the span that was looked for: callers
 * without spans are no root that a server knows. */
static void add_hit_name(const struct hit *hit, struct buf *out)
{
	bool has_root = hit->root_service.len || hit->root_name.len;
	struct str service = has_root ? hit->root_service : hit->service;
	struct str name = has_root ? hit->root_name : hit->name;

	if (service.len || name.len)
		buf_addf(out, ": %.*s%s%.*s", STR_ARGS(service),
			 service.len && name.len ? " " : "", STR_ARGS(name));
}

/* Chosen by how far it is from its usual, not by how long it took. */
static void add_unusual(const struct trace_search *s, struct notes *notes)
{
	const struct unusual *u = &s->unusual;
	char id[33], took[24], now[24], usual[24];
	struct buf called, as_ever;

	trace_id_format(&u->hit->id, id);
	format_duration(u->hit->duration_ns, took);
	format_duration(u->now_ns, now);
	format_duration(u->usual_ns, usual);
	buf_init(&called, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&as_ever, LIMIT_PAGE_TEXT_BYTES);
	add_hit_name(u->hit, &called);
	if (u->as_ever && u->as_ever->duration_ns > u->now_ns)
		buf_addf(&as_ever, "; longer, but as ever: %.*s %.*s",
			 STR_ARGS(u->as_ever->root_service),
			 STR_ARGS(u->as_ever->root_name));
	notes_add(notes,
		  "took trace %s%s, %s; its p%u is %.1f times the "
		  "usual one, %s instead of %s, over %zu traces%s",
		  id, buf_text(&called), took, u->percent,
		  (double)u->now_ns /
			  (double)(u->usual_ns > 0 ? u->usual_ns : 1),
		  now, usual, u->count, buf_text(&as_ever));
	buf_release(&called);
	buf_release(&as_ever);
}

void search_text_add_choice(const struct trace_search *s,
			    const struct typical_hit *typical,
			    struct notes *notes)
{
	const struct hit *hit = &s->items[typical->index];
	char id[33], took[24], slow[24];
	struct buf called, basis;

	if (s->unusual.hit) {
		add_unusual(s, notes);
		return;
	}
	trace_id_format(&hit->id, id);
	format_duration(hit->duration_ns, took);
	format_duration(s->above_ns, slow);
	buf_init(&called, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	add_hit_name(hit, &called);
	search_text_add_basis(s, &basis);
	notes_add(notes,
		  "took trace %s%s, %s, the median of %zu like it "
		  "among %zu slow ones (the slowest 5 %% of %s took "
		  "%s or longer)",
		  id, buf_text(&called), took, typical->group_count,
		  s->fitting_count, buf_text(&basis), slow);
	buf_release(&called);
	buf_release(&basis);
}

void search_text_add_operation(const struct trace_search *s,
			       const struct typical_hit *typical,
			       struct notes *notes)
{
	const struct hit *hit = &s->items[typical->index];
	char id[33], took[24];
	struct buf basis;

	trace_id_format(&hit->id, id);
	format_duration(hit->duration_ns, took);
	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	search_text_add_basis(s, &basis);
	notes_add(notes,
		  "took operation \"%.*s\": trace %s, in which it took %s, is "
		  "typical of the slowest 5 %% of %s; "
		  "another one with --name (tracefind search --tags name "
		  "--service %.*s lists them)",
		  STR_ARGS(hit->name), id, took, buf_text(&basis),
		  STR_ARGS(s->query.service));
	buf_release(&basis);
}

/* ---- nothing found ---- */

static bool explain_name(const struct trace_search *s, const char *what,
			 struct str name, struct error *err)
{
	struct str near[NEAREST];
	size_t count = nearest_names(&s->names, name, near, NEAREST);
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < count; i++)
		buf_addf(&list, "%s\"%.*s\"",
			 i ? ", " : "; nearest: ", STR_ARGS(near[i]));
	if (count == 0)
		buf_addf(&list, "; the trace server has %zu others",
			 s->names.count);
	error_set(err, ERROR_NOT_FOUND, "no traces with %s \"%.*s\"%s", what,
		  STR_ARGS(name), buf_text(&list));
	buf_release(&list);
	return false;
}

static bool explain_times(const struct trace_search *s, struct error *err)
{
	const struct time_range *range = &s->query.range;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES], least[24];

	format_rfc3339(range->from_ns, from);
	format_rfc3339(range->to_ns, to);
	if (s->hidden_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "only health checks found (%zu); --all shows "
				 "them",
				 s->hidden_count);
	if (s->is_sample)
		return error_set(err, ERROR_NOT_FOUND,
				 "none among the %zu traces that the server "
				 "gave, and it has more between %.19sZ and "
				 "%.19sZ; narrow it with --since, --service "
				 "or --name",
				 s->hits.answer_count, from, to);
	if (s->query.min_duration_ns <= 0)
		return error_set(err, ERROR_NOT_FOUND,
				 "no such traces between %.19sZ and %.19sZ; "
				 "widen with --since 24h, or ask tracefind "
				 "doctor",
				 from, to);
	format_duration(s->query.min_duration_ns, least);
	return error_set(err, ERROR_NOT_FOUND,
			 "no such traces of %s or longer between %.19sZ and "
			 "%.19sZ; lower --min-duration or widen with "
			 "--since 24h",
			 least, from, to);
}

bool search_text_explain(const struct trace_search *s, struct error *err)
{
	switch (s->lack) {
	case SEARCH_LACKS_NOTHING:
		break;
	case SEARCH_LACKS_SERVICE:
		return explain_name(s, "service", s->query.service, err);
	case SEARCH_LACKS_OPERATION:
		return explain_name(s, "operation", s->query.name, err);
	case SEARCH_LACKS_TRACES:
		return explain_times(s, err);
	}
	return false;
}
