/* SPDX-License-Identifier: Apache-2.0 */
#include "report/finding_report.h"

#include "report/cause_text.h"
#include "report/cause_words.h"
#include "report/choice_reasons.h"
#include "report/choice_texts.h"
#include "report/history_reasons.h"
#include "report/missing_span.h"

bool suspect_report_write(const struct suspect *s, struct result *result,
			  struct error *err)
{
	if (result->has_reasons)
		choice_reasons_tell(&s->choice, &result->reasons);
	return choice_texts_write(&s->choice, result, err);
}

bool suspect_explain(const struct suspect *s, struct error *err)
{
	return s->has_choice && s->choice.missing &&
	       missing_span_explain(&s->choice, err);
}

/* The trace's half of the answer. */
static bool write_trace_cause(struct result *result, struct error *err)
{
	struct cause_evidence none = { 0 };
	struct cause_facts facts;

	cause_judge(&none, result, &facts);
	return cause_text_write(&facts, result, err);
}

bool finding_report_write(const struct slow_finding *f,
			  const struct baseline_want *asked,
			  struct result *result, struct error *err)
{
	if (!suspect_report_write(&f->suspect, result, err))
		return false;
	if (result->has_reasons && f->has_symptom)
		history_reasons_add(&f->symptom, &f->history, asked,
				    &result->reasons);
	if (!f->has_profiles)
		return write_trace_cause(result, err);
	if (!cause_words_write(f->profiles, err) ||
	    !confidence_words_write(f->profiles, err))
		return false;
	if (result->has_reasons)
		profile_reasons_add(f->profiles);
	return true;
}
