/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cohorts_text.h"

#include <math.h>

#include "base/num.h"
#include "report/wording.h"

static void report_count(size_t count, struct buf *out)
{
	char text[COUNT_TEXT_BYTES];

	format_count((int64_t)count, text);
	buf_add_text(out, text);
}

static int percent_of(uint32_t part, uint32_t whole)
{
	return (int)((double)part / (double)whole * 100 + 0.5);
}

static void add_operation(const struct cohorts *c, struct buf *out)
{
	if (!c->named) {
		buf_add_text(out, "the operation");
		return;
	}
	wording_add(out, c->named->service, WORDING_TEXT_BYTES);
	buf_add_char(out, ' ');
	wording_add(out, c->named->name, WORDING_TEXT_BYTES);
}

/* Smaller chances are all the same to a reader. */
#define SMALLEST_P 0.0001

static void report_slower(const struct concentration *c, const char *what,
			  struct buf *out)
{
	buf_addf(out, "%s ", what);
	wording_add(out, c->value, WORDING_TEXT_BYTES);
	buf_addf(out, ", one of %u, is slower than the others: p50 ",
		 c->value_count);
	wording_add_duration(out, c->p50_ns);
	buf_addf(out, " over %u spans, elsewhere ", c->span_count);
	wording_add_duration(out, c->other_p50_ns);
	buf_addf(out, " over %u (p %s %.4f)", c->other_count,
		 c->p < SMALLEST_P ? "<" : "=", fmax(c->p, SMALLEST_P));
}

static void report_concentration(const struct cohorts *of,
				 const struct concentration *c,
				 const char *what, struct buf *out)
{
	uint32_t slow = c->slow_count + c->other_slow_count;

	if (c->is_by_order) {
		report_slower(c, what, out);
		return;
	}
	buf_addf(out, "%u of %u slow spans", c->slow_count, slow);
	if (of->named) {
		buf_add_text(out, " of ");
		add_operation(of, out);
	}
	buf_addf(out, " are of %s ", what);
	wording_add(out, c->value, WORDING_TEXT_BYTES);
	buf_addf(out, ", one of %u (p50 ", c->value_count);
	wording_add_duration(out, c->p50_ns);
	buf_add_text(out, ", elsewhere ");
	wording_add_duration(out, c->other_p50_ns);
	buf_add_text(out, ")");
}

static void report_window(const struct cohorts *c, struct buf *out)
{
	add_operation(c, out);
	buf_add_text(out,
		     c->is_small_move
			     ? " became slower as a whole, by little but for "
			       "certain: p50 "
			     : " became slow as a whole: p50 ");
	wording_add_duration(out, c->p50_ns);
	buf_add_text(out, " over ");
	report_count(c->window_count, out);
	buf_add_text(out, " spans, was ");
	wording_add_duration(out, c->before_p50_ns);
	buf_add_text(out, " over ");
	report_count(c->before_count, out);
	if (c->is_small_move)
		buf_addf(out,
			 " (+%.0f %%; earlier windows differ by %.0f %%; p < "
			 "%.3f)",
			 100 * ((double)c->p50_ns / (double)c->before_p50_ns -
				1),
			 fmax(1, 100 * c->wander), COHORT_SMALL_P);
}

static void report_bimodal(const struct cohorts *c, struct buf *out)
{
	buf_addf(out, "%u of ", c->slow_count);
	report_count(c->window_count, out);
	buf_add_text(out, " spans are slow (p50 ");
	wording_add_duration(out, c->slow_p50_ns);
	buf_add_text(out, "), the others of the same minutes fast (p50 ");
	wording_add_duration(out, c->fast_p50_ns);
	buf_add_text(out, ")");
	if (c->before_count < COHORT_MIN)
		return;
	if (c->is_tail) {
		buf_addf(out, "; before, one in %d took so long",
			 100 / (100 - COHORT_TAIL_PERCENT));
		return;
	}
	buf_addf(out,
		 c->is_as_before ? "; it was so before: %d %% were slow"
				 : "; before, %d %% were slow",
		 percent_of(c->before_slow_count, c->before_count));
	if (!c->is_new && !c->is_as_before)
		buf_add_text(out, ", which may be chance");
}

/* Not those before, which tell what is usual. */
#define OF_NOW " requests of these minutes"

/* Rounded down: of the slowest of all it is told. */
static void add_rank(const struct cohorts *c, struct buf *out)
{
	if (c->percentile >= 1)
		buf_add_text(out, "this one is slower than all of the ");
	else
		buf_addf(out, "this one is slower than %d %% of the ",
			 (int)(c->percentile * 100));
	report_count(c->window_count, out);
	buf_add_text(out, OF_NOW);
}

/* "p50 16.7 ms, before 16.2 ms, p99 40 ms, before 38.4 ms" */
static void add_quantiles(const struct cohorts *c, struct buf *out)
{
	buf_add_text(out, "p50 ");
	wording_add_duration(out, c->p50_ns);
	buf_add_text(out, ", before ");
	wording_add_duration(out, c->before_p50_ns);
	if (c->p99_ns <= 0 || c->before_p99_ns <= 0)
		return;
	buf_add_text(out, "; p99 ");
	wording_add_duration(out, c->p99_ns);
	buf_add_text(out, ", before ");
	wording_add_duration(out, c->before_p99_ns);
}

static void add_part(uint32_t slow, uint32_t all, struct buf *out)
{
	buf_addf(out, "%u of ", slow);
	report_count(all, out);
}

/* "4 of 95 take 61 ms and more, before 3 of 84" */
static void add_slow_ones(const struct cohorts *c, struct buf *out)
{
	add_part(c->slow_count, c->window_count, out);
	buf_add_text(out, " take ");
	wording_add_duration(out, c->threshold_ns);
	buf_add_text(out, " and more, before ");
	add_part(c->before_slow_count, c->before_count, out);
	if (c->earlier_count >= COHORT_MIN) {
		buf_add_text(out, ", earlier ");
		add_part(c->earlier_slow_count, c->earlier_count, out);
	}
}

static void report_healthy(const struct cohorts *c, struct buf *out)
{
	add_operation(c, out);
	buf_add_text(out, " takes what it usually does (");
	add_quantiles(c, out);
	buf_add_text(out, "; ");
	add_slow_ones(c, out);
	buf_add_text(out, "); ");
	add_rank(c, out);
}

static void report_unsure(const struct cohorts *c, struct buf *out)
{
	buf_add_text(out, "more requests ");
	if (c->named) {
		buf_add_text(out, "of ");
		add_operation(c, out);
		buf_add_char(out, ' ');
	}
	buf_add_text(out, "are slow than before, which may be chance: ");
	add_slow_ones(c, out);
	buf_add_text(out, "; ");
	add_quantiles(c, out);
}

static void report_unknown(const struct cohorts *c, struct buf *out)
{
	if (c->window_count < COHORT_MIN) {
		buf_add_text(out, "too few traces of these minutes to tell how "
				  "many are slow: ");
		report_count(c->window_count, out);
		return;
	}
	buf_add_text(out, "no earlier window to compare with: p50 ");
	wording_add_duration(out, c->p50_ns);
	buf_add_text(out, ", ");
	add_rank(c, out);
}

void cohorts_tell(const struct cohorts *c, struct buf *out)
{
	switch (c->mode) {
	case COHORT_WINDOW:
		report_window(c, out);
		break;
	case COHORT_BIMODAL:
		if (c->instance.is_found)
			report_concentration(c, &c->instance, "instance", out);
		else if (c->version.is_found)
			report_concentration(c, &c->version, "version", out);
		else
			report_bimodal(c, out);
		break;
	case COHORT_HEALTHY:
		report_healthy(c, out);
		break;
	case COHORT_UNSURE:
		report_unsure(c, out);
		break;
	default:
		report_unknown(c, out);
	}
}

void cohorts_tell_numbers(const struct cohorts *c, struct buf *out)
{
	buf_add_text(out, "slow from ");
	wording_add_duration(out, c->threshold_ns);
	buf_addf(out, ": %u of ", c->slow_count);
	report_count(c->window_count, out);
	buf_addf(out, " spans now, %u of ", c->before_slow_count);
	report_count(c->before_count, out);
	buf_add_text(out, " before");
	if (!isnan(c->p))
		buf_addf(out, "; rank sum z = %.1f", c->z);
	buf_addf(out,
		 "; profile ids: %zu slow, %zu fast, %zu baseline; "
		 "instances %u, versions %u",
		 c->slow.count, c->fast.count, c->baseline.count,
		 c->instance.value_count, c->version.value_count);
}
