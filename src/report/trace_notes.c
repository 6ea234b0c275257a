/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace_notes.h"

#include <stdio.h>
#include <string.h>

/* One sentence for one, another, with the number in front, for more. */
static void note_count(struct notes *notes, size_t count, const char *one,
		       const char *many)
{
	if (count == 1)
		notes_add(notes, "%s", one);
	else if (count > 1)
		notes_add(notes, "%zu %s", count, many);
}

/* The traces that were not taken. */
static void note_others(const struct trace *t, struct notes *notes)
{
	const struct trace_oddities *odd = &t->oddities;
	char ids[TRACE_OTHER_IDS * 40] = "", id[33];

	for (size_t i = 0; i < odd->other_count; i++) {
		size_t len = strlen(ids);

		trace_id_format(&odd->others[i], id);
		snprintf(ids + len, sizeof ids - len, "%s%s", i ? ", " : "",
			 id);
	}
	trace_id_format(&t->id, id);
	notes_add(notes,
		  "the input holds %zu traces; the longest, %s, was taken; "
		  "there %s %s%s (--traces-url file:PATH and an id choose)",
		  odd->trace_count, id, odd->trace_count > 2 ? "are" : "is",
		  ids, odd->trace_count - 1 > odd->other_count ? ", ..." : "");
}

static void note_input(const struct trace *t, struct notes *notes)
{
	const struct trace_oddities *odd = &t->oddities;

	if (odd->trace_count)
		note_others(t, notes);
	else
		note_count(notes, odd->foreign_count,
			   "1 span belongs to another trace and was left out",
			   "spans belong to other traces and were left out");
	if (odd->is_cut_by_server)
		notes_add(notes, "the server gave only the first spans of a "
				 "longer trace");
	note_count(notes, odd->moved_count,
		   "the server moved 1 span in time to correct clock skew",
		   "spans were moved in time by the server to correct clock "
		   "skew");
	note_count(notes, odd->trimmed_count,
		   "1 text over 64 KiB was cut to that length",
		   "texts over 64 KiB were cut to that length");
	note_count(notes, odd->attrs_over_count,
		   "1 attribute past the 1024th of its span was left out",
		   "attributes past the 1024th of their span were left out");
}

static void note_repairs(const struct trace *t, struct notes *notes)
{
	const struct trace_oddities *odd = &t->oddities;

	note_count(notes, odd->impossible_count,
		   "1 span has an impossible time (clock not set?); it counts "
		   "as zero length",
		   "spans have impossible times (clock not set?); they count "
		   "as zero length");
	note_count(notes, odd->open_count,
		   "1 span has no end (still running or lost?); it counts as "
		   "zero length",
		   "spans have no end (still running or lost?); they count as "
		   "zero length");
	note_count(notes, odd->backwards_count,
		   "1 span ends before it starts; it counts as zero length",
		   "spans end before they start; they count as zero length");
	note_count(notes, odd->duplicate_count,
		   "2 spans share one id; the longer was kept",
		   "spans repeat the id of another; the longest of each id "
		   "was kept");
	note_count(notes, odd->twin_count,
		   "1 span has the id of another one (forked workers?); both "
		   "were kept",
		   "spans have the ids of others (forked workers?); all were "
		   "kept");
	if (t->orphan_count && t->root_count == 1)
		notes_add(notes, "who called the first span sent no spans (a "
				 "browser, a load generator?)");
	else
		note_count(
			notes, t->orphan_count,
			"1 span names a parent that is not in the trace "
			"(incomplete trace?)",
			"spans name a parent that is not in the trace (incomplete "
			"trace?)");
	note_count(notes, odd->cycle_count,
		   "1 span had a parent chain that forms a cycle; it was cut",
		   "spans had parent chains that form a cycle; they were cut");
	note_count(notes, odd->outside_count,
		   "1 span starts or ends outside its parent's time (clock "
		   "skew?)",
		   "spans start or end outside their parent's time (clock "
		   "skew?)");
	note_count(notes, odd->abandoned_count,
		   "1 span went on after its caller had failed (a timeout?)",
		   "spans went on after their callers had failed (timeouts?)");
}

void trace_notes_add(const struct trace *t, struct notes *notes)
{
	note_input(t, notes);
	note_repairs(t, notes);
}
