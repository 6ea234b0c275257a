/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/shell.h"
#include "render/units.h"
#include "report/shortfall_text.h"
#include "report/when_answer.h"

const char *when_measure_word(enum when_measure m)
{
	static const char *const words[WHEN_MEASURES] = {
		[WHEN_CPU] = "profile",
		[WHEN_FUNCTION] = "function",
		[WHEN_DURATION] = "duration",
		[WHEN_TRAFFIC] = "traffic",
	};

	return words[m];
}

const char *when_result_word(enum series_kind kind)
{
	switch (kind) {
	case SERIES_STEP:
		return "step";
	case SERIES_RAMP:
		return "ramp";
	case SERIES_RHYTHM:
		return "rhythm";
	case SERIES_BRIEF:
		return "brief";
	case SERIES_STEADY:
		return "none";
	case SERIES_TOO_FEW:
		break;
	}
	return "too_few";
}

void when_measure_text(const struct when *w, enum when_measure m,
		       struct buf *out)
{
	if (m == WHEN_TRAFFIC)
		buf_add_text(out, "requests a second");
	else if (m == WHEN_DURATION)
		buf_add_text(out, "duration");
	else
		buf_addf(out, "%s%s", measure_subject(w->type_id),
			 w->series[m].is_per_request ? " per traced request"
						     : " a second");
}

const char *when_reason_text(const struct when *w, enum when_measure m,
			     struct error *room)
{
	const char *reason = w->series[m].reason;

	if (m != WHEN_CPU || !reason || reason[0])
		return reason;
	*room = (struct error){ .code = ERROR_NOT_FOUND };
	shortfall_explain(&w->lack, room);
	return room->message;
}

void when_subject(const struct when *w, struct buf *out)
{
	if (w->want.name.len)
		buf_addf(out, "%.*s of ", STR_ARGS(w->want.name));
	if (w->function.len)
		buf_addf(out, "%.*s of ", STR_ARGS(w->function));
	buf_add_str(out, w->want.service);
}

/* Of a type's id the part that names the unit. */
static struct str unit_of(struct str type_id)
{
	for (int i = 0; i < 2; i++)
		type_id = str_slice(type_id, str_find(type_id, STR(":")) + 1,
				    type_id.len);
	return str_slice(type_id, 0, str_find(type_id, STR(":")));
}

static void add_number(struct buf *out, double value)
{
	int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;

	buf_addf(out, "%.*f", decimals, value);
}

void when_level_text(const struct when *w, enum when_measure m, double level,
		     struct buf *out)
{
	const struct when_series *s = &w->series[m];
	struct str unit = m == WHEN_DURATION  ? STR("nanoseconds")
			  : m == WHEN_TRAFFIC ? STR("")
					      : unit_of(w->type_id);
	char text[UNIT_TEXT_BYTES];

	if (!isfinite(level) || fabs(level) > 9e18) {
		buf_add_text(out, "-");
	} else if (m == WHEN_TRAFFIC) {
		add_number(out, level);
		buf_add_text(out, " a second");
	} else if (!s->is_per_request && str_equal(unit, STR("nanoseconds"))) {
		add_number(out, level / 1e9);
		buf_add_text(out, " cores");
	} else {
		format_value(llround(level), unit, text);
		buf_add_text(out, text);
	}
}

void when_ratio_text(double before, double after, struct buf *out)
{
	double ratio = after / before;

	if (!(before > 0) || ratio >= 1000)
		buf_add_text(out, "from nearly nothing");
	else if (!(after > 0) || ratio < 0.001)
		buf_add_text(out, "to nearly nothing");
	else
		buf_addf(out, "%s%.2fx", ratio < 1 ? "to " : "", ratio);
}

static void add_levels(const struct when *w, double from, double to,
		       struct buf *out)
{
	when_level_text(w, w->lead, from, out);
	buf_add_text(out, " before, ");
	when_level_text(w, w->lead, to, out);
	buf_add_text(out, " after");
}

static void add_step(const struct when *w, struct buf *before,
		     struct buf *behind)
{
	bool is_up = w->step.after > w->step.before;

	buf_add_text(before, is_up ? " rose " : " fell ");
	when_ratio_text(w->step.before, w->step.after, before);
	buf_add_text(before, " between");
	buf_add_text(behind, ": ");
	add_levels(w, w->step.before, w->step.after, behind);
}

static double level_of(const struct when_series *s, double level)
{
	return s->is_log ? exp(level) : level;
}

/* Smallest step that would have been told. */
static void add_least(const struct change_points *found, struct buf *out)
{
	if (isfinite(found->least_ratio) && found->least_ratio < 10)
		buf_addf(out, "; a step of %.2fx would have been told",
			 found->least_ratio);
	else
		buf_add_text(out, "; only a very large step would have been "
				  "told");
}

static void add_none(const struct when *w, struct buf *before,
		     struct buf *behind)
{
	const struct when_series *s = &w->series[w->lead];
	const struct change_points *found = &s->found;
	double first = level_of(s, found->first);
	double last = level_of(s, found->last);

	buf_add_text(before, found->kind == SERIES_BRIEF
				     ? " has no step that lasts"
				     : " has no step");
	if (found->kind == SERIES_BRIEF) {
		buf_add_text(
			behind,
			": what jumps goes back soon; a shorter window looks "
			"closer");
		return;
	}
	if (found->kind == SERIES_RAMP) {
		buf_addf(behind, ": it %s little by little, ",
			 last > first ? "rises" : "falls");
		when_level_text(w, w->lead, first, behind);
		buf_add_text(behind, " in the first quarter, ");
		when_level_text(w, w->lead, last, behind);
		buf_add_text(behind, " in the last");
		return;
	}
	if (found->kind == SERIES_RHYTHM) {
		buf_add_text(behind,
			     ": it goes up and down at the same times of "
			     "each day");
		return;
	}
	buf_add_text(behind, ": ");
	when_level_text(w, w->lead, last, behind);
	buf_add_text(behind, " in the last quarter, ");
	when_level_text(w, w->lead, first, behind);
	buf_add_text(behind, " in the first, within its noise");
	add_least(found, behind);
}

void when_verdict(const struct when *w, struct buf *before, struct buf *behind)
{
	when_subject(w, before);
	buf_add_text(before, ": ");
	when_measure_text(w, w->lead, before);
	if (when_has_step(w))
		add_step(w, before, behind);
	else
		add_none(w, before, behind);
}

/* On either side of the step so much is compared, as far as it is there. */
#define COMPARED_NS (30 * NS_PER_MIN)

void when_next_command(const struct when *w, struct str servers,
		       struct buf *out)
{
	struct time_range at = w->step.at, window = w->want.window;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(at.to_ns, from);
	format_rfc3339(min_i64(at.to_ns + COMPARED_NS, window.to_ns), to);
	buf_addf(out, "tracefind %s --service",
		 w->lead == WHEN_DURATION ? "slow" : "diff");
	shell_word_add(out, w->want.service);
	buf_addf(out, " --from %.19sZ --to %.19sZ", from, to);
	if (w->lead == WHEN_DURATION) {
		buf_add_str(out, servers);
		return;
	}
	format_rfc3339(max_i64(at.from_ns - COMPARED_NS, window.from_ns), from);
	format_rfc3339(at.from_ns, to);
	buf_addf(out, " --baseline %.19sZ..%.19sZ", from, to);
	buf_add_str(out, servers);
}

void when_steadiness(const struct when *w, enum when_measure m, struct buf *out)
{
	static const char *const words[] = {
		[SERIES_TOO_FEW] = "too few steps: ",
		[SERIES_STEADY] = "no step: ",
		[SERIES_RAMP] = "no step, it goes little by little: ",
		[SERIES_RHYTHM] = "no step but those of a day: ",
		[SERIES_BRIEF] = "no step that lasts: ",
		[SERIES_STEP] = "has a step: ",
	};
	const struct when_series *s = &w->series[m];
	double first = level_of(s, s->found.first);
	double last = level_of(s, s->found.last);

	buf_add_text(out, words[s->found.kind]);
	when_level_text(w, m, first, out);
	buf_add_text(out, " in the first quarter, ");
	when_level_text(w, m, last, out);
	buf_add_text(out, " in the last");
}

bool when_explain_few(const struct when *w, struct error *err)
{
	const struct when_series *s = &w->series[w->lead];
	size_t known = 0;

	for (size_t i = 0; i < s->count; i++)
		known += s->counts[i] > 0;
	return error_set(err, ERROR_NOT_FOUND,
			 "service \"%.*s\": only %zu of %zu steps of this "
			 "window were measured, %u are needed to tell a step "
			 "from noise; choose a window that has them with "
			 "--since, --from and --to",
			 STR_ARGS(w->want.service), known, s->count,
			 CHANGE_STEPS_MIN);
}
