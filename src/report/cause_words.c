/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "investigate/profile_inquiry.h"
#include "render/units.h"

/* How sure an answer is, in words: what it rests on and what it lacks. */

void confidence_report_basis(const struct result *result, struct buf *out)
{
	static const char *const scope_words[] = {
		[SCOPE_SERVICE] = "profile of the whole service",
		[SCOPE_INSTANCE] = "profile of one instance",
		[SCOPE_COHORT] = "samples of the slow requests themselves",
		[SCOPE_SPAN] = "samples of this request",
	};

	/* Of a queue profiles only show who is behind. */
	if (result->cause.kind == CAUSE_QUEUE) {
		char count[COUNT_TEXT_BYTES];

		buf_add_text(out, "the trace");
		if (result->cause.queue.typical_count) {
			format_count(result->cause.queue.typical_count, count);
			buf_addf(out, " and the waits of %s earlier messages",
				 count);
		}
		return;
	}
	if (!result->has_profile) {
		buf_add_text(out, "the trace");
		return;
	}
	buf_add_text(out, scope_words[result->profile.scope]);
	wording_add_samples(out, result,
			    result->profile.scope == SCOPE_COHORT ||
				    result->profile.scope == SCOPE_SPAN);
}

void confidence_report_weaknesses(const struct confidence_rating *rating,
				  struct buf *out)
{
	static const char *const words[WEAKNESSES] = {
		[WEAKNESS_NO_PROFILE] = "no profile",
		[WEAKNESS_OTHER_TIME] = "profile from another time than the "
					"trace",
		[WEAKNESS_TIME_UNKNOWN] = "profile time unknown",
		[WEAKNESS_NO_BASELINE] = "no baseline",
		[WEAKNESS_NOTHING_GREW] = "no function clearly grew",
		[WEAKNESS_NOT_TESTED] =
			"significance not tested",
		/* What the profile is of has been told. */
		[WEAKNESS_WHOLE_SERVICE] = NULL,
		[WEAKNESS_FEW_SAMPLES] = "few samples",
		[WEAKNESS_NEAR_NOISE] = "not far from noise",
		[WEAKNESS_CLOSE_SECOND] =
			"another function grew nearly as much",
		[WEAKNESS_PARTLY_CPU] =
			"CPU is less than half of the growth",
		[WEAKNESS_NO_HISTORY] = "no history of the operation",
		[WEAKNESS_HEALTHY_OPERATION] =
			"the operation is no slower than normal",
		[WEAKNESS_BASELINE_UNCHECKED] =
			"baseline not checked for health",
		[WEAKNESS_BASELINE_UNHEALTHY] = "baseline not healthy",
		[WEAKNESS_CLOSE_SPAN] = "another span is nearly as long",
		[WEAKNESS_ALONE] = "seen in this request only",
		[WEAKNESS_MAY_BE_CHANCE] =
			"the number of slow requests may be chance",
		[WEAKNESS_ONE_OPERATION] = "seen in this operation only",
		[WEAKNESS_PARTIAL_TRACE] = "the trace is incomplete",
	};

	for (size_t i = 0; i < rating->weakness_count; i++)
		if (words[rating->weaknesses[i]])
			buf_addf(out, ", %s", words[rating->weaknesses[i]]);
}

bool confidence_report_gaps(struct result *result, struct error *err)
{
	struct cause *c = &result->cause;
	struct buf text;

	if (!result->has_cause)
		return true;
	if (c->confidence != CONFIDENCE_WEAK)
		c->confidence = (enum confidence)(c->confidence - 1);
	buf_init(&text, LIMIT_ERROR_BYTES);
	buf_add_str(&text, c->confidence_text);
	buf_add_text(&text, ", some queries failed");
	return wording_take(&text, &result->arena, &c->confidence_text, err);
}

/* The first row's growth against that of the second. */
#define CLOSE_SECOND 0.67

const char *wait_type_words(enum wait_type type)
{
	switch (type) {
	case WAIT_MUTEX:
		return "mutex";
	case WAIT_BLOCK:
		return "block";
	case WAIT_NEIGHBOUR:
		return "CPU of the whole service";
	case WAIT_WALL:
		return "wall";
	case WAIT_OFF_CPU:
		return "off-CPU";
	case WAIT_GOROUTINE:
		return "goroutine";
	case WAIT_TYPES:
		break;
	}
	return "none";
}

static void healthy_tell(const struct symptom *s, struct buf *out)
{
	/* That it grew has been told: of the others it is denied. */
	buf_add_text(out, s->is_exception ? "this request alone, others are no "
					    "slower than normal: "
					  : "no regression: ");
	if (s->usual)
		contrast_tell_usual(s, s->usual, out);
	else
		cohorts_tell(s->cohorts, out);
}

static const struct function_row *row_leading(const struct profile_inquiry *q)
{
	const struct result *r = q->v->result;

	return r->has_profile && r->function_count ? &r->functions[0] : NULL;
}

static bool is_up(const struct function_row *row)
{
	return row && change_is_up(row->change);
}

static void add_name(struct buf *out, struct str name)
{
	buf_add(out, name.ptr, name.len);
}

/* "82 ms of 84 ms were on CPU", of this request or of those like it. More of
 * it than its own time is no part of that: both are told for what they are. */
static void add_on_cpu(const struct profile_inquiry *q, struct buf *out)
{
	const struct cpu_measure *m = &q->cpu;
	bool is_more = m->slow_ns > m->own_ns;
	size_t count = q->s->slow_id_count;

	wording_add_ns(out, m->slow_ns);
	if (!is_more) {
		buf_add_text(out, " of ");
		wording_add_ns(out, m->own_ns);
	}
	buf_add_text(out, " were on CPU");
	if (count > 1)
		buf_addf(out, " (mean of %zu slow requests", count);
	if (is_more) {
		buf_add_text(out, count > 1 ? "; this one has " : " (it has ");
		wording_add_ns(out, m->own_ns);
		buf_add_text(out, " self time");
	}
	if (is_more && count <= 1)
		buf_add_text(out, ": several threads, or work while it waited");
	if (count > 1 || is_more)
		buf_add_char(out, ')');
	if (!isnan(m->base_ns)) {
		buf_add_text(out, q->s->is_base_fast ? ", of the fast ones "
						     : ", baseline ");
		wording_add_ns(out, m->base_ns);
	}
}

static void add_cpu(const struct profile_inquiry *q, struct buf *out)
{
	if (q->cpu_verdict == CPU_UNKNOWN)
		return;
	buf_add_text(out, "; ");
	add_on_cpu(q, out);
}

/* The share of wall clock time that an event loop is busy, or idle. */
static void report_busy(const struct profile_inquiry *q, struct buf *out)
{
	const struct wait_measure *m = q->lead;

	if (!m)
		m = &q->measures[WAIT_NEIGHBOUR];
	buf_add_text(out, "computing in the event loop: the busy time of ");
	add_name(out, m->name);
	if (m->before > 0 && m->change / m->before < 100)
		buf_addf(out, " is %.1fx its baseline",
			 1 + m->change / m->before);
	else
		buf_add_text(out, " is new");
	buf_add_text(out, "; no samples have this request's id");
}

/* "computes 14 times as much, and waits for a processor" */
static void report_starved(const struct profile_inquiry *q, struct buf *out)
{
	const struct cpu_measure *m = &q->cpu;

	if (m->base_ns > 0 && m->slow_ns / m->base_ns < 1000)
		buf_addf(out, "computes %.*f times as much",
			 m->slow_ns / m->base_ns < 9.95,
			 m->slow_ns / m->base_ns);
	else
		buf_add_text(out, "computes (it did not in the baseline)");
	buf_add_text(out, ", and waits for a CPU: ");
	add_on_cpu(q, out);
	buf_add_text(out, "; ");
	wording_add_ns(out, m->change_ns - (m->slow_ns - m->base_ns) -
				    inquiry_blocked_ns(q));
	buf_add_text(out, " more is unattributed");
}

static void report_cpu(const struct profile_inquiry *q, struct buf *out)
{
	const struct comparison *c = &q->service_cpu;

	if (q->is_starved) {
		report_starved(q, out);
		return;
	}
	/* As slow as it always is, and on CPU. */
	if (q->s->is_healthy && !q->lead) {
		healthy_tell(q->s, out);
		buf_add_text(out, "; computing: ");
		add_on_cpu(q, out);
		return;
	}
	buf_add_text(out, "computing: ");
	if (q->cpu_verdict != CPU_UNKNOWN) {
		add_on_cpu(q, out);
		return;
	}
	if (q->is_wall_cpu) {
		report_busy(q, out);
		return;
	}
	if (c->scope == SCOPE_INSTANCE)
		buf_addf(out, "the instance used %.2f cores, the others %.2f%s",
			 comparison_cores(&c->slow), comparison_cores(&c->base),
			 c->base.instances > 1 ? " each" : "");
	else
		buf_addf(out, "CPU of the service went from %.2f to %.2f cores",
			 comparison_cores(&c->base),
			 comparison_cores(&c->slow));
	buf_add_text(out, "; no samples have this request's id");
}

static void add_bytes(struct buf *out, int64_t bytes)
{
	char text[UNIT_TEXT_BYTES];

	format_size(bytes, text);
	buf_add_text(out, text);
}

/* The memory in use, where it is known of both windows. */
static void add_heap(const struct profile_inquiry *q, struct buf *out)
{
	const struct profile *now = &q->heap.slow.profile;
	const struct profile *before = &q->heap.base.profile;

	if (!now->total || !before->total)
		return;
	buf_add_text(out, "; heap in use ");
	add_bytes(out, now->total);
	buf_add_text(out, ", ");
	add_bytes(out, before->total);
	buf_add_text(out, " before");
	if (q->lead != &q->heap_lead)
		return;
	buf_add_text(out, ", most of it kept by ");
	add_name(out, q->heap_lead.name);
}

/* Which of all the service's CPU. */
static void report_gc_pause(const struct profile_inquiry *q, struct buf *out)
{
	const struct wait_measure *m = &q->alloc_lead;

	buf_add_text(out, "garbage collection: ");
	buf_addf(out, "%.0f %% of the CPU of ", 100 * q->gc_now);
	add_name(out, q->s->service);
	buf_addf(out, ", up from %.*f %%", 100 * q->gc_before < 9.95,
		 100 * q->gc_before);
	if (q->lead == m) {
		buf_add_text(out, "; ");
		add_name(out, m->name);
		if (m->before > 0 && m->change / m->before < 100)
			buf_addf(out, " allocates %.1f times as much",
				 1 + m->change / m->before);
		else
			buf_add_text(out,
				     " allocates (it did not in the baseline)");
	}
	add_heap(q, out);
	add_cpu(q, out);
}

static void report_alloc(const struct profile_inquiry *q, struct buf *out)
{
	if (q->is_gc_pause) {
		report_gc_pause(q, out);
		return;
	}
	buf_addf(out,
		 "allocation and garbage collection: %.0f %% of the added CPU "
		 "time",
		 100 * q->gc_share);
	add_heap(q, out);
	add_cpu(q, out);
}

static void report_neighbour(const struct profile_inquiry *q, struct buf *out)
{
	const struct comparison *c = &q->service_cpu;
	const struct function_row *row = row_leading(q);

	buf_add_text(out, q->is_own_cpu ? "computing: " : "not the span's "
							  "CPU: ");
	if (q->cpu_verdict != CPU_UNKNOWN) {
		add_on_cpu(q, out);
		buf_add_text(out, "; ");
	}
	buf_addf(out, "the service's CPU went from %.2f to %.2f cores",
		 comparison_cores(&c->base), comparison_cores(&c->slow));
	if (is_up(row)) {
		buf_add_text(out, ", most of it in ");
		add_name(out, row->name);
	}
}

/* Whose requests keep what others wait for. */
static void add_holder(const struct pool_holder *h, struct buf *out)
{
	if (!h->is_found)
		return;
	buf_addf(out,
		 "; of the time that connections are held %.0f %% go to ",
		 100 * h->share);
	add_name(out, h->request);
	buf_add_text(out, ", mostly in ");
	add_name(out, h->call);
	buf_add_text(out, ": ");
	wording_add_duration(out, h->held_ns);
	buf_add_text(out, " per request");
	if (h->typical_ns < 0)
		return;
	buf_add_text(out, ", normally ");
	wording_add_duration(out, h->typical_ns);
}

static void report_wait_type(const struct profile_inquiry *q, struct buf *out)
{
	const struct wait_measure *m = &q->measures[q->wait];
	const struct function_row *row = row_leading(q);

	/* Profiles of contention in Go have the stacks of those who let go of a
	 * lock that others waited for. */
	if (row && q->wait == WAIT_MUTEX &&
	    (str_ends(row->leaf, STR("Unlock")) ||
	     str_ends(row->leaf, STR("unlock"))))
		buf_add_text(out, "waits for a lock, held in ");
	else if (q->v->result->cause.kind == CAUSE_LOCK)
		buf_add_text(out, "waits for a lock: ");
	else
		buf_add_text(out, "waits: ");
	if (row) {
		add_name(out, row->name);
		buf_addf(out, ", by the %s profile, ",
			 wait_type_words(q->wait));
	}
	if (m->before > 0 && m->change / m->before < 100)
		buf_addf(out, "%.1fx the baseline",
			 1 + m->change / m->before);
	else
		buf_add_text(out, "almost none in the baseline");
	add_holder(&q->holder, out);
	add_cpu(q, out);
}

/* By the trace, and the type that would show more: the reader's next step. */
static void report_wait(const struct profile_inquiry *q, struct buf *out)
{
	bool part = result_blocked_part(q->v->result) != NULL;
	bool has_types = false;
	size_t n = 0;

	if (q->cpu_verdict == CPU_UNKNOWN) {
		buf_add_text(out, "waits, by the trace");
	} else {
		buf_add_text(out, "not CPU: ");
		add_on_cpu(q, out);
	}
	buf_add_text(out, "; ");
	for (int i = 0; i < WAIT_TYPES; i++) {
		has_types |= q->type_ids[i] != NULL;
		if (q->waits[i].is_asked)
			buf_addf(out, "%s%s",
				 n++     ? ", "
				 : part ? "only part of the wait is in "
					: "the wait is not in ",
				 wait_type_words((enum wait_type)i));
	}
	if (!n && has_types) {
		buf_add_text(out, "no wait profile was queried");
		return;
	}
	if (!n)
		buf_add_text(out, "the service sends no wait profiles");
	buf_add_text(out, " (tracefind types --guide lists types that show "
			  "it)");
}

/* Several times the requests, each as quick as ever: told, for the reader may
 * have come because of them. */
#define LOAD_RATIO 2.0

static void report_unknown(const struct profile_inquiry *q, struct buf *out)
{
	const struct comparison_side *slow = &q->service_cpu.slow;
	const struct comparison_side *base = &q->service_cpu.base;

	if (q->s->is_healthy) {
		healthy_tell(q->s, out);
		if (q->service_cpu.has_base && slow->requests > 0 &&
		    base->requests > 0) {
			double now = slow->requests / comparison_seconds(slow);
			double before =
				base->requests / comparison_seconds(base);

			if (now >= LOAD_RATIO * before)
				buf_addf(out,
					 "; the service handled %.1f times as "
					 "many requests",
					 now / before);
		}
		return;
	}
	buf_add_text(out, "computing or waiting: too few samples of this "
			  "span; ");
	if (is_up(row_leading(q)))
		buf_add_text(out, "a function of the service grew");
	else
		buf_add_text(out, "no function of the service clearly grew");
}

/* The part of the profile of a callee that sends no spans. */
static void add_callee(const struct profile_inquiry *q, struct buf *out)
{
	const struct comparison *c = &q->service_cpu;
	const struct function_row *row = row_leading(q);

	buf_add_text(out, "; ");
	if (!is_up(row)) {
		buf_add_text(out, "no function of ");
		add_name(out, q->service.name);
		buf_add_text(out, " clearly grew");
	} else if (q->wait == WAIT_TYPES || q->wait == WAIT_NEIGHBOUR) {
		buf_add_text(out, "the CPU of ");
		add_name(out, q->service.name);
		buf_addf(out, " went from %.2f to %.2f cores, most of it in ",
			 comparison_cores(&c->base),
			 comparison_cores(&c->slow));
		add_name(out, row->name);
	} else {
		add_name(out, q->service.name);
		buf_addf(out, " waits, by its %s profile, mostly in ",
			 wait_type_words(q->wait));
		add_name(out, row->name);
	}
}

/* The trace has told the call or the loop; the profile adds CPU time. */
static void report_trace_cause(const struct profile_inquiry *q, struct buf *out)
{
	add_name(out, q->v->result->cause.text);
	if (q->s->is_healthy) {
		buf_add_text(out, "; ");
		healthy_tell(q->s, out);
	}
	if (q->s->is_of_callee)
		add_callee(q, out);
	/* On the way between two services nobody computes. */
	if (q->v->result->cause.kind != CAUSE_NETWORK)
		add_cpu(q, out);
}

/* From here on a service computes more, whichever function it is. */
#define CORES_RATIO 1.5

/* The queue has been told; the profile tells of who takes from it. */
static void report_queue(const struct profile_inquiry *q, struct buf *out)
{
	const struct function_row *row = row_leading(q);
	const struct comparison_side *before = &q->service_cpu.base;
	const struct comparison_side *now = &q->service_cpu.slow;
	double base = comparison_cores(before), slow = comparison_cores(now);

	add_name(out, q->v->result->cause.text);
	if (q->s->is_healthy || !row || !q->service_cpu.has_base)
		return;
	/* As many as before: then it is not that more came. */
	if (now->requests > 0 && before->requests > 0)
		buf_addf(
			out,
			"; it receives %.3g per minute, %.3g in the baseline%s",
			60 * now->requests / comparison_seconds(now),
			60 * before->requests / comparison_seconds(before),
			now->is_requests_sampled ? " (in traces)" : "");
	buf_addf(out, "; its CPU went from %.2f to %.2f cores", base, slow);
	if (is_up(row)) {
		buf_add_text(out, ", most of it in ");
		add_name(out, row->name);
	} else if (slow >= CORES_RATIO * base) {
		buf_add_text(out, ", no single function is significant");
	} else {
		buf_add_text(out, ": too few consumers, or one that waits");
	}
}

/* One instance of several, or all of them. */
static void add_contended(const struct profile_inquiry *q, struct buf *out)
{
	const struct contention *c = &q->contention;

	if (c->slow_instance_count == 1) {
		add_name(out, c->instance);
		if (c->place.len) {
			buf_add_text(out, " (");
			add_name(out, c->place);
			buf_add_char(out, ')');
		}
		buf_addf(out, ", one of %u instances of ", c->instance_count);
	} else if (c->slow_instance_count && c->place.len) {
		add_name(out, c->place);
		buf_addf(out, ", %u of %u instances of ",
			 c->slow_instance_count, c->instance_count);
	} else if (c->slow_instance_count) {
		buf_addf(out, "%u of %u instances of ", c->slow_instance_count,
			 c->instance_count);
	} else if (c->instance_count > 1) {
		buf_addf(out, "all %u instances of ", c->instance_count);
	}
	add_name(out, q->s->service);
}

static void report_contention(const struct profile_inquiry *q, struct buf *out)
{
	const struct contention *c = &q->contention;

	buf_add_text(out, "CPU starvation: ");
	if (c->operation_count) {
		buf_add_text(out, "on ");
		add_contended(q, out);
		buf_addf(out,
			 ", the self time of %u operations is %.1f to %.1f "
			 "times normal",
			 c->operation_count, c->least_ratio, c->most_ratio);
	} else {
		buf_add_text(out, "computing took ");
		wording_add_ns(out, q->unrun_ns);
		buf_add_text(out, " longer in the wall profile with no more "
				  "CPU");
	}
	if (q->cpu_verdict == CPU_UNKNOWN) {
		buf_add_text(out, ", with no more CPU");
		return;
	}
	add_cpu(q, out);
	if (q->cpu.slow_ns < q->cpu.own_ns)
		buf_addf(out, "; %.0f %% of its self time is unattributed",
			 100 * (1 - q->cpu.slow_ns / q->cpu.own_ns));
}

static void cause_describe(const struct profile_inquiry *q, struct buf *out)
{
	switch (q->v->result->cause.kind) {
	case CAUSE_N_PLUS_ONE:
	case CAUSE_DOWNSTREAM:
	case CAUSE_NETWORK:
		report_trace_cause(q, out);
		return;
	case CAUSE_CONTENTION:
		report_contention(q, out);
		return;
	case CAUSE_QUEUE:
		report_queue(q, out);
		return;
	case CAUSE_CPU:
		if (q->wait == WAIT_NEIGHBOUR)
			report_neighbour(q, out);
		else
			report_cpu(q, out);
		return;
	case CAUSE_ALLOC:
		report_alloc(q, out);
		return;
	case CAUSE_LOCK:
		report_wait_type(q, out);
		return;
	case CAUSE_WAIT:
		if (q->s->is_healthy && q->trace_cause == CAUSE_WAIT)
			report_trace_cause(q, out);
		else if (q->wait == WAIT_TYPES)
			report_wait(q, out);
		else
			report_wait_type(q, out);
		return;
	case CAUSE_UNKNOWN:
		break;
	}
	report_unknown(q, out);
}

static int64_t on_cpu_ns(const struct profile_inquiry *q)
{
	if (q->is_wall_cpu)
		return -1;
	if (q->request.slow.profile.stack_count)
		return q->request.slow.profile.total;
	if (q->cpu_verdict != CPU_UNKNOWN)
		return (int64_t)q->cpu.slow_ns;
	return -1;
}

static bool text_take(struct profile_inquiry const *q, struct buf *text,
		      struct str *out, struct error *err)
{
	struct arena *arena = &q->v->result->arena;
	bool done = buf_check(text, "the answer", err);

	if (done)
		*out = arena_str(arena, buf_str(text));
	buf_release(text);
	return done && (out->ptr || arena_fail(arena, "the answer", err));
}

bool cause_words_write(const struct profile_inquiry *q, struct error *err)
{
	struct cause *c = &q->v->result->cause;
	struct buf text;

	c->on_cpu_ns = on_cpu_ns(q);
	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	cause_describe(q, &text);
	if (!q->s->is_healthy && q->s->cohorts &&
	    q->s->cohorts->mode == COHORT_UNSURE) {
		buf_add_text(&text, "; ");
		cohorts_tell(q->s->cohorts, &text);
	}
	return text_take(q, &text, &c->text, err);
}

/* ---- how sure ---- */

static bool has_close_second(const struct result *r)
{
	const struct function_row *a, *b;

	if (r->function_count < 2 || r->cause.kind == CAUSE_N_PLUS_ONE)
		return false;
	a = &r->functions[0];
	b = &r->functions[1];
	return is_up(b) && !b->through.len &&
	       b->delta >= CLOSE_SECOND * a->delta &&
	       !str_equal(a->leaf, b->name);
}

bool confidence_words_write(const struct profile_inquiry *q, struct error *err)
{
	struct result *r = q->v->result;
	const struct function_row *row = row_leading(q);
	/* Of a wait in a profile that explains the time; NULL: there is none.
	 */
	const struct wait_measure *m =
		q->wait == WAIT_TYPES || q->wait == WAIT_NEIGHBOUR
			? NULL
			: &q->measures[q->wait];
	struct confidence_facts f = {
		.has_profile = r->has_profile && r->cause.kind != CAUSE_QUEUE,
		.scope = r->profile.scope,
		.has_baseline = r->has_baseline,
		.healthy = r->baseline.healthy,
		.samples = r->has_profile ? r->profile.samples : -1,
		.is_tested = row && !isnan(row->q),
		.is_manifold = m && verdict_explains(m->change, m->needed) &&
			       m->change >= VERDICT_BEYOND_NOISE * m->before,
		.q = row ? row->q : 1,
		.is_grown = is_up(row),
		.has_close_second = has_close_second(r),
		.is_close_span = q->s->is_close_span,
		.is_alone = q->s->is_alone,
		.may_be_chance = q->s->cohorts &&
				 q->s->cohorts->mode == COHORT_UNSURE &&
				 !q->s->is_healthy,
		.has_history = q->s->has_history,
		.is_healthy_operation = q->s->is_healthy,
		.is_partly_cpu =
			(q->cpu_verdict == CPU_PARTLY || q->is_starved) &&
			r->cause.kind == CAUSE_CPU,
		.is_of_one_operation = r->cause.kind == CAUSE_CONTENTION &&
				       !q->contention.operation_count,
		.is_partial_trace = r->trace.is_partial,
		.is_trace_enough = verdict_is_of_trace(r->cause.kind) ||
				   r->cause.kind == CAUSE_NETWORK ||
				   r->cause.kind == CAUSE_CONTENTION,
		.has_few_messages = r->cause.kind == CAUSE_QUEUE &&
				    r->cause.queue.typical_count < TYPICAL_MIN,
	};
	struct confidence_rating rating = verdict_confidence(&f);
	struct buf text;

	r->cause.confidence = rating.confidence;
	buf_init(&text, LIMIT_ERROR_BYTES);
	confidence_report_basis(r, &text);
	confidence_report_weaknesses(&rating, &text);
	return text_take(q, &text, &r->cause.confidence_text, err);
}

/* The cause in words, and what its confidence rests on, where one profile of
 * files or of a span was compared by hand. */

/* "402 ms of 560 ms were on CPU", of the span's own samples. */
static void add_cpu_share(const struct cause_facts *f, const struct cause *c,
			  struct buf *out)
{
	wording_add_duration(out, c->on_cpu_ns);
	buf_add_text(out, " of ");
	wording_add_duration(out, f->own_ns);
	buf_add_text(out, " were on CPU");
}

static void add_cause(const struct cause_facts *f, const struct cause *c,
		      struct buf *out)
{
	const char *seen = "the profile shows where the service spends time";

	switch (f->said) {
	case CAUSE_SAYS_NOTHING:
		return;
	case CAUSE_SAYS_CPU_SHARE:
		buf_add_text(out, c->kind == CAUSE_CPU    ? "computing: "
				  : c->kind == CAUSE_WAIT ? "not CPU: "
							  : "part computing, "
							    "part waiting: ");
		add_cpu_share(f, c, out);
		return;
	case CAUSE_SAYS_CPU_SHARE_TOO:
		buf_add_str(out, c->text);
		buf_add_text(out, "; ");
		add_cpu_share(f, c, out);
		return;
	case CAUSE_SAYS_WHERE:
		break;
	case CAUSE_SAYS_GROWN:
		seen = "a function of the service grew";
		break;
	case CAUSE_SAYS_NOT_GROWN:
		seen = "no function of the service clearly grew";
		break;
	}
	buf_addf(out, "computing or waiting: too few samples of this span; %s",
		 seen);
}

static void add_confidence(const struct cause_facts *f,
			   const struct result *result, struct buf *out)
{
	const struct profile_info *p = &result->profile;

	if (result->cause.kind == CAUSE_QUEUE) {
		confidence_report_basis(result, out);
		return;
	}
	if (!result->has_profile) {
		buf_add_text(out, "the trace alone, no profile");
		return;
	}
	/* Of which requests a file is nobody knows. */
	if (p->is_file) {
		buf_add_text(out, "the profile file ");
		wording_add(out, p->selector, WORDING_TEXT_BYTES);
	} else {
		buf_add_text(out, p->scope == SCOPE_SPAN
					  ? "the span's samples"
					  : "profile of the whole service");
	}
	wording_add_samples(out, result, false);
	if (f->is_span_measured)
		buf_add_text(out, ", CPU time measured on the span");
	confidence_report_weaknesses(&f->rating, out);
}

bool cause_text_write(const struct cause_facts *facts, struct result *result,
		      struct error *err)
{
	struct cause *c = &result->cause;
	struct buf text;

	if (!result->has_cause)
		return true;
	if (facts->said != CAUSE_SAYS_NOTHING) {
		buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
		add_cause(facts, c, &text);
		if (!wording_take(&text, &result->arena, &c->text, err))
			return false;
	}
	buf_init(&text, LIMIT_ERROR_BYTES);
	add_confidence(facts, result, &text);
	return wording_take(&text, &result->arena, &c->confidence_text, err);
}
