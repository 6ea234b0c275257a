/* SPDX-License-Identifier: Apache-2.0 */
#include "report/finding_report.h"

#include "report/baseline_words.h"
#include "report/cause_text.h"
#include "report/cause_words.h"
#include "report/choice_reasons.h"
#include "report/choice_texts.h"
#include "report/contrast_text.h"
#include "report/headline.h"
#include "report/history_reasons.h"
#include "report/missing_span.h"
#include "report/shortfall_text.h"

bool suspect_report_write(const struct suspect *s, struct result *result,
			  struct error *err)
{
	if (result->has_reasons)
		choice_reasons_report(&s->choice, &result->reasons);
	return choice_texts_write(&s->choice, result, err);
}

bool suspect_explain(const struct suspect *s, struct error *err)
{
	return s->has_choice && s->choice.missing &&
	       missing_span_explain(&s->choice, err);
}

/* Notes that begin so take the place of the function in the report. One refusal
 * of the server is behind other notes, too: once is enough. */
static void note_missing(const char *why, struct notes *notes)
{
	const struct str lead = STR("no profile");

	notes_drop(notes, why);
	notes_add(notes, "%s%s",
		  str_starts(str_from(why), lead) ? "" : "no profile: ", why);
}

bool finding_explain(const struct finding *f, const struct shortfall *shortfall,
		     struct error *err)
{
	return shortfall_explain(shortfall, err) ||
	       suspect_explain(&f->suspect, err);
}

bool finding_report_missing(const struct finding *f, const char *why,
			    const struct baseline_want *asked,
			    struct result *result, struct notes *notes,
			    struct error *err)
{
	note_missing(why, notes);
	return finding_report_write(f, asked, result, err);
}

bool finding_report_write(const struct finding *f,
			  const struct baseline_want *asked,
			  struct result *result, struct error *err)
{
	if (!suspect_report_write(&f->suspect, result, err) ||
	    (f->has_symptom &&
	     !contrasts_report_write(&f->symptom, result, err)))
		return false;
	if (result->has_reasons && f->has_symptom)
		history_reasons_add(&f->symptom, &f->history, asked,
				    &result->reasons);
	if (!f->has_conclusion || !f->profiles)
		return cause_text_write(&f->cause, result, err) &&
		       headline_write(f, result, err);
	if ((f->shown && !baseline_words_write(f->profiles, result, err)) ||
	    !cause_words_write(f->profiles, err) ||
	    !confidence_words_write(f->profiles, err) ||
	    !headline_write(f, result, err))
		return false;
	if (result->has_reasons)
		profile_reasons_add(f->profiles);
	return true;
}
