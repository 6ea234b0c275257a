/* SPDX-License-Identifier: Apache-2.0 */
#include "report/history_reasons.h"

#include "base/num.h"
#include "report/baseline_text.h"
#include "report/baseline_words.h"
#include "report/cohorts_text.h"
#include "report/wording.h"

#define DURATION_BYTES 24
#define CLOCK_BYTES 16

/* Names of versions and servers' errors within one line. */
#define NAME_PRECISION 40
#define LINE_BYTES 256u
#define ERROR_PRECISION 160

static void report_onset(const struct operation_history *s,
			 struct notes *reasons)
{
	const struct onset *o = &s->onset;
	char slow[DURATION_BYTES], fast[DURATION_BYTES];
	char from[CLOCK_BYTES], to[CLOCK_BYTES];

	if (!s->is_answered)
		return;
	if (!o->is_found) {
		notes_add(reasons,
			  "since: no moment at which it became slow was found "
			  "in the window and the one before");
		return;
	}
	format_clock(o->start_ns, true, from);
	format_clock(o->end_ns, true, to);
	format_duration(o->slow_p50_ns, slow);
	format_duration(o->fast_p50_ns, fast);
	notes_add(reasons,
		  "since: %s%s UTC%s%s: p50 %s over %u spans, %s over the %u "
		  "others",
		  o->has_start ? "" : "before ", from,
		  o->has_recovered ? " until " : "", o->has_recovered ? to : "",
		  slow, o->slow_count, fast, o->fast_count);
}

static void report_deploy(const struct operation_history *s,
			  struct notes *reasons)
{
	const struct deploy *d = &s->deploy;
	char at[CLOCK_BYTES];

	if (!d->is_found)
		return;
	format_clock(d->at_ns, true, at);
	notes_add(reasons, "since: version %.*s after %.*s at %s UTC%s%s",
		  d->to_version.len < NAME_PRECISION ? (int)d->to_version.len
						     : NAME_PRECISION,
		  d->to_version.ptr,
		  d->from_version.len < NAME_PRECISION
			  ? (int)d->from_version.len
			  : NAME_PRECISION,
		  d->from_version.ptr, at,
		  d->is_partial ? ", beside the old one" : "",
		  d->is_near_onset ? ", about when it became slow" : "");
}

static const struct history_job *job_of(const struct operation_history *s,
					uint32_t window)
{
	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].window == window)
			return &s->jobs[i];
	return NULL;
}

/* Only one is taken; of the healthy ones that is the nearest. */
static const char *outcome_of(const struct symptom *symptom,
			      const struct operation_history *s, unsigned slot)
{
	const struct baseline_choice *choice = &s->baseline;
	bool is_by_version =
		symptom->base_version.ptr || symptom->slow_version.ptr;

	if (is_by_version && choice->slots[slot].healthy > 0)
		return ": not needed, the version decides";
	if (choice->is_behind_fault && slot < choice->chosen &&
	    choice->slots[slot].said == BASELINE_IN_FAULT)
		return ": rejected, one further back has fewer";
	if (choice->is_creeping && slot < choice->chosen &&
	    choice->slots[slot].healthy > 0)
		return ": rejected, the operation creeps";
	if (slot == choice->chosen)
		return symptom->has_base ? ": taken" : "";
	if (choice->slots[slot].healthy > 0)
		return ": not needed, a nearer one is healthy";
	return ": rejected";
}

static void keep(struct buf *text, struct notes *reasons)
{
	notes_add(reasons, "%s", buf_text(text));
	buf_release(text);
}

static void report_weighed(const struct symptom *symptom,
			   const struct operation_history *s, unsigned slot,
			   struct notes *reasons)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	buf_addf(&text, "baseline: %s: ", baseline_slot_name(slot));
	baseline_tell_window(&s->baseline.slots[slot], &text);
	buf_add_text(&text, outcome_of(symptom, s, slot));
	keep(&text, reasons);
}

static void report_slot(const struct symptom *symptom,
			const struct operation_history *s, unsigned slot,
			struct notes *reasons)
{
	uint32_t window = s->roles.baselines[slot];
	const struct history_job *job = job_of(s, window);
	const char *name = baseline_slot_name(slot);

	if (window == WINDOW_NONE && baseline_slot_is_between(slot))
		return;
	if (window == WINDOW_NONE || !job)
		notes_add(reasons, "baseline: %s: not asked for", name);
	else if (!job->job.has_answer)
		notes_add(reasons, "baseline: %s: no answer: %.*s", name,
			  ERROR_PRECISION, job->job.err.message);
	else if (s->baseline.slots[slot].said)
		report_weighed(symptom, s, slot, reasons);
}

static void report_fast(const struct symptom *symptom,
			const struct operation_history *s,
			struct notes *reasons)
{
	const struct cohort *fast = &s->cohorts.fast;
	const char *why = "";

	if (symptom->is_base_fast && fast->count)
		why = ": taken for samples by request";
	else if (!fast->count)
		why = ": rejected, none carries a profile id";
	else if (s->cohorts.mode == COHORT_WINDOW)
		why = ": rejected, the operation is slow as a whole";
	else if (s->cohorts.mode == COHORT_HEALTHY)
		why = ": rejected, there are no more slow ones than usual";
	else if (s->cohorts.mode == COHORT_UNSURE)
		why = ": rejected, more slow ones than usual may be chance";
	else
		why = ": rejected, too few to be sure of two kinds";
	notes_add(reasons,
		  "baseline: fast: %u fast requests of the same minutes, %zu "
		  "with samples of their own%s",
		  fast->span_count, fast->count, why);
}

static void report_version(const struct symptom *symptom,
			   const struct operation_history *s,
			   struct notes *reasons)
{
	const char *outcome = "rejected, no version changed in the window and "
			      "the one before";
	struct buf words;

	if (symptom->base_version.ptr || symptom->slow_version.ptr) {
		buf_init(&words, LINE_BYTES);
		baseline_words_add(symptom, &words);
		notes_add(reasons, "baseline: version: %s: taken",
			  buf_text(&words));
		buf_release(&words);
		return;
	}
	if (s->deploy.is_found)
		outcome = s->deploy.is_partial
				  ? "rejected, the slow requests are not all "
				    "of one version"
				  : "not needed, the windows tell the two "
				    "apart";
	notes_add(reasons, "baseline: version: %s", outcome);
}

static void report_requests(const struct cohorts *c,
			    void (*tell)(const struct cohorts *c,
					 struct buf *out),
			    struct notes *reasons)
{
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	buf_add_text(&text, "requests: ");
	tell(c, &text);
	keep(&text, reasons);
}

void history_reasons_add(const struct symptom *symptom,
			 const struct operation_history *s,
			 const struct baseline_want *want,
			 struct notes *reasons)
{
	report_onset(s, reasons);
	report_deploy(s, reasons);
	if (!s->is_answered) {
		notes_add(reasons,
			  "baseline: %s, not checked: there are no other "
			  "traces to tell whether it is healthy",
			  symptom->has_base ? symptom->base_kind.ptr : "none");
		return;
	}
	if (want->kind == BASELINE_WANT_RANGE ||
	    want->kind == BASELINE_WANT_NONE)
		notes_add(reasons, "baseline: %.*s: as asked for",
			  NAME_PRECISION, want->text);
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		report_slot(symptom, s, i, reasons);
	if (!s->cohorts.is_judged)
		return;
	report_fast(symptom, s, reasons);
	report_version(symptom, s, reasons);
	report_requests(&s->cohorts, cohorts_tell, reasons);
	report_requests(&s->cohorts, cohorts_tell_numbers, reasons);
}
