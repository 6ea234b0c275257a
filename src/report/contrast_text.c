/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"

/* The number up to which whole ones are written in full. */
#define WHOLE_MAX 1e15
/* Parts of so large a number say nothing. */
#define ROUNDED_FROM 1000

/* Names of what is no attribute of its own. */
static struct str key_of(const struct symptom *s, const struct contrast *c)
{
	switch (c->of) {
	case CONTRAST_OF_VERSION:
		return STR("service.version");
	case CONTRAST_OF_INSTANCE:
		return STR("instance");
	case CONTRAST_OF_ATTRIBUTE:
		break;
	}
	return s->history->keys[c->key].name;
}

static bool is_of_process(const struct symptom *s, const struct contrast *c)
{
	return c->of != CONTRAST_OF_ATTRIBUTE ||
	       s->history->keys[c->key].is_of_process;
}

static void add_key(const struct symptom *s, const struct contrast *c,
		    struct buf *out)
{
	wording_add(out, key_of(s, c), WORDING_TEXT_BYTES);
}

static void add_pair(const struct symptom *s, const struct contrast *c,
		     struct buf *out)
{
	add_key(s, c, out);
	buf_add_char(out, c->of == CONTRAST_OF_INSTANCE ? ' ' : '=');
	wording_add(out, history_text(s->history, c->value),
		    WORDING_TEXT_BYTES);
}

static void add_percent(struct buf *out, uint32_t part, uint32_t whole)
{
	double percent = 100.0 * part / whole;

	/* All and none are those alone. */
	if (part && part < whole)
		percent = fmin(fmax(percent, 1), 99);
	buf_addf(out, "%.0f %%", percent);
}

static void add_number(struct buf *out, double number)
{
	char text[COUNT_TEXT_BYTES];

	bool is_whole = number == rint(number) || fabs(number) >= ROUNDED_FROM;

	if (fabs(number) < WHOLE_MAX && is_whole) {
		format_count((int64_t)rint(number), text);
		buf_add_text(out, text);
	} else {
		buf_addf(out, "%.4g", number);
	}
}

static const char *fast_words(const struct symptom *s)
{
	return s->contrasts->is_against_before ? "of the earlier ones"
					       : "of the fast ones";
}

static void add_finding(const struct symptom *s, const struct contrast *c,
			struct buf *out)
{
	if (c->kind != CONTRAST_VALUE) {
		add_key(s, c, out);
		buf_addf(out, " is %s in slow requests: median ",
			 c->kind == CONTRAST_MORE ? "larger" : "smaller");
		add_number(out, c->slow_median);
		buf_add_text(out, ", ");
		add_number(out, c->fast_median);
		buf_addf(out, " %s", fast_words(s));
		return;
	}
	add_percent(out, c->slow_with, c->slow_count);
	buf_add_text(out, " of the slow requests have ");
	add_pair(s, c, out);
	buf_add_text(out, ", ");
	if (c->fast_with) {
		add_percent(out, c->fast_with, c->fast_count);
		buf_addf(out, " %s", fast_words(s));
	} else {
		buf_addf(out, "none %s", fast_words(s));
	}
}

/* Whose it is, where that is not the operation that is slow. */
static void add_owner(const struct symptom *s, const struct contrast *c,
		      struct buf *out)
{
	const struct operation *all = s->history->operations;
	const struct operation *o = &all[c->operation];
	const struct operation *slow = &all[s->contrasts->operation];

	if (is_of_process(s, c) ? str_equal(o->service, slow->service)
				: o == slow)
		return;
	buf_add_text(out, " (");
	wording_add(out, o->service, WORDING_TEXT_BYTES);
	if (!is_of_process(s, c) && o->name.len) {
		buf_add_char(out, ' ');
		wording_add(out, o->name, WORDING_TEXT_BYTES);
	}
	buf_add_char(out, ')');
}

/* Not where the answer itself says that they are as ever, nor where the fast
 * ones are those before. */
static void add_since(const struct contrast *c, struct buf *out)
{
	switch (c->since) {
	case CONTRAST_SINCE_UNKNOWN:
	case CONTRAST_AS_EVER:
		return;
	case CONTRAST_NEW:
		buf_add_text(out, "; the baseline has none");
		return;
	case CONTRAST_MORE_OFTEN:
		buf_addf(out, "; %u in the baseline, now %u",
			 c->like_before_count, c->like_count);
		return;
	case CONTRAST_SLOWER:
		buf_add_text(out, "; in the baseline they took ");
		wording_add_duration(out, c->like_before_p50_ns);
		buf_addf(out, " (p50 of %u)", c->like_before_count);
		return;
	}
}

void contrast_tell(const struct symptom *s, const struct contrast *c,
		   struct buf *out)
{
	add_finding(s, c, out);
	add_owner(s, c, out);
	if (c->with_p50_ns >= 0 && c->without_p50_ns >= 0) {
		buf_add_text(out, "; p50 ");
		wording_add_duration(out, c->with_p50_ns);
		buf_add_text(out, c->kind == CONTRAST_VALUE ? " with it, "
							    : " with those, ");
		wording_add_duration(out, c->without_p50_ns);
		buf_add_text(out, " without");
	}
	if (!s->contrasts->is_against_before)
		add_since(c, out);
	if (c->own == 0)
		buf_add_text(out, "; not this one");
}

const struct contrast *contrast_apart(const struct symptom *s)
{
	const struct contrast *c = s->contrasts && s->contrasts->count
					   ? &s->contrasts->items[0]
					   : NULL;

	return c && c->kind == CONTRAST_VALUE &&
			       c->slow_with == c->slow_count && !c->fast_with &&
			       c->own != 0 && c->since != CONTRAST_AS_EVER
		       ? c
		       : NULL;
}

void contrast_tell_apart(const struct symptom *s, const struct contrast *c,
			 struct buf *out)
{
	buf_add_text(out, c->of == CONTRAST_OF_INSTANCE ? ", only on "
							: ", only with ");
	add_pair(s, c, out);
	add_owner(s, c, out);
}

void contrast_tell_like(const struct symptom *s, const struct contrast *c,
			struct buf *out)
{
	buf_add_text(out, c->kind == CONTRAST_VALUE ? "with " : "for its ");
	if (c->kind == CONTRAST_VALUE)
		add_pair(s, c, out);
	else
		add_key(s, c, out);
}

void contrast_tell_usual(const struct symptom *s, const struct contrast *c,
			 struct buf *out)
{
	buf_add_text(out, "normal for requests ");
	if (c->kind == CONTRAST_VALUE) {
		buf_add_text(out, "with ");
		add_pair(s, c, out);
	} else {
		buf_add_text(out, "of this ");
		add_key(s, c, out);
	}
	buf_add_text(out, ": they take ");
	wording_add_duration(out, c->like_p50_ns);
	buf_addf(out, " (p50 of %u), in the baseline ", c->like_count);
	wording_add_duration(out, c->like_before_p50_ns);
	buf_addf(out, " (of %u)", c->like_before_count);
}

/* ---- rows ---- */

static const char *const kind_names[] = {
	[CONTRAST_VALUE] = "value",
	[CONTRAST_MORE] = "more",
	[CONTRAST_LESS] = "less",
};

static bool write_row(const struct symptom *s, const struct contrast *c,
		      struct contrast_row *row, struct arena *arena,
		      struct error *err)
{
	const struct operation *o = &s->history->operations[c->operation];
	struct buf text;

	*row = (struct contrast_row){
		.kind = kind_names[c->kind],
		.service = o->service,
		.operation = o->name,
		.key = key_of(s, c),
		.slow_with = c->slow_with,
		.slow_count = c->slow_count,
		.fast_with = c->fast_with,
		.fast_count = c->fast_count,
		.slow_median = c->slow_median,
		.fast_median = c->fast_median,
		.with_ns = c->with_p50_ns,
		.without_ns = c->without_p50_ns,
		.q = c->q,
		.own = c->own,
		.is_usual = c->is_usual,
	};
	if (c->kind == CONTRAST_VALUE)
		row->value = history_text(s->history, c->value);
	buf_init(&text, WORDING_BYTES);
	contrast_tell(s, c, &text);
	return wording_take(&text, arena, &row->text, err);
}

bool contrasts_report_write(const struct symptom *s, struct result *result,
			    struct error *err)
{
	const struct contrasts *all = s->contrasts;

	result->contrasts = NULL;
	result->contrast_count = 0;
	if (!all || !all->count)
		return true;
	result->contrasts = arena_array(&result->arena, all->count,
					sizeof *result->contrasts);
	if (!result->contrasts)
		return arena_fail(&result->arena, "the answer", err);
	for (uint32_t i = 0; i < all->count; i++)
		if (!write_row(s, &all->items[i], &result->contrasts[i],
			       &result->arena, err))
			return false;
	result->contrast_count = all->count;
	return true;
}

/* Slow requests among those of the same minutes in words: whether all became
 * slow, or some, or none but this one. */

static void report_count(size_t count, struct buf *out)
{
	char text[COUNT_TEXT_BYTES];

	format_count((int64_t)count, text);
	buf_add_text(out, text);
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

static void report_concentration(const struct cohorts *of,
				 const struct concentration *c,
				 const char *what, struct buf *out)
{
	uint32_t slow = c->slow_count + c->other_slow_count;

	if (c->is_by_order) {
		buf_addf(out, "%s ", what);
		wording_add(out, c->value, WORDING_TEXT_BYTES);
		buf_addf(out, ", one of %u, is slower than the others: p50 ",
			 c->value_count);
		wording_add_duration(out, c->p50_ns);
		buf_addf(out, " over %u spans, elsewhere ", c->span_count);
		wording_add_duration(out, c->other_p50_ns);
		buf_addf(out, " over %u (p %s %.4f)", c->other_count,
			 c->p < SMALLEST_P ? "<" : "=", fmax(c->p, SMALLEST_P));
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
			     ? " became slower as a whole, by little but "
			       "significantly: p50 "
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
			 fmax(1, 100 * c->wander),
			 group_rule_p(GROUP_MOVED_LITTLE));
}

static void report_bimodal(const struct cohorts *c, struct buf *out)
{
	buf_addf(out, "%u of ", c->slow_count);
	report_count(c->window_count, out);
	buf_add_text(out, " spans are slow (p50 ");
	wording_add_duration(out, c->slow_p50_ns);
	buf_add_text(out, "), the others in the same minutes fast (p50 ");
	wording_add_duration(out, c->fast_p50_ns);
	buf_add_text(out, ")");
	if (c->before_count < GROUP_MIN)
		return;
	if (c->is_tail) {
		buf_addf(out, "; in the baseline, one in %d took that long",
			 100 / (100 - COHORT_TAIL_PERCENT));
		return;
	}
	buf_addf(out,
		 c->is_as_before ? "; as in the baseline: %d %% were slow"
				 : "; in the baseline, %d %% were slow",
		 (int)((double)c->before_slow_count / c->before_count * 100 +
		       0.5));
	if (!c->is_new && !c->is_as_before)
		buf_add_text(out, ", which may be chance");
}

/* Not those before, which tell what is usual. */
#define OF_NOW " requests in the same minutes"

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
	buf_add_text(out, ", baseline ");
	wording_add_duration(out, c->before_p50_ns);
	if (c->p99_ns <= 0 || c->before_p99_ns <= 0)
		return;
	buf_add_text(out, "; p99 ");
	wording_add_duration(out, c->p99_ns);
	buf_add_text(out, ", baseline ");
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
	buf_add_text(out, " or more, baseline ");
	add_part(c->before_slow_count, c->before_count, out);
	if (c->earlier_count >= GROUP_MIN) {
		buf_add_text(out, ", earlier ");
		add_part(c->earlier_slow_count, c->earlier_count, out);
	}
}

static void report_unknown(const struct cohorts *c, struct buf *out)
{
	if (c->window_count < GROUP_MIN) {
		buf_add_text(out, "too few traces in this window to count slow "
				  "ones: ");
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
		add_operation(c, out);
		buf_add_text(out, " is no slower than normal (");
		add_quantiles(c, out);
		buf_add_text(out, "; ");
		add_slow_ones(c, out);
		buf_add_text(out, "); ");
		add_rank(c, out);
		break;
	case COHORT_UNSURE:
		buf_add_text(out, "more requests ");
		if (c->named) {
			buf_add_text(out, "of ");
			add_operation(c, out);
			buf_add_char(out, ' ');
		}
		buf_add_text(out, "are slow than in the baseline, which may be "
				  "chance: ");
		add_slow_ones(c, out);
		buf_add_text(out, "; ");
		add_quantiles(c, out);
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
	buf_add_text(out, " in the baseline");
	if (!isnan(c->p))
		buf_addf(out, "; rank sum z = %.1f", c->z);
	buf_addf(out,
		 "; profile ids: %zu slow, %zu fast, %zu baseline; "
		 "instances %u, versions %u",
		 c->slow.count, c->fast.count, c->baseline.count,
		 c->instance.value_count, c->version.value_count);
}
