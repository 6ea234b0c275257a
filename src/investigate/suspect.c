/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/suspect.h"

#include "analyze/operations.h"
#include "analyze/slowspan.h"

void suspect_init(struct suspect *s)
{
	s->has_choice = false;
}

void suspect_release(struct suspect *s)
{
	if (s->has_choice)
		choice_release(&s->choice);
	s->has_choice = false;
}

static bool suspect_choose(struct investigation *v, struct suspect *s,
			   const struct typical *typical, struct error *err)
{
	suspect_release(s);
	s->has_choice = true;
	return choice_make(&s->choice, v->trace, &s->times, &s->want, typical,
			   v->result, err) &&
	       choice_conclude(&s->choice, v->result, &s->pick, err);
}

bool suspect_find(struct investigation *v, struct suspect *s, struct error *err)
{
	v->result->finding_count = 0;
	s->want = v->question->suspect;
	return trace_times_compute(v->trace, &v->result->arena, &s->times,
				   err) &&
	       messages_find(v->trace, &s->times, &v->result->arena,
			     &s->messages, err) &&
	       suspect_choose(v, s, NULL, err);
}

bool suspect_find_again(struct investigation *v, struct suspect *s,
			const struct typical *typical, bool has_gap_of_caller,
			struct error *err)
{
	struct slow_tree found;

	v->result->finding_count = 0;
	s->want.has_gap_of_caller = has_gap_of_caller;
	if (s->want.by == GUILTY_BY_CRITICAL_PATH &&
	    !guilty_want_is_narrow(&s->want)) {
		slow_tree_find(v->trace, &s->times, typical, &s->messages,
			       &found);
		trace_times_focus(v->trace, &s->times, found.top);
		s->want.has_queue = found.is_queue;
		s->want.queue = found.queue;
	}
	return suspect_choose(v, s, typical, err);
}

uint32_t suspect_entry(const struct trace *t, const struct suspect *s)
{
	return s->pick.profile_span != SPAN_NONE
		       ? s->pick.profile_span
		       : span_entry(t, s->pick.owner);
}
