/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include "analyze/baseline.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "investigate/symptom.h"
#include "model/result.h"
#include "render/units.h"

static void report_numbers(const struct baseline_health *b, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	format_count(b->count, count);
	buf_add_text(out, "p50 ");
	wording_add_duration(out, b->p50_ns);
	buf_addf(out, " over %s spans", count);
	if (b->said == BASELINE_IN_FAULT)
		buf_addf(out, ", %u of them slow", b->slow_count);
}

static void report_numbers_in_brackets(const struct baseline_health *b,
				       struct buf *out)
{
	buf_add_text(out, " (");
	report_numbers(b, out);
	buf_add_char(out, ')');
}

void baseline_tell_window(const struct baseline_health *b, struct buf *out)
{
	char from[16], to[16];

	if (b->said == BASELINE_NO_ANSWER) {
		buf_add_text(out, "not queried, or no answer");
		return;
	}
	format_clock(b->range.from_ns, false, from);
	format_clock(b->range.to_ns, false, to);
	buf_addf(out, "%s-%s", from, to);
	switch (b->said) {
	case BASELINE_NOT_WEIGHED:
	case BASELINE_NO_ANSWER:
		break;
	case BASELINE_ALL_SLOW:
		buf_add_text(out, " was slow all the time");
		break;
	case BASELINE_NO_SPANS:
		buf_add_text(out, " has no spans of the operation");
		break;
	case BASELINE_FEW_SPANS:
		buf_addf(out, " has too few spans of the operation: %u span%s",
			 b->count, b->count == 1 ? "" : "s");
		break;
	case BASELINE_HEALTHY:
		buf_add_text(out, " is healthy");
		report_numbers_in_brackets(b, out);
		break;
	case BASELINE_NOT_FASTER:
		buf_add_text(out, " is not clearly faster");
		report_numbers_in_brackets(b, out);
		break;
	case BASELINE_IN_FAULT:
		buf_add_text(out, " has more slow requests");
		report_numbers_in_brackets(b, out);
		break;
	}
}

static const char *slot_words(unsigned slot)
{
	return request_role_words(
		(enum request_role)(slot + REQUESTS_PREVIOUS));
}

static void add_slow(const char *when, uint32_t slow, uint32_t all,
		     struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	format_count(all, count);
	buf_addf(out, "%s %u of %s", when, slow, count);
}

/* Why the nearer ones are not taken. */
static void tell_fault(const struct baseline_choice *choice, struct buf *out)
{
	buf_add_text(out, "; slow: ");
	wording_add_duration(out, choice->slow_from_ns);
	buf_add_text(out, " or longer");
	for (unsigned i = choice->chosen; i-- > 0;) {
		const struct baseline_health *b = &choice->slots[i];

		if (b->said != BASELINE_IN_FAULT)
			continue;
		buf_addf(out, ", %s", slot_words(i));
		add_slow("", b->slow_count, b->count, out);
	}
	add_slow(", now", choice->now_slow_count, choice->now_count, out);
}

void baseline_tell_chosen(const struct baseline_choice *choice,
			  const struct operation *named, struct buf *out)
{
	const struct baseline_health *b = &choice->slots[choice->chosen];

	if (!choice->is_alike) {
		report_numbers(b, out);
		if (named) {
			buf_add_text(out, " of ");
			wording_add(out, named->name, WORDING_TEXT_BYTES);
		}
		/* "; slow drift: p50 50 ms one day before, 90 ms just before,
		 * 100 ms now" */
		if (choice->is_creeping) {
			buf_add_text(out, "; slow drift: p50 ");
			for (unsigned i = choice->chosen + 1;
			     i-- > choice->nearest;) {
				if (!choice->slots[i].count)
					continue;
				wording_add_duration(out,
						     choice->slots[i].p50_ns);
				buf_addf(out, " %s, ", slot_words(i));
			}
			wording_add_duration(out, choice->now_p50_ns);
			buf_add_text(out, " now");
		}
		if (choice->is_behind_fault)
			tell_fault(choice, out);
		return;
	}
	buf_add_text(out, "not faster");
	report_numbers_in_brackets(b, out);
	buf_add_text(out, choice->is_only ? ", no earlier window available"
					  : ", no earlier window was faster");
}

/* The baseline of a slow request, in words. */

#define NAME_BYTES 60u
#define TEXT_BYTES 256u

void baseline_words_add(const struct symptom *s, struct buf *out)
{
	char median[24];

	switch (s->base_is) {
	case BASE_IS_WINDOW:
		if (s->base_choice)
			baseline_tell_chosen(
				s->base_choice,
				s->cohorts ? s->cohorts->named : NULL, out);
		break;
	case BASE_IS_VERSION:
		buf_add_str(out, s->base_version);
		break;
	case BASE_IS_VERSION_SPANS:
		format_duration(s->base_p50_ns, median);
		buf_addf(out, "p50 %s over %zu spans of version ", median,
			 s->base_span_count);
		wording_add(out, s->base_version, NAME_BYTES);
		break;
	case BASE_IS_OTHER_VERSIONS:
		buf_add_text(out, "other versions in the same minutes");
		break;
	}
}

bool baseline_words_write(const struct profile_inquiry *q,
			  struct result *result, struct error *err)
{
	const struct baseline_choice *c = q->s->base_choice;
	struct baseline_info *b = &result->baseline;
	struct buf text;
	bool done;

	if (q->shown && q->shown->scope == SCOPE_INSTANCE) {
		b->text = STR("the other instances in the same minutes");
		return true;
	}
	if (q->shown && q->shown->scope == SCOPE_COHORT && q->s->is_base_fast) {
		b->text = STR("the fast requests in the same minutes");
		return true;
	}
	buf_init(&text, TEXT_BYTES);
	baseline_words_add(q->s, &text);
	b->is_text_plain = q->s->base_is == BASE_IS_WINDOW && c &&
			   !c->is_alike && !c->is_creeping &&
			   !c->is_behind_fault;
	done = buf_check(&text, "the baseline", err);
	if (done && text.len)
		b->text = arena_str(&result->arena, buf_str(&text));
	done = done && (!text.len || b->text.ptr ||
			arena_fail(&result->arena, "the baseline", err));
	buf_release(&text);
	return done;
}

struct str fast_spans_words(struct arena *arena, struct str name, size_t count,
			    bool is_slow, int64_t edge_ns)
{
	char edge[24];

	format_duration(edge_ns, edge);
	return arena_printf(arena, "%zu %s spans of %.*s, %s %s", count,
			    is_slow ? "slow" : "fast", STR_ARGS(name),
			    is_slow ? "from" : "up to", edge);
}
