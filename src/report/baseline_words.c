/* SPDX-License-Identifier: Apache-2.0 */
#include "report/baseline_words.h"

#include "report/baseline_text.h"
#include "report/wording.h"

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
	struct baseline_info *b = &result->baseline;
	struct buf text;
	bool done;

	if (q->shown && q->shown->scope == SCOPE_INSTANCE) {
		b->text = STR("the other instances in the same minutes");
		return true;
	}
	if (q->shown && q->shown->scope == SCOPE_COHORT && q->s->is_base_fast) {
		b->text = STR("the fast requests of the same minutes");
		return true;
	}
	buf_init(&text, TEXT_BYTES);
	baseline_words_add(q->s, &text);
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
