/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <math.h>
#include <string.h>

#include "analyze/baseline.h"
#include "analyze/calls.h"
#include "analyze/choice.h"
#include "analyze/contrasts.h"
#include "analyze/verdict.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/notes.h"
#include "base/num.h"
#include "investigate/finding.h"
#include "investigate/investigation.h"
#include "investigate/profile_inquiry.h"
#include "investigate/symptom.h"
#include "model/result.h"
#include "model/trace.h"
#include "report/texts.h"

/* The cause in the few words that end the first line: what took the time, and
 * since when. */

#define CLOCK_BYTES 16

/* The function that grew for certain. */
static void add_function(const struct result *r, struct buf *out)
{
	struct str name;
	size_t from = 0;

	if (!r->has_profile || !r->function_count ||
	    !change_is_up(r->functions[0].change))
		return;
	/* Without the path of its package: the line below has all of it. */
	name = r->functions[0].name;
	for (size_t i = 0; i < name.len && name.ptr[i] != '(' &&
			   name.ptr[i] != '<' && name.ptr[i] != ' ';
	     i++)
		if (name.ptr[i] == '/')
			from = i + 1;
	buf_add_text(out, " in ");
	wording_add(out, str_slice(name, from, name.len), WORDING_TEXT_BYTES);
}

static void add_loop(const struct choice *c, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	if (!c->loop) {
		buf_add_text(out, "many calls one after another");
		return;
	}
	format_count(c->loop->count, count);
	buf_addf(out, "%s %s %s", count,
		 c->calls.kind[c->loop->leaf] == CALL_DATABASE ? "queries"
							       : "calls",
		 wording_manner(repeat_manner(c->loop)));
}

static void add_way(const struct choice *c, struct buf *out)
{
	if (choice_ground(c) == CHOICE_SET_UP) {
		buf_add_text(out, "setting up a connection");
		return;
	}
	buf_add_text(out, "the way");
	if (c->server_side == SPAN_NONE)
		return;
	buf_add_text(out, " to ");
	wording_add(out, span_service(c->t, c->server_side),
		    WORDING_TEXT_BYTES);
}

static void add_wait(const struct finding *f, const struct result *r,
		     struct buf *out)
{
	const struct choice *c = &f->suspect.choice;
	const struct pool_holder *h = f->profiles ? &f->profiles->holder : NULL;

	if (choice_ground(c) == CHOICE_PAUSES) {
		buf_add_text(out, "pauses between attempts");
	} else if (choice_ground(c) == CHOICE_GAP) {
		buf_add_text(out, "most of it outside the callee's spans");
	} else if (h && h->is_found) {
		/* Who holds what is waited for is to blame, not who waits. */
		buf_add_text(out, "waiting for a connection, held by ");
		wording_add(out, h->request, WORDING_TEXT_BYTES);
		buf_addf(out, " for %.0f %% of the time", 100 * h->share);
	} else {
		buf_add_text(out, "waiting");
		add_function(r, out);
	}
}

static void add_cause(const struct finding *f, const struct result *r,
		      struct buf *out)
{
	const struct choice *c = &f->suspect.choice;

	switch (r->cause.kind) {
	case CAUSE_N_PLUS_ONE:
		add_loop(c, out);
		return;
	case CAUSE_DOWNSTREAM:
		if (c->plan)
			wording_add_plan(out, c);
		else
			wording_add_peer(out,
					 c->best->count > 1 ? "calls to "
							    : "a call to ",
					 &c->calls, c->best->span);
		return;
	case CAUSE_NETWORK:
		add_way(c, out);
		return;
	case CAUSE_QUEUE:
		buf_add_text(out, c->queue && c->queue->has_moved
					  ? "the consumer lags"
					  : "taken late");
		return;
	case CAUSE_CONTENTION:
		buf_add_text(out, "CPU starvation");
		return;
	case CAUSE_CPU:
		buf_add_text(out, "computing");
		break;
	case CAUSE_ALLOC:
		buf_add_text(out, "allocation and garbage collection");
		break;
	case CAUSE_LOCK:
		buf_add_text(out, "waiting for a lock");
		break;
	case CAUSE_WAIT:
		add_wait(f, r, out);
		return;
	case CAUSE_UNKNOWN:
		/* Only a profile tells the two apart. */
		buf_add_text(out, r->span.self_ns > r->span.duration_ns / 2
					  ? "in its code or waiting there"
					  : "cause not known");
		return;
	}
	add_function(r, out);
}

/* The deployment about when it became slow; NULL: none. */
static const struct deploy *deploy_near(const struct finding *f)
{
	const struct deploy *d = &f->history.deploy;

	return d->is_found && d->is_near_onset ? d : NULL;
}

static void add_since(const struct finding *f, struct buf *out)
{
	const struct onset *o = &f->history.onset;
	const struct deploy *d = deploy_near(f);
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	int digits;

	/* A plan changes with the code. */
	if (f->suspect.choice.plan && d) {
		buf_add_text(out, ", since ");
		wording_add(out, d->to_version, WORDING_TEXT_BYTES);
		return;
	}
	/* What was slow at times before did not begin at any of them. */
	if (!o->is_found || !o->has_start ||
	    f->history.baseline.slots[BASELINE_PREVIOUS].said ==
		    BASELINE_IN_FAULT)
		return;
	/* "2026-11-21T10:09", to the minute. An answer is pasted elsewhere. */
	format_rfc3339(o->start_ns, from);
	format_rfc3339(o->end_ns, to);
	digits = strncmp(from, to, 16) ? 5 : 8; /* seconds within a minute */
	if (!o->has_recovered)
		buf_addf(out, ", since %.10s %.5s UTC", from, from + 11);
	else
		buf_addf(out, ", from %.10s %.*s to %.*s UTC", from, digits,
			 from + 11, digits, to + 11);
}

/* The change that came with it: a version, one instance, an attribute. */
static void add_change(const struct finding *f, struct buf *out)
{
	const struct deploy *d = deploy_near(f);
	const struct contrast *c = contrast_apart(&f->symptom);
	char at[CLOCK_BYTES];

	if (d && !f->suspect.choice.plan) {
		format_clock(d->at_ns, true, at);
		buf_add_text(out, ", ");
		wording_add(out, d->to_version, WORDING_TEXT_BYTES);
		buf_addf(out, " deployed %s", at);
	}
	if (c && !(d && c->of == CONTRAST_OF_VERSION))
		contrast_tell_apart(&f->symptom, c, out);
}

/* The step that ends the trouble for now, as the comment of a shell: run like
 * the commands below it, it does nothing. Left out where a name holds a line
 * that would be run behind the comment. */
static void add_step(const struct finding *f, struct buf *out)
{
	const struct symptom *s = &f->symptom;
	const struct deploy *d = deploy_near(f);
	const struct contrast *c = contrast_apart(s);
	const struct pool_holder *h =
		f->profiles ? &f->profiles->holder : NULL;

	if (d) {
		buf_add_text(out, "# roll back ");
		wording_add(out, s->service, WORDING_TEXT_BYTES);
		buf_add_text(out, " from ");
		wording_add(out, d->to_version, WORDING_TEXT_BYTES);
		buf_add_text(out, " to ");
		wording_add(out, d->from_version, WORDING_TEXT_BYTES);
	} else if (c && c->of == CONTRAST_OF_INSTANCE) {
		buf_add_text(out, "# drain ");
		wording_add(out, history_text(s->history, c->value),
			    WORDING_TEXT_BYTES);
		buf_add_text(out, ", an instance of ");
		wording_add(out, s->service, WORDING_TEXT_BYTES);
	} else if (h && h->is_found) {
		buf_add_text(out, "# look at ");
		wording_add(out, h->request, WORDING_TEXT_BYTES);
		buf_add_text(out, ", which holds the connections");
	}
	for (size_t i = 0; i < out->len; i++) {
		unsigned char byte = (unsigned char)out->data[i];

		if (byte < ' ' || byte == 0x7f) {
			buf_clear(out);
			return;
		}
	}
}

bool headline_write(const struct finding *f, struct result *result,
		    struct error *err)
{
	bool is_healthy = f->has_symptom && f->symptom.is_healthy;
	struct buf text;

	if (!result->has_cause || !f->suspect.has_choice)
		return true;
	if (deploy_near(f))
		result->since_version = deploy_near(f)->to_version;
	buf_init(&text, WORDING_BYTES);
	if (is_healthy && result->span.is_typical_like) {
		contrast_tell_like(&f->symptom, f->symptom.usual, &text);
		if (!wording_take(&text, &result->arena,
				  &result->span.typical_like, err))
			return false;
	}
	result->span.is_as_ever = is_healthy && !f->symptom.is_exception;
	if (!is_healthy)
		add_cause(f, result, &text);
	else if (f->symptom.usual)
		buf_add_text(&text, "normal for similar requests");
	else if (f->symptom.is_exception)
		buf_add_text(&text, "this request alone, others are no slower "
				    "than normal");
	else
		buf_add_text(&text, "no slower than normal");
	if (f->has_symptom && !is_healthy && text.len) {
		struct buf step;

		add_since(f, &text);
		add_change(f, &text);
		buf_init(&step, WORDING_BYTES);
		add_step(f, &step);
		if (!wording_take(&step, &result->arena, &result->step, err)) {
			buf_release(&text);
			return false;
		}
	}
	return wording_take(&text, &result->arena, &result->cause.headline,
			    err);
}

/* The reasoning from other traces, for --why: since when it is slow, which
 * requests are slow like it, and what became of each baseline that was thought
 * of. */

#define DURATION_BYTES 24

/* Names of versions and servers' errors within one line. */
#define NAME_PRECISION 40
#define HISTORY_LINE_BYTES 256u
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
			  "since: no change point in the window or the one "
			  "before");
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
		  d->is_partial ? ", alongside the old one" : "",
		  d->is_near_onset ? ", about when it became slow" : "");
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
		return ": rejected, an earlier window has fewer";
	if (choice->is_creeping && slot < choice->chosen &&
	    choice->slots[slot].healthy > 0)
		return ": rejected, the operation drifts slowly";
	if (slot == choice->chosen)
		return symptom->has_base ? ": taken" : "";
	if (choice->slots[slot].healthy > 0)
		return ": not needed, a nearer window is healthy";
	return ": rejected";
}

static void report_slot(const struct symptom *symptom,
			const struct operation_history *s, unsigned slot,
			struct notes *reasons)
{
	uint32_t window = s->roles.baselines[slot];
	const struct history_job *job = NULL;
	const char *name = baseline_slot_name(slot);
	struct buf text;

	if (window == WINDOW_NONE && baseline_slot_is_between(slot))
		return;
	for (size_t i = 0; i < s->job_count && !job; i++)
		if (s->jobs[i].window == window)
			job = &s->jobs[i];
	if (window == WINDOW_NONE || !job) {
		notes_add(reasons, "baseline: %s: not queried", name);
	} else if (!job->job.has_answer) {
		notes_add(reasons, "baseline: %s: no answer: %.*s", name,
			  ERROR_PRECISION, job->job.err.message);
	} else if (s->baseline.slots[slot].said) {
		buf_init(&text, WORDING_BYTES);
		buf_addf(&text, "baseline: %s: ", name);
		baseline_tell_window(&s->baseline.slots[slot], &text);
		buf_add_text(&text, outcome_of(symptom, s, slot));
		notes_add(reasons, "%s", buf_text(&text));
		buf_release(&text);
	}
}

static void report_fast(const struct symptom *symptom,
			const struct operation_history *s,
			struct notes *reasons)
{
	const struct cohort *fast = &s->cohorts.fast;
	const char *why = "";

	if (symptom->is_base_fast && fast->count)
		why = ": taken for samples per request";
	else if (!fast->count)
		why = ": rejected, none has a profile id";
	else if (s->cohorts.mode == COHORT_WINDOW)
		why = ": rejected, the operation is slow as a whole";
	else if (s->cohorts.mode == COHORT_HEALTHY)
		why = ": rejected, no more slow requests than normal";
	else if (s->cohorts.mode == COHORT_UNSURE)
		why = ": rejected, the number of slow requests may be chance";
	else
		why = ": rejected, too few to separate slow from fast";
	notes_add(reasons,
		  "baseline: fast: %u fast requests in the same minutes, %zu "
		  "of them with samples%s",
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
		buf_init(&words, HISTORY_LINE_BYTES);
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
				  : "not needed, the windows separate the "
				    "versions";
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
	notes_add(reasons, "%s", buf_text(&text));
	buf_release(&text);
}

/* Appends to reasons, in the order of the reasoning. After symptom_fill(). */
static void history_reasons_add(const struct symptom *symptom,
				const struct operation_history *s,
				const struct baseline_want *want,
				struct notes *reasons)
{
	report_onset(s, reasons);
	report_deploy(s, reasons);
	if (!s->is_answered) {
		notes_add(reasons,
			  "baseline: %s, not checked: there are no other "
			  "traces to judge its health",
			  symptom->has_base ? symptom->base_kind.ptr : "none");
		return;
	}
	if (want->kind == BASELINE_WANT_RANGE ||
	    want->kind == BASELINE_WANT_NONE)
		notes_add(reasons, "baseline: %.*s: as requested",
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

/* The reasoning of an inquest as --why prints it: every rung of the ladder and
 * every type of profile, tried or not, with what became of it. */

/* Ceiling of one line; reasons are cut at LIMIT_NOTE_BYTES anyhow. */
#define LINE_BYTES 4096u

/* LIMIT_ORDINARY_REQUESTS and LIMIT_ORDINARY_ROUNDS. */
#define BUDGET_WORDS "40 requests in 8 rounds"

static void add_count(struct buf *out, int64_t count, const char *what)
{
	char text[COUNT_TEXT_BYTES];

	format_count(count, text);
	buf_addf(out, "%s %s%s", text, what, count == 1 ? "" : "s");
}

/* ---- rungs ---- */

/* CPU time of a side: by request where they are known, else in cores. */
static void add_side(const struct comparison_side *side, struct buf *out)
{
	if (side->profile.sample_count >= 0)
		add_count(out, side->profile.sample_count, "sample");
	else
		buf_add_text(out, side->profile.stack_count ? "samples"
							    : "no samples");
	if (!side->profile.stack_count)
		return;
	if (side->span_id_count) {
		buf_add_text(out, " of ");
		add_count(out, (int64_t)side->span_id_count, "request");
		buf_add_text(out, ", ");
		wording_add_ns(out, (double)side->profile.total *
				    (double)time_unit_ns(
					    profile_unit(&side->profile)) /
				    (double)side->span_id_count);
		buf_add_text(out, side->span_id_count > 1 ? " of CPU each"
							  : " of CPU");
		return;
	}
	buf_addf(out, ", %.2f cores", comparison_cores(side));
}

static const char *level_outcome(const struct profile_inquiry *q,
				 const struct comparison *c)
{
	if (q->shown == c ||
	    (q->shown && q->shown == &q->final && q->shown->scope == c->scope &&
	     q->shown->type_id == c->type_id))
		return ": taken";
	if (!c->slow.profile.stack_count)
		return ": rejected, no samples";
	if (c->slow.profile.sample_count >= 0 &&
	    c->slow.profile.sample_count < VERDICT_SAMPLES)
		return ": rejected, fewer than 20 samples";
	if (c == &q->cohort && q->shown == &q->service_cpu &&
	    comparison_is_cut(c))
		return ": rejected, truncated too much by the server";
	if (c == &q->request)
		return ": rejected, a single request has no baseline";
	if (q->shown == &q->cohort)
		return ": not needed, a higher evidence level has samples enough";
	if (q->cpu_verdict == CPU_WAITS)
		return ": rejected, it was not on CPU";
	return ": not taken";
}

static void report_level(const struct profile_inquiry *q, const char *name,
			 const struct comparison *c, const char *not_asked,
			 struct notes *reasons)
{
	struct buf text;

	buf_init(&text, LINE_BYTES);
	buf_addf(&text, "evidence: %s: ", name);
	if (c->is_asked) {
		add_side(&c->slow, &text);
		if (c->has_base) {
			buf_add_text(&text, "; baseline ");
			add_side(&c->base, &text);
		}
		buf_add_text(&text, level_outcome(q, c));
	} else {
		buf_addf(&text, "not queried, %s", not_asked);
	}
	notes_add(reasons, "%s", buf_text(&text));
	buf_release(&text);
}

#define NO_SPAN_SAMPLES "the server keeps no samples by span"

static void report_levels(const struct profile_inquiry *q,
			  struct notes *reasons)
{
	const struct symptom *s = q->s;
	bool is_instance = q->service_cpu.scope == SCOPE_INSTANCE;

	report_level(q, "this request", &q->request,
		     !q->has_span_samples ? NO_SPAN_SAMPLES
		     : q->is_request_spared
			     ? "to keep to " BUDGET_WORDS
			     : "it has no pyroscope.profile.id",
		     reasons);
	report_level(q, "similar requests", &q->cohort,
		     !q->has_span_samples ? NO_SPAN_SAMPLES
		     : s->slow_id_count   ? "excluded by --scope"
					: "none has a pyroscope.profile.id",
		     reasons);
	if (is_instance) {
		report_level(q, "instance", &q->service_cpu, "", reasons);
		return;
	}
	notes_add(reasons, "evidence: instance: not queried, %s",
		  !q->service.instance_label.ptr
			  ? "the profiles have no instance label"
		  : s->slow_instances == 1
			  ? "it is the only one"
			  : "the slow requests are not all of one instance");
	report_level(q, "service", &q->service_cpu, "", reasons);
}

/* ---- the budget ---- */

static void report_parts(size_t parts, const char *what, struct notes *reasons)
{
	if (!parts || parts == COMPARISON_PARTS)
		return;
	if (parts == 1)
		notes_add(reasons,
			  "budget: %s: as a whole, to keep to " BUDGET_WORDS,
			  what);
	else
		notes_add(reasons,
			  "budget: %s: in %zu intervals per side instead of "
			  "%d, to keep to " BUDGET_WORDS,
			  what, parts, COMPARISON_PARTS);
}

/* ---- types ---- */

static void report_cpu(const struct profile_inquiry *q, struct notes *reasons)
{
	static const char *const verdicts[] = {
		[CPU_UNKNOWN] = "too few samples of similar requests",
		[CPU_EXPLAINS] = "explains the growth",
		[CPU_PARTLY] = "explains a part of the growth",
		[CPU_WAITS] = "does not explain the growth: it waited",
	};
	const struct cpu_measure *m = &q->cpu;
	struct buf text;

	buf_init(&text, LINE_BYTES);
	buf_addf(&text, "type: cpu: %s", verdicts[q->cpu_verdict]);
	if (m->samples > 0) {
		buf_add_text(&text, "; ");
		wording_add_ns(&text, m->slow_ns);
		buf_add_text(&text, " per request");
		if (!isnan(m->base_ns)) {
			buf_add_text(&text, ", ");
			wording_add_ns(&text, m->base_ns);
			buf_add_text(&text, " in the baseline");
		}
		buf_add_text(&text, "; to explain ");
		wording_add_ns(&text, m->change_ns);
		buf_add_text(&text, " of ");
		wording_add_ns(&text, m->own_ns);
		buf_add_text(&text, " self time");
	}
	notes_add(reasons, "%s", buf_text(&text));
	buf_release(&text);
}

static void report_alloc(const struct profile_inquiry *q, struct notes *reasons)
{
	const char *outcome = ": not queried";

	if (q->shown == &q->alloc)
		outcome = ": taken";
	else if (q->alloc.is_asked)
		outcome = ": rejected, no application code clearly grew";
	else if (!q->alloc_id)
		outcome = "";
	notes_add(reasons,
		  "type: alloc: garbage collection and allocation are %.0f %% "
		  "of the added CPU time%s",
		  100 * q->gc_share, outcome);
}

static const char *wait_outcome(const struct profile_inquiry *q,
				enum wait_type type)
{
	const struct wait_measure *m = &q->measures[type];

	if (q->wait == type ||
	    (type == WAIT_NEIGHBOUR && q->shown == &q->service_cpu))
		return ": taken";
	if (!m->is_grown)
		return ": rejected, it did not clearly grow";
	if (!m->is_owner)
		return ": rejected, not application code";
	if (m->is_crumb)
		return ": rejected, under 2 % of the growth of this request";
	if (m->change < m->before)
		return ": rejected, less than twice its baseline";
	if (m->change < VERDICT_EXPLAINED * m->needed)
		return ": rejected, less than half of the growth to explain";
	return q->wait == WAIT_TYPES ? ": not needed, CPU explains it"
				     : ": not needed, it explains no more than "
				       "the one taken";
}

/* The wait of the leading function, as the request was compared. */
static void report_measure(const struct profile_inquiry *q, enum wait_type type,
			   const struct comparison *c, struct notes *reasons)
{
	const struct wait_measure *m = &q->measures[type];
	const char *unit = c->slow.requests > 0 ? "per request" : "per second";
	struct buf text;

	buf_init(&text, LINE_BYTES);
	buf_addf(&text, "type: %s: the top function ", wait_type_words(type));
	buf_add_text(&text, m->change < 0 ? "went down by " : "grew by ");
	wording_add_ns(&text, fabs(m->change));
	buf_addf(&text, " %s, was ", unit);
	wording_add_ns(&text, m->before);
	buf_add_text(&text, "; ");
	wording_add_ns(&text, m->needed);
	buf_add_text(&text, " would explain the growth");
	buf_add_text(&text, wait_outcome(q, type));
	notes_add(reasons, "%s", buf_text(&text));
	buf_release(&text);
}

/* Types that the service does not send, in one line. */
static void report_lacking(const struct profile_inquiry *q,
			   struct notes *reasons)
{
	struct buf text;
	size_t n = 0;

	buf_init(&text, LINE_BYTES);
	buf_add_text(&text, "type: not sent by the service: ");
	if (!q->alloc_id)
		buf_addf(&text, "%salloc", n++ ? ", " : "");
	for (int i = 0; i < WAIT_TYPES; i++)
		if (i != WAIT_NEIGHBOUR && !q->type_ids[i])
			buf_addf(&text, "%s%s", n++ ? ", " : "",
				 wait_type_words((enum wait_type)i));
	if (n)
		notes_add(reasons, "%s", buf_text(&text));
	buf_release(&text);
}

static void report_wait(const struct profile_inquiry *q, enum wait_type type,
			struct notes *reasons)
{
	const struct comparison *c =
		type == WAIT_NEIGHBOUR ? &q->service_cpu : &q->waits[type];

	bool is_any_asked = false;

	if (type == WAIT_NEIGHBOUR ? !q->measures[type].is_known
				   : !q->type_ids[type])
		return;
	for (int i = 0; i < WAIT_TYPES; i++)
		is_any_asked |= q->waits[i].is_asked;
	if (!c->is_asked)
		notes_add(reasons, "type: %s: not queried, %s",
			  wait_type_words(type),
			  is_any_asked
				  ? "it cannot show calls to services without "
				    "spans"
				  : "not needed");
	else if (!c->slow.profile.stack_count)
		notes_add(reasons, "type: %s: rejected, no samples",
			  wait_type_words(type));
	else if (!c->has_base)
		notes_add(reasons,
			  "type: %s: rejected, no baseline",
			  wait_type_words(type));
	else
		report_measure(q, type, c, reasons);
}

/* Appends to result->reasons. */
static void profile_reasons_add(const struct profile_inquiry *q)
{
	struct notes *reasons = &q->v->result->reasons;

	notes_add(reasons, "profiles: service \"%.*s\" (%.*s)",
		  STR_ARGS(q->service.name), STR_ARGS(q->service.how));
	report_levels(q, reasons);
	if (q->forced_id)
		notes_add(reasons, "type: %s, as requested", q->forced_id);
	report_cpu(q, reasons);
	report_alloc(q, reasons);
	for (int i = 0; i < WAIT_TYPES; i++)
		report_wait(q, (enum wait_type)i, reasons);
	report_lacking(q, reasons);
	report_parts(q->cpu_parts, "CPU", reasons);
	report_parts(q->last_parts, "the type chosen last", reasons);
}

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
	const struct str lead = STR("no profile");

	/* A note that begins so takes the place of the function in the report.
	 * One refusal of the server is behind other notes, too: once is
	 * enough. */
	notes_drop(notes, why);
	notes_add(notes, "%s%s",
		  str_starts(str_from(why), lead) ? "" : "no profile: ", why);
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
