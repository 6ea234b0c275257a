/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of the answer of `slow`: a line, five lines of evidence, the functions.
 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "render/render.h"
#include "render/units.h"

/* A path longer than both ends together is cut in the middle. */
#define PATH_HEAD 3u
#define PATH_TAIL 6u
#define PATH_SHORT_HEAD 1u
#define PATH_SHORT_TAIL 2u

/* A short answer includes the share of the critical path if it is below this,
 * so that the span is not the whole problem. */
#define SHARE_OF_WHOLE 0.75

/* Digits shown of a hash; git shows at least seven. */
#define HASH_DIGITS 10u

static const char *const confidence_words[] = {
	[CONFIDENCE_WEAK] = "weak",
	[CONFIDENCE_FAIR] = "fair",
	[CONFIDENCE_STRONG] = "strong",
};

/* Used if the analysis found a cause but no text for it. */
static const char *const cause_words[] = {
	[CAUSE_UNKNOWN] = "unknown: the evidence does not show it",
	[CAUSE_CPU] = "its code computes",
	[CAUSE_ALLOC] = "allocation or garbage collection",
	[CAUSE_LOCK] = "it waits for a lock",
	[CAUSE_WAIT] = "not CPU: it waits (I/O, sleep, queue or pool)",
	[CAUSE_DOWNSTREAM] = "it waits for something downstream",
	[CAUSE_N_PLUS_ONE] = "N+1: many small calls, one after another",
	[CAUSE_NETWORK] = "the network between two services",
	[CAUSE_QUEUE] = "the message waited in the queue",
	[CAUSE_CONTENTION] = "CPU starvation",
};

static void evidence_flush(struct page *p, const char *label)
{
	page_flush(p, PAINT_NONE, label, EVIDENCE_COLUMNS);
}

/* Ends a line of evidence that another follows; a short answer continues on the
 * same line. */
static void next_clause(struct page *p, const char *label)
{
	if (p->style.is_short)
		page_text(p, "; ");
	else
		evidence_flush(p, label);
}

static void add_duration(struct page *p, int64_t duration_ns)
{
	char text[UNIT_TEXT_BYTES];

	format_duration(duration_ns, text);
	page_number(p, text);
}

static bool is_loop(const struct result *r)
{
	return r->has_cause && r->cause.kind == CAUSE_N_PLUS_ONE;
}

static bool is_queue(const struct result *r)
{
	return r->has_cause && r->cause.kind == CAUSE_QUEUE;
}

/* " took 612 ms, normally 48 ms". For repeated calls the cause has their total,
 * since the span is one of them. */
static void times_text(const struct result *r, char *out, size_t size)
{
	const struct guilty_span *span = &r->span;
	char took[UNIT_TEXT_BYTES];
	char typical[UNIT_TEXT_BYTES] = "";
	char calls[UNIT_TEXT_BYTES] = "";

	format_duration(span->duration_ns, took);
	if (span->typical_ns >= 0 && !span->is_as_ever)
		format_duration(span->typical_ns, typical);
	if (span->count > 1 && !is_loop(r))
		snprintf(calls, sizeof calls, " in %u calls",
			 (unsigned)span->count);
	snprintf(out, size, " took %s%s%s%s", took, calls,
		 *typical ? ", normally " : "", typical);
}

void slow_answer(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;
	const struct guilty_span *span = &r->span;
	char times[160];

	if (!r->has_span) {
		page_text(p, "no span to blame was found");
		page_flush(p, PAINT_BOLD, "", 0);
		return;
	}
	if (is_queue(r)) {
		char took[UNIT_TEXT_BYTES];
		char typical[UNIT_TEXT_BYTES] = "";

		/* " waited 8.2 s in its queue, normally 12 ms". */
		format_duration(r->cause.queue.wait_ns, took);
		if (r->cause.queue.typical_ns >= 0)
			format_duration(r->cause.queue.typical_ns, typical);
		snprintf(times, sizeof times, " waited %s in its queue%s%s",
			 took, *typical ? ", normally " : "", typical);
	} else {
		times_text(r, times, sizeof times);
	}
	page_name(p, span->service, 0);
	page_text(p, " ");
	page_name(p, span->name, 0);
	page_text(p, times);
	if (span->typical_like.len && !span->is_as_ever) {
		page_text(p, " ");
		page_sentence(p, span->typical_like);
	}
	if (r->has_cause && r->cause.headline.len) {
		page_text(p, ": ");
		page_sentence(p, r->cause.headline);
	}
	page_flush(p, PAINT_BOLD, "", 0);
}

static void add_path(struct page *p, const struct guilty_span *span)
{
	size_t head = p->style.is_short ? PATH_SHORT_HEAD : PATH_HEAD;
	size_t tail = p->style.is_short ? PATH_SHORT_TAIL : PATH_TAIL;
	bool is_long = span->path_count > head + tail + 1;

	for (size_t i = 0; i < span->path_count; i++) {
		if (i)
			page_text(p, " > ");
		if (is_long && i == head) {
			i = span->path_count - tail;
			page_textf(p, "(%zu spans) > ",
				   i - head + span->path_left_out -
					   (span->path_left_out > 0));
		}
		page_name(p, span->path[i], 0);
	}
}

static void write_where(struct page *p, const struct result *r)
{
	const struct guilty_span *span = &r->span;
	char phrase[UNIT_TEXT_BYTES + sizeof " self time"];
	char self[UNIT_TEXT_BYTES];
	bool has_share = span->share > 0 && !(p->style.is_short &&
					      span->share >= SHARE_OF_WHOLE);
	bool has_self;

	/* The cause may begin with it: "208 ms self time on the critical
	 * path". */
	format_duration(span->self_ns, self);
	snprintf(phrase, sizeof phrase, "%s self time", self);
	has_self = !is_loop(r) && !str_starts(span->why, str_from(phrase));
	add_path(p, span);
	if (is_queue(r) || (!has_self && !has_share)) {
		evidence_flush(p, "  where");
		return;
	}
	next_clause(p, "  where");
	if (has_share) {
		char text[UNIT_TEXT_BYTES];

		format_share(span->share, text);
		page_number(p, text);
		page_text(p, span->is_of_part
				     ? " of the critical path of that part of "
				       "the trace"
				     : " of the critical path");
	}
	if (is_loop(r) && !p->style.is_short) {
		page_text(p, ", its repeated calls included");
	} else if (has_self) {
		page_text(p, has_share ? "; " : "");
		add_duration(p, span->self_ns);
		page_text(p, " self time");
	}
	evidence_flush(p, p->style.is_short ? "  where" : "");
}

static bool is_end_of_clause(struct str text, size_t at)
{
	return at == text.len ||
	       (at + 2 < text.len && text.ptr[at] == ';' &&
		text.ptr[at + 1] == ' ');
}

/* Returns the part of the cause's text that is not in the preceding clauses,
 * which may have more details: "a call to x, up 100 ms". */
static struct str after_why(struct str text, struct str why)
{
	size_t told = 0;

	for (size_t i = 0; i <= text.len && i <= why.len; i++) {
		bool is_more = i + 2 < why.len && why.ptr[i] == ',' &&
			       why.ptr[i + 1] == ' ';

		if (is_end_of_clause(text, i) &&
		    (is_more || is_end_of_clause(why, i)))
			told = i == text.len ? i : i + 2;
		if (i == text.len || i == why.len || text.ptr[i] != why.ptr[i])
			break;
	}
	return (struct str){ text.ptr + told, text.len - told };
}

/* Writes why this span, then the cause of its time; on one line if they are the
 * same. */
static void write_why(struct page *p, const struct result *r)
{
	struct str why = r->span.why, text = { NULL, 0 };

	/* When waiting for others, CPU time is not needed on a screen. */
	if (!p->style.is_short || !why.len || r->is_healthy || !r->has_cause ||
	    (r->cause.kind != CAUSE_DOWNSTREAM &&
	     r->cause.kind != CAUSE_NETWORK)) {
		if (r->has_cause && r->cause.text.len)
			text = after_why(r->cause.text, why);
		else if (!why.len ||
			 (r->has_cause && r->cause.kind != CAUSE_UNKNOWN))
			text = str_from(cause_words[r->has_cause
							    ? r->cause.kind
							    : CAUSE_UNKNOWN]);
	}
	page_sentence(p, why);
	if (why.len && text.len)
		next_clause(p, "  cause");
	page_sentence(p, text);
	evidence_flush(p, !why.len || !text.len || p->style.is_short ? "  cause"
								     : "");
}

/* "15.3 ms on CPU (1.13 -> 16.4 ms)". */
static void add_part(struct page *p, const struct excess_part *part)
{
	static const char *const words[EXCESS_KINDS] = {
		[EXCESS_CPU] = " on CPU",
		[EXCESS_ALLOC] = " allocating and collecting garbage",
		[EXCESS_BLOCKED] = " blocked",
		[EXCESS_QUEUE] = " in the queue",
		[EXCESS_CALL] = " in calls",
		[EXCESS_REST] = " unattributed",
	};

	add_duration(p, part->ns);
	page_text(p, words[part->kind]);
	if (part->name.len) {
		page_text(p, " in ");
		page_name(p, part->name, 0);
	}
	if (part->now_ns < 0)
		return;
	page_text(p, " (");
	add_duration(p, part->now_ns);
	page_text(p, ", normally ");
	add_duration(p, part->before_ns);
	page_text(p, ")");
}

/* Maximum number of operations named, and minimum part of the total for each;
 * the rest is summed up. */
#define ACCOUNT_NAMED 3u
#define ACCOUNT_NAMED_PART 20

/* If one operation has all but this part, the facts on its span suffice; on a
 * screen, if it has half. */
#define ACCOUNT_REST_PART 20
#define ACCOUNT_SHORT_PART 2

static void add_account_row(struct page *p, const struct account_row *row)
{
	static const char *const whys[ACCOUNT_WHYS] = {
		[ACCOUNT_SLOWER] = "",
		[ACCOUNT_MORE_CALLS] = ", more calls",
		[ACCOUNT_LESS_OVERLAP] = ", calls one after another",
		[ACCOUNT_NEW] = ", new",
		[ACCOUNT_GONE] = ", gone",
	};

	add_duration(p, row->change_ns);
	page_text(p, " ");
	page_name(p, row->service, 0);
	page_text(p, " ");
	page_name(p, row->name, 0);
	page_text(p, whys[row->why]);
}

/* Breakdown of the whole request, which includes the span. */
static void write_account(struct page *p, const struct result *r)
{
	const struct account_info *a = r->account;
	int64_t grown_ns, left_ns;
	int64_t rest_part = p->style.is_short ? ACCOUNT_SHORT_PART
					      : ACCOUNT_REST_PART;
	size_t named = 0;

	if (!a || r->is_healthy || !r->has_cause || a->now_ns <= a->before_ns)
		return;
	grown_ns = left_ns = a->now_ns - a->before_ns;
	if (!a->count || a->rows[0].change_ns >=
				 grown_ns - grown_ns / rest_part)
		return;
	page_text(p, "up ");
	add_duration(p, grown_ns);
	for (; named < a->count && named < ACCOUNT_NAMED &&
	       a->rows[named].change_ns >= grown_ns / ACCOUNT_NAMED_PART;
	     named++) {
		page_text(p, named ? "; " : ": ");
		add_account_row(p, &a->rows[named]);
		left_ns -= a->rows[named].change_ns;
	}
	if (named < a->count) {
		page_text(p, named ? "; " : ": ");
		add_duration(p, left_ns);
		page_textf(p, " in %zu more", a->count - named);
	}
	evidence_flush(p, "  request");
}

/* A smaller part would not be visible. */
#define EXCESS_ALONE_PART 1000

/* Breakdown of a request's extra time; a single part is in the cause
 * already. */
static void write_excess(struct page *p, const struct result *r)
{
	const struct excess *x = &r->cause.excess;

	if (!r->has_cause || x->count < 2 || p->style.is_short)
		return;
	add_duration(p, x->span_ns);
	if (x->span_ns - x->total_ns > x->span_ns / EXCESS_ALONE_PART) {
		page_text(p, ", similar requests by ");
		add_duration(p, x->total_ns);
		page_text(p, " on average");
	}
	for (size_t i = 0; i < x->count; i++) {
		page_text(p, i ? ", " : ": ");
		add_part(p, &x->parts[i]);
	}
	evidence_flush(p, "  grew by");
}

/* Appends the basis of a value above the request's duration: the sum of its
 * threads, or everything in the service divided by requests with a trace. */
static bool add_sum(struct page *p, const struct result *r,
		    const struct function_row *row)
{
	double ns = scale_exact(r, row_value(row, row_measure(r, row)), false);
	/* Wait profiles of Go are not by thread. */
	bool is_of_goroutines = str_starts(r->profile.type, STR("block:")) ||
				str_starts(r->profile.type, STR("mutex:"));
	char took[UNIT_TEXT_BYTES];

	if (!r->has_span || r->normalize != NORMALIZE_REQUEST ||
	    !str_equal(r->profile.unit, STR("nanoseconds")) ||
	    ns <= (double)r->span.duration_ns)
		return false;
	format_duration(r->span.duration_ns, took);
	if (r->profile.scope != SCOPE_SPAN && r->profile.scope != SCOPE_COHORT)
		page_text(p, " (the whole service, per traced request");
	else if (is_of_goroutines)
		page_text(p, " (summed over goroutines");
	else
		page_text(p, " (summed over threads");
	if (!p->style.is_short) {
		page_text(p, "; the request took ");
		page_number(p, took);
	}
	page_text(p, ")");
	return true;
}

/* Appends the row's values: "322 ms of CPU per request (was 5.3 ms)". */
static void add_values(struct page *p, const struct result *r,
		       const struct function_row *row)
{
	enum rank_by measure = row_measure(r, row);
	char now[UNIT_TEXT_BYTES], before[UNIT_TEXT_BYTES];
	char of[2 * UNIT_TEXT_BYTES], least[UNIT_TEXT_BYTES];
	bool is_sum;

	scale_measure(r, of);
	scale_say(r, row_value(row, measure), false, now);
	page_number(p, now);
	page_textf(p, " of %s", of);
	is_sum = add_sum(p, r, row);
	if (!r->has_baseline)
		return;
	if (row_before(row, measure) > 0) {
		scale_say(r, row_before(row, measure), true, before);
		page_text(p, is_sum ? ", was " : " (was ");
		page_number(p, before);
		page_text(p, is_sum ? "" : ")");
	} else {
		page_text(p, is_sum ? ", was 0" : " (was 0)");
	}
	if (row->change == CHANGE_NOISE)
		page_text(p, "; may be noise");
	else if (row->is_with_all)
		page_text(p, "; grew as much as all others");
	else if (row->change == CHANGE_SAME)
		page_text(p, ": no change");
	else if (row->change == CHANGE_UNSEEN)
		page_text(p, ": no change detected");
	if (row->change == CHANGE_UNSEEN && row->detectable > 0) {
		format_percent(row->detectable, least);
		page_text(p, " (detectable: ");
		page_number(p, least);
		page_text(p, " or more)");
	}
}

/* Returns the first row if it grew. If none did, the largest: it shows where
 * time is spent, and the text says that it did not change. */
static const struct function_row *leading_row(const struct result *r)
{
	const struct function_row *rows = result_verdict(r);
	const struct function_row *lead = &rows[0];

	if (!r->has_baseline || change_is_up(lead->change))
		return lead;
	for (size_t i = 1; i < result_verdict_count(r); i++) {
		const struct function_row *row = &rows[i];

		if (row->self_lib > lead->self_lib ||
		    (row->self_lib >= lead->self_lib &&
		     row->total > lead->total))
			lead = row;
	}
	return lead;
}

static void write_function(struct page *p, const struct result *r)
{
	const struct function_row *row = leading_row(r);
	const char *label = "  function";
	bool is_grown = !r->has_baseline || change_is_up(row->change);

	/* Only callers are left: main() and the like. */
	if (!is_grown && row->self_lib <= 0) {
		page_text(p, "no function clearly grew");
		evidence_flush(p, label);
		return;
	}
	if (!is_grown) {
		page_text(p, "no function clearly grew; the most is in");
		evidence_flush(p, label);
		label = "";
	}
	page_name(p, row->name, 0);
	if (row->file.len) {
		page_text(p, "   ");
		page_place_text(p, row->file, row->line);
	}
	next_clause(p, label);
	add_values(p, r, row);
	row_replaced(p, r, row);
	if (row->leaf.len && !p->style.is_short) {
		page_text(p, "; hottest callee: ");
		page_name(p, row->leaf, 0);
	}
	evidence_flush(p, p->style.is_short ? label : "");
}

struct str missing_profile(const struct result *r)
{
	for (size_t i = 0; i < r->notes.count; i++) {
		struct str note = str_from(r->notes.text[i]);

		if (!r->has_profile && str_starts(note, STR("no profile")))
			return note;
	}
	return (struct str){ NULL, 0 };
}

/* "3f2a1bc94e 2026-11-21 load preferences with each user". */
void evidence_commits(struct page *p, const struct result *r)
{
	for (size_t i = 0; i < r->commit_count; i++) {
		const struct commit *c = &r->commits[i];
		struct page_time time;

		page_time(p, c->time_ns, c->time_ns, &time);
		page_name(p, str_slice(c->hash, 0, HASH_DIGITS), 0);
		page_textf(p, " %s%s", time.date, c->subject.len ? " " : "");
		page_foreign(p, c->subject);
		evidence_flush(p, i ? "" : "  commits");
	}
}

static void write_code(struct page *p, const struct result *r)
{
	struct str missing = missing_profile(r);

	if (r->has_profile && result_verdict_count(r)) {
		if (!r->is_healthy)
			write_function(p, r);
		return;
	}
	if (missing.len)
		page_sentence(p, missing);
	else if (!r->has_profile && (r->cause.kind == CAUSE_NETWORK ||
				     r->cause.kind == CAUSE_CONTENTION))
		page_text(p, "none: the time is not in code");
	else if (!r->has_profile && r->cause.kind == CAUSE_WAIT)
		page_text(p, "none: no profile of the service shows the wait");
	else if (!r->has_profile && r->cause.kind == CAUSE_DOWNSTREAM)
		page_text(p, "none: the service waits for its callees");
	else if (!r->has_profile)
		page_text(p, "no profile for this service");
	else if (r->noise_count)
		page_textf(p,
			   "no change: the differences of %zu functions are "
			   "within noise",
			   r->noise_count);
	else if (r->has_baseline)
		page_text(p, "no change");
	else
		page_text(p, profile_without_rows(r));
	evidence_flush(p, "  function");
}

/* Appends the window and extent of a side, since shares of 3 and of 18,000
 * samples are not comparable. */
static void add_side(struct page *p, const struct extent *extent,
		     int64_t day_ns)
{
	page_window(p, extent->range, day_ns);
	page_text(p, extent->range.to_ns ? ", " : "");
	page_extent(p, extent);
}

static void add_health(struct page *p, const struct baseline_info *b)
{
	if (b->healthy < 0)
		page_text(p, ": health not checked");
	else
		page_text(p, b->healthy ? ": healthy" : ": not healthy");
	if (b->text.len && !str_equal(b->text, b->kind) &&
	    !(p->style.is_short && b->is_text_plain)) {
		page_text(p, ", ");
		page_sentence(p, b->text);
	}
}

/* "2026-11-21 10:09-10:17 UTC, with 09:57-10:07 UTC: healthy". */
static void write_windows(struct page *p, const struct result *r)
{
	const struct time_range slow = r->profile.range;
	const struct baseline_info *b = &r->baseline;
	bool is_same = slow.from_ns == b->range.from_ns &&
		       slow.to_ns == b->range.to_ns;

	page_window(p, slow, 0);
	page_text(p, slow.to_ns ? ", with " : "with ");
	if (is_same && b->healthy > 0 && b->text.len) {
		page_sentence(p, b->text);
	} else {
		if (b->range.to_ns)
			page_window(p, b->range, slow.from_ns);
		else
			page_foreign(p, b->kind);
		add_health(p, b);
	}
	evidence_flush(p, "  compared");
}

static void write_compared(struct page *p, const struct result *r)
{
	const struct profile_info *profile = &r->profile;
	const struct baseline_info *b = &r->baseline;
	struct extent slow = { profile->range, profile->samples,
			       profile->instances, profile->requests,
			       profile->is_requests_sampled };
	struct extent base = { b->range, b->samples, b->instances, b->requests,
			       b->is_requests_sampled };

	if (!r->has_profile)
		return;
	if (p->style.is_short && r->has_baseline) {
		write_windows(p, r);
		return;
	}
	/* With dates, since an answer may be pasted elsewhere. */
	add_side(p, &slow, 0);
	if (!r->has_baseline) {
		page_text(p, "; no baseline: profile without a comparison");
		evidence_flush(p, "  compared");
		return;
	}
	page_text(p, ", with");
	evidence_flush(p, "  compared");
	/* Not for the preceding window, or one chosen by the user. */
	for (enum request_role i = REQUESTS_THIRD_HOUR; i < REQUEST_ROLES; i++)
		if (str_equal(b->kind, str_from(request_role_name(i))))
			page_textf(p, "%s, ", request_role_words(i));
	if (!b->range.from_ns && !b->range.to_ns) {
		page_foreign(p, b->kind);
		if (base.samples >= 0 || base.instances || base.requests > 0)
			page_text(p, ", ");
	}
	add_side(p, &base, profile->range.from_ns);
	add_health(p, b);
	evidence_flush(p, "");
}

/* From this part on all are affected, which a short answer omits. */
#define AFFECTED_ALL_PERCENT 90u

/* "51 % of GET /cart, 119 of 232; callers: auth, web". */
static void write_affected(struct page *p, const struct result *r)
{
	const struct affected_info *x = &r->affected;
	char slow[COUNT_TEXT_BYTES], all[COUNT_TEXT_BYTES];
	char percent[UNIT_TEXT_BYTES];

	if (!x->requests ||
	    (p->style.is_short && !x->other_count &&
	     x->slow >= x->requests * (uint64_t)AFFECTED_ALL_PERCENT / 100))
		return;
	format_count(x->slow, slow);
	format_count(x->requests, all);
	format_percent((double)x->slow / x->requests, percent);
	page_number(p, percent);
	page_text(p, " of ");
	page_name(p, r->history->name, 0);
	page_textf(p, ", %s of %s%s", slow, all,
		   x->is_sample ? " sampled" : "");
	for (size_t i = 0; i < x->caller_count; i++) {
		page_text(p, i ? ", " : "; callers: ");
		page_name(p, x->callers[i], 0);
	}
	for (size_t i = 0; i < x->other_count; i++) {
		page_text(p, i ? ", " : "; also slow in: ");
		page_name(p, x->others[i].service, 0);
		page_text(p, " ");
		page_name(p, x->others[i].name, 0);
	}
	evidence_flush(p, "  affected");
}

void slow_evidence(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;
	size_t count = r->contrast_count;
	const struct contrast_row *c = r->contrasts;

	if (r->has_span)
		write_where(p, r);
	write_code(p, r);
	evidence_commits(p, r);
	if (r->has_span || r->has_cause)
		write_why(p, r);
	write_account(p, r);
	write_excess(p, r);
	/* A short one has the first, unless that is the version which the first
	 * line and the action mention, and everything slow has it. */
	if (p->style.is_short && count)
		count = !(c->value.len && c->slow_with == c->slow_count &&
			  !c->fast_with &&
			  str_equal(c->key, STR("service.version")) &&
			  str_equal(c->value, r->since_version));
	for (size_t i = 0; i < count; i++) {
		page_sentence(p, r->contrasts[i].text);
		evidence_flush(p, i ? "" : "  attributes");
	}
	write_affected(p, r);
	write_compared(p, r);
	if (r->has_cause) {
		page_text(p, confidence_words[r->cause.confidence]);
		if (r->cause.confidence_text.len) {
			page_text(p, ": ");
			page_sentence(p, r->cause.confidence_text);
		}
		evidence_flush(p, "  confidence");
	}
}

void report_slow(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;

	p->style.is_short = !r->shows_reasons && !p->style.is_markdown;
	slow_answer(p, in);
	out_char(p->out, '\n');
	slow_evidence(p, in);
	if (r->function_count && !p->style.is_quiet) {
		out_char(p->out, '\n');
		table_functions(p, r);
	}
	report_tail(p, r, r->span.why, missing_profile(r));
}
