/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "model/trace_build.h"

#define WHAT "the trace"

/* Gives the spans of places their real resource. */
static bool resolve_places(struct trace_build *b, struct error *err)
{
	for (uint32_t i = 0; i < b->out->span_count; i++) {
		uint32_t *resource = &b->out->spans[i].resource;
		uint32_t *place;

		if (!(*resource & RESOURCE_IS_PLACE))
			continue;
		place = &b->places[*resource & ~RESOURCE_IS_PLACE];
		if (*place == RESOURCE_NONE) {
			trace_build_attrs_begin(b);
			if (!trace_build_resource(b, place, err))
				return false;
		}
		*resource = *place;
	}
	return true;
}

/* ---- order ---- */

/* Moves spans[keys[i].index] to spans[i], for all i, cycle by cycle. */
static void permute(struct span *spans, struct span_key *keys, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct span first = spans[i];
		uint32_t at = i;

		while (keys[at].index != i) {
			uint32_t from = keys[at].index;

			spans[at] = spans[from];
			keys[at].index = at;
			at = from;
		}
		spans[at] = first;
		keys[at].index = at;
	}
}

static void sort_spans(struct trace *t, const struct span_sort *sort)
{
	struct span_key *keys = sort->keys;

	for (uint32_t i = 0; i < t->span_count; i++)
		keys[i] = (struct span_key){ (uint64_t)t->spans[i].start_ns,
					     t->spans[i].span_id, i };
	span_keys_sort(sort, t->span_count);
	permute(t->spans, keys, t->span_count);
}

static bool count_services(struct trace *t, struct arena *scratch,
			   struct error *err)
{
	bool *is_counted = arena_array(scratch, symtab_count(&t->symtab), 1);

	if (!is_counted)
		return arena_fail(scratch, WHAT, err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t service = t->resources[t->spans[i].resource].service;

		t->service_count += !is_counted[service];
		is_counted[service] = true;
	}
	return true;
}

static void find_extent(struct trace *t)
{
	t->start_ns = t->spans[0].start_ns;
	t->end_ns = t->spans[0].end_ns;
	for (uint32_t i = 1; i < t->span_count; i++)
		if (t->spans[i].end_ns > t->end_ns)
			t->end_ns = t->spans[i].end_ns;
}

/* ---- notes ---- */

/* One sentence for one, another, with the number in front, for more. */
static void note_count(struct notes *notes, size_t count, const char *one,
		       const char *many)
{
	if (count == 1)
		notes_add(notes, "%s", one);
	else if (count > 1)
		notes_add(notes, "%zu %s", count, many);
}

/* Ids of other traces that a note names. */
#define OTHER_IDS_SHOWN 4u

/* The one after this one, the longest first, or NULL. */
static const struct trace_seen *seen_after(const struct trace_build *b,
					   const struct trace_seen *last)
{
	const struct trace_seen *next = NULL;

	for (size_t i = 0; i < b->seen_count; i++) {
		const struct trace_seen *s = &b->seen[i];

		if (trace_seen_is_before(last, s) &&
		    (!next || trace_seen_is_before(s, next)))
			next = s;
	}
	return next;
}

/* The traces that were not taken, but for the shortest. */
static void note_others(const struct trace_build *b, struct notes *notes)
{
	const struct trace_seen *other = &b->seen[b->seen_at];
	char ids[OTHER_IDS_SHOWN * 40] = "", id[33];
	size_t shown = 0;

	while (shown < OTHER_IDS_SHOWN && (other = seen_after(b, other))) {
		size_t len = strlen(ids);

		trace_id_format(&other->id, id);
		snprintf(ids + len, sizeof ids - len, "%s%s",
			 shown++ ? ", " : "", id);
	}
	trace_id_format(&b->out->id, id);
	notes_add(notes,
		  "the input holds %zu traces; the longest, %s, was taken; "
		  "there %s %s%s (--traces-url file:PATH and an id choose)",
		  b->seen_count, id, b->seen_count > 2 ? "are" : "is", ids,
		  b->seen_count - 1 > shown ? ", ..." : "");
}

static void note_input(const struct trace_build *b, struct notes *notes)
{
	if (b->phase == BUILD_CHOSEN)
		note_others(b, notes);
	else
		note_count(notes, b->foreign_count,
			   "1 span belongs to another trace and was left out",
			   "spans belong to other traces and were left out");
	if (b->is_cut_by_server)
		notes_add(notes, "the server gave only the first spans of a "
				 "longer trace");
	note_count(notes, b->moved_count,
		   "the server moved 1 span in time to correct clock skew",
		   "spans were moved in time by the server to correct clock "
		   "skew");
	note_count(notes, b->trimmed_count,
		   "1 text over 64 KiB was cut to that length",
		   "texts over 64 KiB were cut to that length");
	note_count(notes, b->attrs_over_count,
		   "1 attribute past the 1024th of its span was left out",
		   "attributes past the 1024th of their span were left out");
}

static void note_repairs(const struct trace_repairs *r, uint32_t orphan_count,
			 struct notes *notes)
{
	note_count(notes, r->impossible_count,
		   "1 span has an impossible time (clock not set?); it counts "
		   "as zero length",
		   "spans have impossible times (clock not set?); they count "
		   "as zero length");
	note_count(notes, r->open_count,
		   "1 span has no end (still running or lost?); it counts as "
		   "zero length",
		   "spans have no end (still running or lost?); they count as "
		   "zero length");
	note_count(notes, r->backwards_count,
		   "1 span ends before it starts; it counts as zero length",
		   "spans end before they start; they count as zero length");
	note_count(notes, r->duplicate_count,
		   "2 spans share one id; the longer was kept",
		   "spans repeat the id of another; the longest of each id "
		   "was kept");
	note_count(notes, orphan_count,
		   "1 span names a parent that is not in the trace "
		   "(incomplete trace?)",
		   "spans name a parent that is not in the trace (incomplete "
		   "trace?)");
	note_count(notes, r->cycle_count,
		   "1 span had a parent chain that forms a cycle; it was cut",
		   "spans had parent chains that form a cycle; they were cut");
	note_count(notes, r->outside_count,
		   "1 span starts or ends outside its parent's time (clock "
		   "skew?)",
		   "spans start or end outside their parent's time (clock "
		   "skew?)");
	note_count(notes, r->abandoned_count,
		   "1 span went on after its caller had failed (a timeout?)",
		   "spans went on after their callers had failed (timeouts?)");
}

/* ---- the door ---- */

static bool put_in_order(struct trace_build *b, struct trace_repairs *r,
			 struct error *err)
{
	struct trace *t = b->out;
	struct span_sort sort;
	bool *is_dropped;

	trace_times_repair(t, r);
	sort.keys = arena_array(&b->scratch, t->span_count, sizeof *sort.keys);
	sort.spare =
		arena_array(&b->scratch, t->span_count, sizeof *sort.spare);
	is_dropped = arena_array(&b->scratch, t->span_count, 1);
	if (!sort.keys || !sort.spare || !is_dropped)
		return arena_fail(&b->scratch, WHAT, err);
	trace_copies_drop(t, &sort, is_dropped, r);
	sort_spans(t, &sort);
	trace_ties_order(t);
	find_extent(t);
	return trace_link(t, &b->scratch, &sort, r, err) &&
	       count_services(t, &b->scratch, err);
}

bool trace_build_finish(struct trace_build *b, struct notes *notes,
			struct error *err)
{
	struct trace_repairs r = { 0 };

	if (b->phase == BUILD_SURVEY)
		return error_set(err, ERROR_INTERNAL,
				 "one trace of several was not chosen");
	if (b->has_want)
		b->out->id = b->want;
	else if (b->seen_count)
		b->out->id = b->seen[0].id;
	b->out->is_partial |= b->is_cut_by_server;
	if (b->out->span_count > 0 &&
	    (!resolve_places(b, err) || !put_in_order(b, &r, err)))
		return false;
	note_input(b, notes);
	note_repairs(&r, b->out->orphan_count, notes);
	return true;
}
