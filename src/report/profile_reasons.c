/* SPDX-License-Identifier: Apache-2.0
 *
 * The reasoning of an inquest as --why prints it: every rung of the ladder and
 * every type of profile, tried or not, with what became of it.
 */
#include <math.h>

#include "base/num.h"
#include "investigate/measures.h"
#include "report/cause_words.h"
#include "report/wording.h"

/* Ceiling of one line; reasons are cut at LIMIT_NOTE_BYTES anyhow. */
#define LINE_BYTES 4096u

/* LIMIT_ORDINARY_REQUESTS and LIMIT_ORDINARY_ROUNDS. */
#define BUDGET_WORDS "40 requests in 7 rounds"

static void add_count(struct buf *out, int64_t count, const char *what)
{
	char text[COUNT_TEXT_BYTES];

	format_count(count, text);
	buf_addf(out, "%s %s%s", text, what, count == 1 ? "" : "s");
}

static void keep(struct buf *text, struct notes *reasons)
{
	notes_add(reasons, "%s", buf_text(text));
	buf_clear(text);
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

static void add_sides(const struct comparison *c, struct buf *out)
{
	add_side(&c->slow, out);
	if (!c->has_base)
		return;
	buf_add_text(out, "; baseline ");
	add_side(&c->base, out);
}

static bool is_thin(const struct comparison *c)
{
	return c->slow.profile.sample_count >= 0 &&
	       c->slow.profile.sample_count < VERDICT_SAMPLES;
}

static const char *level_outcome(const struct profile_inquiry *q,
				 const struct comparison *c)
{
	if (q->shown == c ||
	    (q->shown && q->shown == &q->final && q->shown->scope == c->scope &&
	     q->shown->type_id == c->type_id))
		return ": taken";
	if (!c->slow.profile.stack_count)
		return ": rejected, none are there";
	if (is_thin(c))
		return ": rejected, fewer than 20 samples decide nothing";
	if (c == &q->cohort && q->shown == &q->service_cpu &&
	    comparison_is_cut(c))
		return ": rejected, the server cut too much of it off";
	if (c == &q->request)
		return ": rejected, one request has nothing to compare with";
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
		add_sides(c, &text);
		buf_add_text(&text, level_outcome(q, c));
	} else {
		buf_addf(&text, "not asked, %s", not_asked);
	}
	keep(&text, reasons);
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
			     : "it carries no pyroscope.profile.id",
		     reasons);
	report_level(q, "requests like it", &q->cohort,
		     !q->has_span_samples ? NO_SPAN_SAMPLES
		     : s->slow_id_count   ? "--scope leaves it out"
					: "none carries a pyroscope.profile.id",
		     reasons);
	if (is_instance) {
		report_level(q, "instance", &q->service_cpu, "", reasons);
		return;
	}
	notes_add(reasons, "evidence: instance: not asked, %s",
		  q->service.instance_label.ptr
			  ? "the slow requests are not all of one instance"
			  : "the profiles carry no label of the instance");
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
			  "budget: %s: in %zu parts a side instead of %d, to "
			  "keep to " BUDGET_WORDS,
			  what, parts, COMPARISON_PARTS);
}

static void report_budget(const struct profile_inquiry *q,
			  struct notes *reasons)
{
	report_parts(q->cpu_parts, "CPU", reasons);
	report_parts(q->last_parts, "the type chosen last", reasons);
}

/* ---- types ---- */

static void report_cpu(const struct profile_inquiry *q, struct notes *reasons)
{
	static const char *const verdicts[] = {
		[CPU_UNKNOWN] = "too few samples of requests like it to tell",
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
		buf_add_text(&text, " a request");
		if (!isnan(m->base_ns)) {
			buf_add_text(&text, ", ");
			wording_add_ns(&text, m->base_ns);
			buf_add_text(&text, " before");
		}
		buf_add_text(&text, "; to explain ");
		wording_add_ns(&text, m->change_ns);
		buf_add_text(&text, " of ");
		wording_add_ns(&text, m->own_ns);
		buf_add_text(&text, " own time");
	}
	keep(&text, reasons);
	buf_release(&text);
}

static void report_alloc(const struct profile_inquiry *q, struct notes *reasons)
{
	const char *outcome = ": not asked";

	if (q->shown == &q->alloc)
		outcome = ": taken";
	else if (q->alloc.is_asked)
		outcome = ": rejected, no code of the application clearly grew";
	else if (!q->alloc_id)
		outcome = "";
	notes_add(reasons,
		  "type: alloc: garbage collection and allocation are %.0f %% "
		  "of the CPU time that was added%s",
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
		return ": rejected, it is no code of the application";
	if (m->is_crumb)
		return ": rejected, a crumb of what this request grew by";
	if (m->change < m->before)
		return ": rejected, less than twice what it was";
	if (m->change < VERDICT_EXPLAINED * m->needed)
		return ": rejected, less than half of what is to explain";
	return q->wait == WAIT_TYPES ? ": not needed, CPU explains it"
				     : ": not needed, it explains as much as "
				       "the one taken";
}

/* What the leading function waited, as the request was compared. */
static void report_measure(const struct profile_inquiry *q, enum wait_type type,
			   const struct comparison *c, struct notes *reasons)
{
	const struct wait_measure *m = &q->measures[type];
	const char *unit = c->slow.requests > 0 ? "a request" : "a second";
	struct buf text;

	buf_init(&text, LINE_BYTES);
	buf_addf(&text, "type: %s: the first function ", wait_type_words(type));
	buf_add_text(&text, m->change < 0 ? "went down by " : "grew by ");
	wording_add_ns(&text, fabs(m->change));
	buf_addf(&text, " %s, was ", unit);
	wording_add_ns(&text, m->before);
	buf_add_text(&text, "; ");
	wording_add_ns(&text, m->needed);
	buf_add_text(&text, " would explain all");
	buf_add_text(&text, wait_outcome(q, type));
	keep(&text, reasons);
	buf_release(&text);
}

static bool is_any_wait_asked(const struct profile_inquiry *q)
{
	for (int i = 0; i < WAIT_TYPES; i++)
		if (q->waits[i].is_asked)
			return true;
	return false;
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
		keep(&text, reasons);
	buf_release(&text);
}

static void report_wait(const struct profile_inquiry *q, enum wait_type type,
			struct notes *reasons)
{
	const struct comparison *c =
		type == WAIT_NEIGHBOUR ? &q->service_cpu : &q->waits[type];

	if (type == WAIT_NEIGHBOUR ? !q->measures[type].is_known
				   : !q->type_ids[type])
		return;
	if (!c->is_asked)
		notes_add(reasons, "type: %s: not asked, %s",
			  wait_type_words(type),
			  is_any_wait_asked(q)
				  ? "it tells nothing of a call to something "
				    "without spans"
				  : "there was no need");
	else if (!c->slow.profile.stack_count)
		notes_add(reasons, "type: %s: rejected, no samples",
			  wait_type_words(type));
	else if (!c->has_base)
		notes_add(reasons,
			  "type: %s: rejected, nothing to compare with",
			  wait_type_words(type));
	else
		report_measure(q, type, c, reasons);
}

void profile_reasons_add(const struct profile_inquiry *q)
{
	struct notes *reasons = &q->v->result->reasons;

	notes_add(reasons, "profiles: service \"%.*s\" (%.*s)",
		  STR_ARGS(q->service.name), STR_ARGS(q->service.how));
	report_levels(q, reasons);
	if (q->forced_id)
		notes_add(reasons, "type: %s, as asked for", q->forced_id);
	report_cpu(q, reasons);
	report_alloc(q, reasons);
	for (int i = 0; i < WAIT_TYPES; i++)
		report_wait(q, (enum wait_type)i, reasons);
	report_lacking(q, reasons);
	report_budget(q, reasons);
}
