/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* Pauses between attempts are told when they are a quarter of what was lost. */
#define PAUSE_SHARE 4

/* A finding on its way into words. */
struct telling {
	const struct calls *calls;
	const struct trace *t;
	const struct finding_facts *f;
	struct buf *out;
};

static void add_text(const struct telling *k, const char *text)
{
	buf_add_text(k->out, text);
}

static void add_span(const struct telling *k, uint32_t span)
{
	wording_add_span(k->out, k->t, span);
}

static void add_duration(const struct telling *k, int64_t duration_ns)
{
	wording_add_duration(k->out, duration_ns);
}

static void add_call(const struct telling *k)
{
	wording_add_call(k->out, k->calls, k->f->call);
}

/* The instance that served a call, or the peer's address; nothing when neither
 * is known. */
static void add_place(const struct telling *k, uint32_t call)
{
	uint32_t server = span_server_side(k->t, call);
	struct str instance = { "", 0 };

	if (server != SPAN_NONE)
		instance =
			resource_instance(k->t, k->t->spans[server].resource);
	if (!instance.len) {
		wording_add_peer(k->out, " at ", k->calls, call);
		return;
	}
	add_text(k, " at ");
	wording_add(k->out, span_service(k->t, server), WORDING_TEXT_BYTES);
	add_text(k, " (");
	wording_add(k->out, instance, WORDING_TEXT_BYTES);
	add_text(k, ")");
}

static void report_loop(const struct telling *k)
{
	add_span(k, k->f->span);
	buf_addf(k->out, ": %u x ", k->f->count);
	add_call(k);
	buf_addf(k->out, ", %s, ", wording_manner(k->f->manner));
	add_duration(k, k->f->time_ns);
}

static void report_attempts(const struct telling *k)
{
	const struct finding_facts *f = k->f;

	buf_addf(k->out, "%u x ", f->count);
	add_call(k);
	wording_add_peer(k->out, " to ", k->calls, f->call);
	if (!f->failed_count)
		add_text(k, ", retried");
	else if (f->failed_count == f->count)
		add_text(k, ", all failed");
	else
		buf_addf(k->out, " after %u failed", f->failed_count);
	if (f->failed_count) {
		add_text(k, " (");
		wording_add_failure(k->out, k->t, f->failed);
		add_text(k, ")");
	}
	add_text(k, ", ");
	add_duration(k, f->time_ns);
	add_text(k, " lost");
	if (sat_mul_i64(f->pause_ns, PAUSE_SHARE) < f->time_ns)
		return;
	add_text(k, ", ");
	add_duration(k, f->pause_ns);
	add_text(k, " of it in pauses");
}

static void report_retry(const struct telling *k)
{
	add_span(k, k->f->span);
	add_text(k, ": ");
	report_attempts(k);
	if (k->f->other == SPAN_NONE)
		return;
	add_text(k, "; ");
	add_span(k, k->f->other);
	add_text(k, " took up to ");
	add_duration(k, k->f->other_ns);
}

static void report_slow_shard(const struct telling *k)
{
	add_span(k, k->f->span);
	buf_addf(k->out, ": the slowest of %u x ", k->f->count);
	add_call(k);
	add_text(k, " in parallel took ");
	add_duration(k, k->f->time_ns);
	add_text(k, ", the median ");
	add_duration(k, k->f->other_ns);
	add_place(k, k->f->call);
}

static void report_fan_out(const struct telling *k)
{
	add_span(k, k->f->span);
	buf_addf(k->out, ": %u x ", k->f->count);
	add_call(k);
	add_text(k, " in parallel, ");
	add_duration(k, k->f->time_ns);
	add_text(k, "; the slowest, ");
	add_duration(k, k->f->other_ns);
	add_place(k, k->f->call);
	add_text(k, ", sets the duration");
}

static void report_cold_call(const struct telling *k)
{
	add_span(k, k->f->span);
	buf_addf(k->out, ": the first of %u x ", k->f->count);
	add_call(k);
	add_text(k, " took ");
	add_duration(k, k->f->time_ns);
	add_text(k, ", the others ");
	add_duration(k, k->f->other_ns);
	add_text(k, ": a new connection or a cold cache");
	add_place(k, k->f->call);
}

static void report_slow_query(const struct telling *k)
{
	const struct finding_facts *f = k->f;

	wording_add(k->out, span_service(k->t, f->span), WORDING_TEXT_BYTES);
	add_text(k, ": ");
	wording_add_call(k->out, k->calls, f->span);
	add_text(k, f->count > 1 ? " took up to " : " took ");
	add_duration(k, f->time_ns);
	wording_add_peer(k->out, " at ", k->calls, f->span);
	if (f->count > 1)
		buf_addf(k->out, ", slow %u times", f->count);
}

static void report_consecutive(const struct telling *k)
{
	add_span(k, k->f->span);
	buf_addf(k->out, ": %u long calls one after another, ", k->f->count);
	add_duration(k, k->f->time_ns);
	add_text(k, ", the longest ");
	add_call(k);
	add_text(k, "; in parallel they would save ");
	add_duration(k, k->f->other_ns);
}

static void report_queue_gap(const struct telling *k)
{
	static const char *const where[] = {
		[CALL_RIM_BEFORE] = " passed before the start of ",
		[CALL_RIM_BEHIND] = " passed after the end of ",
		[CALL_RIM_BOTH] = " passed outside ",
	};
	const struct finding_facts *f = k->f;

	add_span(k, f->span);
	add_text(k, f->count > 1 ? ": up to " : ": ");
	add_duration(k, f->time_ns);
	add_text(k, " of ");
	add_duration(k, span_duration_ns(&k->t->spans[f->span]));
	add_text(k, where[f->rim]);
	add_span(k, f->other);
	add_text(k, f->rim == CALL_RIM_BEHIND
			    ? ": the network or a slow reader"
			    : ": the network, a connection pool or a queue");
	if (f->count > 1)
		buf_addf(k->out, ", in %u calls", f->count);
}

static void report_gap(const struct telling *k)
{
	add_span(k, k->f->span);
	add_text(k, ": ");
	add_duration(k, k->f->time_ns);
	add_text(k, " without a child span, from ");
	if (k->f->other_ns) {
		add_duration(k, k->f->other_ns);
		add_text(k, " after ");
	}
	add_text(k, "its start: in its code or waiting");
}

static void report_error(const struct telling *k)
{
	add_span(k, k->f->span);
	add_text(k, ": ");
	wording_add_failure(k->out, k->t, k->f->span);
	if (k->f->count > 1)
		buf_addf(k->out, " (%u times)", k->f->count);
	if (k->f->is_fatal)
		add_text(k, "; the request failed with it");
}

static void report_message_delay(const struct telling *k)
{
	add_span(k, k->f->span);
	add_text(k, k->f->count > 1 ? ": up to " : ": ");
	add_duration(k, k->f->time_ns);
	add_text(k, " until ");
	add_span(k, k->f->other);
	add_text(k, " started: a busy or lagging consumer");
	if (k->f->count > 1)
		buf_addf(k->out, ", %u messages", k->f->count);
}

static void report_async_work(const struct telling *k)
{
	if (k->f->time_ns) {
		add_text(k, "after the response: ");
		add_duration(k, k->f->time_ns);
	} else {
		add_text(k, "in the background: ");
		add_duration(k, span_duration_ns(&k->t->spans[k->f->span]));
	}
	add_text(k, " in ");
	add_span(k, k->f->span);
	add_text(k, ", off the request's path");
	if (k->f->count > 1)
		buf_addf(k->out, "; %u such spans in all", k->f->count);
}

/* "web POST /reports waits for worker process report.jobs, 327 ms" */
static void report_awaited_job(const struct telling *k)
{
	add_span(k, k->f->span);
	add_text(k, " waits for ");
	add_span(k, k->f->other);
	add_text(k, ", ");
	add_duration(k, k->f->time_ns);
}

static void report_session(const struct telling *k)
{
	buf_addf(k->out, "not one request but %u, one after another in ",
		 k->f->count);
	add_duration(k, k->f->time_ns);
	add_text(k, ", ");
	add_duration(k, k->f->other_ns);
	add_text(k, " of it pauses, which are left out; the slowest is ");
	add_span(k, k->f->span);
	add_text(k, ", ");
	add_duration(k, span_duration_ns(&k->t->spans[k->f->span]));
}

/* The tree that took longest is analysed; the waterfall shows all. */
static void report_other_roots(const struct telling *k)
{
	buf_addf(k->out, "%u more %s besides ", k->f->count,
		 k->f->count == 1 ? "root" : "roots");
	add_span(k, k->f->span);
	add_text(k, k->f->count == 1 ? ": " : ", the longest ");
	add_span(k, k->f->other);
	add_text(k, ", ");
	add_duration(k, span_duration_ns(&k->t->spans[k->f->other]));
}

static void report_clock_skew(const struct telling *k)
{
	const struct finding_facts *f = k->f;

	buf_addf(k->out,
		 "clocks disagree: %u %s not fit into the caller's time, by ",
		 f->count, f->count == 1 ? "call does" : "calls do");
	add_duration(k, f->other_ns);
	if (f->other_ns != f->time_ns) {
		add_text(k, " to ");
		add_duration(k, f->time_ns);
	}
	buf_addf(k->out, "; %u %s moved for the critical path only",
		 f->moved_count, f->moved_count == 1 ? "span" : "spans");
}

static void report_whole_starts(const struct telling *k)
{
	const struct finding_facts *f = k->f;

	buf_addf(k->out,
		 "starts are whole milliseconds: %u %s moved by up to ",
		 f->count, f->count == 1 ? "span was" : "spans were");
	add_duration(k, f->time_ns);
	add_text(k, ", to after spans that had ended before");
}

/* Returns the words for kinds that can be too many to list each. */
static const char *rest_words(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_N_PLUS_ONE:
		return "loops of calls";
	case FINDING_RETRY:
		return "retried calls";
	case FINDING_SLOW_QUERY:
		return "slow queries";
	case FINDING_QUEUE_GAP:
		return "calls that waited for their callee";
	case FINDING_ERROR:
		return "kinds of errors";
	case FINDING_MESSAGE_DELAY:
		return "kinds of delayed messages";
	default:
		return "of this kind";
	}
}

static void finding_describe(const struct telling *k)
{
	static void (*const tellers[FINDING_KINDS])(const struct telling *) = {
		[FINDING_N_PLUS_ONE] = report_loop,
		[FINDING_RETRY] = report_retry,
		[FINDING_SLOW_SHARD] = report_slow_shard,
		[FINDING_FAN_OUT] = report_fan_out,
		[FINDING_COLD_CALL] = report_cold_call,
		[FINDING_SLOW_QUERY] = report_slow_query,
		[FINDING_CONSECUTIVE] = report_consecutive,
		[FINDING_QUEUE_GAP] = report_queue_gap,
		[FINDING_GAP] = report_gap,
		[FINDING_ERROR] = report_error,
		[FINDING_MESSAGE_DELAY] = report_message_delay,
		[FINDING_ASYNC_WORK] = report_async_work,
		[FINDING_OTHER_ROOTS] = report_other_roots,
		[FINDING_AWAITED_JOB] = report_awaited_job,
		[FINDING_SESSION] = report_session,
		[FINDING_CLOCK_SKEW] = report_clock_skew,
		[FINDING_WHOLE_STARTS] = report_whole_starts,
	};

	if (k->f->more_count)
		buf_addf(k->out, "%zu more %s", k->f->more_count,
			 rest_words(k->f->kind));
	else
		tellers[k->f->kind](k);
}

bool finding_texts_write(const struct calls *calls, struct result *result,
			 struct error *err)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	for (size_t i = 0; i < result->finding_count; i++) {
		struct trace_finding *f = &result->findings[i];
		const struct telling k = { calls, calls->t, &f->facts, &text };

		finding_describe(&k);
		if (!wording_take(&text, &result->arena, &f->text, err))
			return false;
	}
	return true;
}

/* The oddities of a trace as it came, in notes: spans without an end, of other
 * traces, at impossible times. */

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
	note_count(notes, odd->details_over_count,
		   "1 event, link or attribute past the 40,000th of its span "
		   "was left out",
		   "events, links and attributes past the 40,000th of their "
		   "span were left out");
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
	if (t->orphan_count > odd->adopted_count && t->root_count == 1)
		notes_add(notes, "the caller of the root span sent no spans "
				 "(browser or load generator?)");
	else
		note_count(
			notes, t->orphan_count - odd->adopted_count,
			"1 span names a parent that is not in the trace "
			"(incomplete trace?)",
			"spans name a parent that is not in the trace (incomplete "
			"trace?)");
	note_count(notes, odd->adopted_count,
		   "1 span names a parent that is not in the trace; it counts "
		   "below the span whose unexplained time it fills",
		   "spans name a parent that is not in the trace; they count "
		   "below the spans whose unexplained time they fill");
	note_count(notes, odd->cycle_count,
		   "1 span had a parent chain that forms a cycle; it was cut",
		   "spans had parent chains that form a cycle; they were cut");
	note_count(notes, odd->outside_count,
		   "1 span starts or ends outside its parent's time (clock "
		   "skew?)",
		   "spans start or end outside their parent's time (clock "
		   "skew?)");
	note_count(notes, odd->abandoned_count,
		   "1 span went on after its caller had failed",
		   "spans went on after their callers had failed");
}

void trace_notes_add(const struct trace *t, struct notes *notes)
{
	note_input(t, notes);
	note_repairs(t, notes);
}
