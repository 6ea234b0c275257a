/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "investigate/when.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"
#include "report/chart.h"
#include "report/texts.h"

static const char *when_measure_word(enum when_measure m)
{
	static const char *const words[WHEN_MEASURES] = {
		[WHEN_CPU] = "profile",
		[WHEN_FUNCTION] = "function",
		[WHEN_DURATION] = "duration",
		[WHEN_TRAFFIC] = "traffic",
	};

	return words[m];
}

static const char *when_result_word(enum series_kind kind)
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

/* "CPU per request", "duration", "requests per second"; JSON's words. */
static void when_measure_text(const struct when *w, enum when_measure m,
			      struct buf *out)
{
	if (m == WHEN_TRAFFIC)
		buf_add_text(out, "requests per second");
	else if (m == WHEN_DURATION)
		buf_add_text(out, "duration");
	else
		buf_addf(out, "%s%s", measure_subject(w->type_id),
			 w->series[m].is_per_request ? " per traced request"
						     : " per second");
}

/* Why it is not known, in room where it takes words; NULL: nobody said. */
static const char *when_reason_text(const struct when *w, enum when_measure m,
				    struct error *room)
{
	const char *reason = w->series[m].reason;

	if (m != WHEN_CPU || !reason || reason[0])
		return reason;
	*room = (struct error){ .code = ERROR_NOT_FOUND };
	shortfall_explain(&w->lack, room);
	return room->message;
}

/* Whose it is: "GET /cart of web", "apply_discounts of pricing", "web". */
static void when_subject(const struct when *w, struct buf *out)
{
	if (w->want.name.len)
		buf_addf(out, "%.*s of ", STR_ARGS(w->want.name));
	if (w->function.len)
		buf_addf(out, "%.*s of ", STR_ARGS(w->function));
	buf_add_str(out, w->want.service);
}

static void add_number(struct buf *out, double value)
{
	int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;

	buf_addf(out, "%.*f", decimals, value);
}

/* "12.3 ms", "0.42 cores", "7.9". */
static void when_level_text(const struct when *w, enum when_measure m,
			    double level, struct buf *out)
{
	const struct when_series *s = &w->series[m];
	struct str unit = w->type_id;
	char text[UNIT_TEXT_BYTES];

	/* The third of the parts of a type's id. */
	for (int i = 0; i < 2; i++)
		unit = str_slice(unit, str_find(unit, STR(":")) + 1, unit.len);
	unit = m == WHEN_DURATION
		       ? STR("nanoseconds")
		       : str_slice(unit, 0, str_find(unit, STR(":")));

	if (!isfinite(level) || fabs(level) > 9e18) {
		buf_add_text(out, "-");
	} else if (m == WHEN_TRAFFIC) {
		add_number(out, level);
		buf_add_text(out, " per second");
	} else if (!s->is_per_request && str_equal(unit, STR("nanoseconds"))) {
		add_number(out, level / 1e9);
		buf_add_text(out, " cores");
	} else {
		format_value(llround(level), unit, text);
		buf_add_text(out, text);
	}
}

/* "1.43x" */
static void when_ratio_text(double before, double after, struct buf *out)
{
	double ratio = after / before;

	if (!(before > 0) || ratio >= 1000)
		buf_add_text(out, "from nearly nothing");
	else if (!(after > 0) || ratio < 0.001)
		buf_add_text(out, "to nearly nothing");
	else
		buf_addf(out, "%s%.2fx", ratio < 1 ? "to " : "", ratio);
}

static void add_levels(const struct when *w, enum when_measure m, double from,
		       double to, struct buf *out)
{
	when_level_text(w, m, from, out);
	buf_add_text(out, " before, ");
	when_level_text(w, m, to, out);
	buf_add_text(out, " after");
}

static double level_of(const struct when_series *s, double level)
{
	return s->is_log ? exp(level) : level;
}

/* Returns whether the newest steps may become a step. */
static bool has_recent(const struct when *w)
{
	return w->series[w->lead].found.recent_count > 0;
}

static int64_t recent_since(const struct when *w)
{
	return w->series[w->lead].starts[w->series[w->lead].found.recent.at];
}

static void add_none(const struct when *w, struct buf *before,
		     struct buf *behind)
{
	const struct when_series *s = &w->series[w->lead];
	const struct change_points *found = &s->found;
	double first = level_of(s, found->first);
	double last = level_of(s, found->last);

	buf_add_text(before, found->kind == SERIES_BRIEF
				     ? " has no lasting change point in"
				     : " has no change point in");
	if (found->kind == SERIES_BRIEF) {
		buf_add_text(
			behind,
			": changes revert soon; a shorter window has finer "
			"resolution");
		return;
	}
	if (found->kind == SERIES_RAMP) {
		buf_addf(behind, ": it %s gradually, ",
			 last > first ? "rises" : "falls");
		when_level_text(w, w->lead, first, behind);
		buf_add_text(behind, " in the first quarter, ");
		when_level_text(w, w->lead, last, behind);
		buf_add_text(behind, " in the last");
		return;
	}
	if (found->kind == SERIES_RHYTHM) {
		buf_add_text(behind,
			     ": it follows a daily rhythm");
		return;
	}
	buf_add_text(behind, ": ");
	when_level_text(w, w->lead, last, behind);
	buf_add_text(behind, " in the last quarter, ");
	when_level_text(w, w->lead, first, behind);
	buf_add_text(behind, " in the first, within its noise");
	/* Smallest step that would have been told. */
	if (isfinite(found->least_ratio) && found->least_ratio < 10)
		buf_addf(behind, "; detectable: %.2fx or more",
			 found->least_ratio);
	else
		buf_add_text(behind,
			     "; only a very large change is detectable");
}

/* On either side of the step so much is compared, as far as it is there. */
#define COMPARED_NS (30 * NS_PER_MIN)

/* The command that says which functions the step is of. */
static void when_next_command(const struct when *w, struct str servers,
			      struct buf *out)
{
	struct time_range at = w->step.at, window = w->want.window;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	if (!when_has_step(w))
		at.from_ns = at.to_ns = recent_since(w);

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

/* How something went that has no step to be held against. */
static void when_steadiness(const struct when *w, enum when_measure m,
			    struct buf *out)
{
	static const char *const words[] = {
		[SERIES_TOO_FEW] = "too few intervals: ",
		[SERIES_STEADY] = "no change point: ",
		[SERIES_RAMP] = "no change point, a gradual trend: ",
		[SERIES_RHYTHM] = "no change point beyond the daily rhythm: ",
		[SERIES_BRIEF] = "no lasting change point: ",
		[SERIES_STEP] = "has a change point: ",
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
			 "service \"%.*s\": only %zu of %zu intervals of this "
			 "window were measured, %u are needed to detect a "
			 "change point; choose another window with --since, "
			 "--from and --to",
			 STR_ARGS(w->want.service), known, s->count,
			 CHANGE_STEPS_MIN);
}

/* A page of its own: the verdict, a chart of the levels with the step, and the
 * report below it. It loads nothing, and all that is drawn is SVG. */

/* One step that hangs does not flatten all others. */
static double find_top(const struct when_series *s)
{
	double most = 0, next = 0;

	for (size_t i = 0; i < s->count; i++) {
		double level = s->counts[i] > 0 ? when_level(s, i) : 0;

		if (level > most) {
			next = most;
			most = level;
		} else if (level > next) {
			next = level;
		}
	}
	most = next > 0 && most > 2 * next ? 2 * next : most;
	return most > 0 ? most * 1.1 : 1;
}

static void draw_levels(struct chart *c, const struct when_series *s)
{
	chart_path_begin(c, "stroke=\"currentColor\"");
	for (size_t i = 0; i < s->count; i++) {
		int64_t middle_ns =
			s->starts[i] + (s->starts[i + 1] - s->starts[i]) / 2;

		if (s->counts[i] > 0)
			chart_path_point(c, middle_ns, when_level(s, i));
		else
			chart_path_gap(c);
	}
	chart_path_end(c);
}

/* The step, and the levels between all steps. */
static void draw_steps(const struct chart *c, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	double from = chart_x(c, w->step.at.from_ns);
	double to = chart_x(c, w->step.at.to_ns);
	int64_t from_ns = s->starts[0];
	struct when_step step = w->step;

	outf(c->out,
	     "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
	     "fill=\"var(--bad)\" fill-opacity=\"0.35\"/>\n",
	     from, CHART_TOP, fmax(to - from, 2),
	     CHART_HEIGHT - CHART_TOP - CHART_BOTTOM);
	for (size_t i = 0; i < s->found.count; i++) {
		step = when_step_of(s, i);
		chart_mark(c, (struct time_range){ from_ns, step.at.from_ns },
			   step.before, step.before);
		from_ns = step.at.to_ns;
	}
	chart_mark(c, (struct time_range){ from_ns, c->range.to_ns },
		   step.after, step.after);
}

static void draw_versions(const struct chart *c, const struct when *w)
{
	for (size_t i = 0; i < w->version_count; i++) {
		const struct when_version *v = &w->versions[i];
		double x = chart_x(c, v->at.from_ns);
		bool is_right = x > CHART_WIDTH * 0.8;

		outf(c->out,
		     "<path stroke=\"currentColor\" stroke-dasharray=\"1 3\" "
		     "d=\"M%.1f %dV%d\"/>\n",
		     x, CHART_TOP, CHART_HEIGHT - CHART_BOTTOM);
		chart_text(c, is_right ? x - 4 : x + 4, CHART_TOP + 12,
			   is_right ? "end" : "start", v->to);
	}
}

static void write_chart(const struct when *w, struct out *out)
{
	const struct when_series *s = &w->series[w->lead];
	struct chart c = { .out = out,
			   .range = { s->starts[0], s->starts[s->count] },
			   .top = find_top(s) };
	struct buf text;

	chart_begin(&c, "levels over time, UTC");
	buf_init(&text, 256);
	for (int i = 0; i <= 2; i++) {
		double level = c.top * i / 2;

		buf_clear(&text);
		when_level_text(w, w->lead, level, &text);
		chart_level_label(&c, level, buf_str(&text));
	}
	buf_release(&text);
	if (when_has_step(w))
		draw_steps(&c, w);
	draw_versions(&c, w);
	draw_levels(&c, s);
	chart_end(&c);
}

static void when_write_html(const void *answer, struct out *out)
{
	const struct when_answer *a = answer;
	struct buf subject;

	buf_init(&subject, LIMIT_PAGE_TEXT_BYTES);
	when_subject(a->when, &subject);
	chart_page_begin(out, "since when: ", buf_str(&subject));
	write_chart(a->when, out);
	chart_page_end(out, &when_writer, a);
	buf_release(&subject);
}

static double known_ratio(double ratio)
{
	return ratio > 0 ? ratio : NAN;
}

static void json_step(struct jsonw *w, const struct when_step *step)
{
	jsonw_addf(w,
		   "{from:%+jd, to:%+jd, width_ns:%jd, before:%.3f, "
		   "after:%.3f, ratio:%.4f}",
		   step->at.from_ns, step->at.to_ns,
		   step->at.to_ns - step->at.from_ns, step->before, step->after,
		   known_ratio(step->after / step->before));
}

static void json_versions(struct jsonw *w, const struct when *q)
{
	jsonw_addf(w, "versions:[");
	for (size_t i = 0; i < q->version_count; i++) {
		const struct when_version *v = &q->versions[i];

		jsonw_addf(w,
			   "{before:%.*s, after:%.*s, from:%+jd, to:%+jd, "
			   "is_partial:%i, is_with_step:%i}",
			   STR_WHOLE(v->from), STR_WHOLE(v->to), v->at.from_ns,
			   v->at.to_ns, v->is_partial, v->is_near);
	}
	jsonw_array_end(w);
}

static void json_found(struct jsonw *w, const struct when *q,
		       enum when_measure m)
{
	const struct when_series *s = &q->series[m];

	jsonw_addf(w,
		   "result:%s, least_ratio:%.4f, first:%.3f, last:%.3f, "
		   "steps:[",
		   when_result_word(s->found.kind),
		   known_ratio(s->found.least_ratio),
		   level_of(s, s->found.first), level_of(s, s->found.last));
	for (size_t i = 0; i < s->found.count; i++) {
		struct when_step step = when_step_of(s, i);

		/* That was looked at more closely. */
		if (m == q->lead && i == s->found.largest)
			step = q->step;
		json_step(w, &step);
	}
	jsonw_addf(w, "], start:%+jd, step_ns:%jd, values:[", s->starts[0],
		   s->starts[1] - s->starts[0]);
	for (size_t i = 0; i < s->count; i++)
		jsonw_f64(w, s->counts[i] > 0 ? when_level(s, i) : NAN, 3);
	jsonw_array_end(w);
}

static void json_series(struct jsonw *w, const struct when *q,
			enum when_measure m)
{
	const struct when_series *s = &q->series[m];
	struct error room;

	if (!s->is_known && !s->reason)
		return;
	jsonw_addf(w, "{measure:%s, per:%s, reason:%s", when_measure_word(m),
		   s->is_per_request ? "request" : "second",
		   s->is_known ? NULL : when_reason_text(q, m, &room));
	if (s->is_known)
		json_found(w, q, m);
	jsonw_object_end(w);
}

static void when_write_json(const void *answer, struct out *out)
{
	const struct when_answer *a = answer;
	const struct when *q = a->when;
	struct jsonw w;

	json_begin(&w, out, "when");
	jsonw_addf(&w,
		   "service:%.*s, name:%-.*s, function:%-.*s, profile_type:%-.*s",
		   STR_WHOLE(q->want.service), STR_WHOLE(q->want.name),
		   STR_WHOLE(q->function), STR_WHOLE(q->type_id));
	jsonw_addf(&w, "from:%+jd, to:%+jd, measure:%s, result:%s",
		   q->want.window.from_ns, q->want.window.to_ns,
		   when_measure_word(q->lead),
		   when_result_word(q->series[q->lead].found.kind));
	if (jsonw_key_known(&w, "step", when_has_step(q)))
		json_step(&w, &q->step);
	if (jsonw_key_known(&w, "recent", has_recent(q))) {
		const struct when_series *s = &q->series[q->lead];
		double before = level_of(s, s->found.recent.before);
		double after = level_of(s, s->found.recent.after);

		jsonw_addf(&w,
			   "{since:%+jd, step_count:%zu, before:%.3f, "
			   "after:%.3f, ratio:%.4f}",
			   recent_since(q), s->found.recent_count, before,
			   after, known_ratio(after / before));
	}
	json_versions(&w, q);
	if (jsonw_key_known(&w, "instances", q->instances.is_known))
		jsonw_addf(&w, "{before:%u, after:%u, came:%u, went:%u}",
			   q->instances.before, q->instances.after,
			   q->instances.new_count, q->instances.gone_count);
	jsonw_addf(&w, "series:[");
	for (int m = 0; m < WHEN_MEASURES; m++)
		json_series(&w, q, (enum when_measure)m);
	jsonw_addf(&w, "], request_count:%zu, request_limit:%zu",
		   q->request_count, q->request_limit);
	json_end(&w, a->notes);
}

#define LABEL_COLUMNS 15u

/* ---- lines ---- */

static void add_buf(struct page *p, struct buf *text)
{
	page_sentence(p, buf_str(text));
	buf_clear(text);
}

static void line_flush(struct page *p, const char *label)
{
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

/* A hint, where a verdict would be wrong too often. */
static void write_since(struct page *p, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	int64_t since_ns = recent_since(w), from_ns = w->want.window.from_ns;
	struct page_time at, begin;
	struct buf ratio;

	buf_init(&ratio, LIMIT_PAGE_TEXT_BYTES);
	when_ratio_text(level_of(s, s->found.recent.before),
			level_of(s, s->found.recent.after), &ratio);
	page_time(p, since_ns, since_ns, &at);
	page_time(p, from_ns, from_ns, &begin);
	page_text(p, "; too early to be significant: ");
	add_buf(p, &ratio);
	page_text(p, " since ");
	if (strcmp(at.date, begin.date) != 0)
		page_textf(p, "%s ", at.date);
	page_textf(p, "%.5s", at.clock);
	buf_release(&ratio);
}

static void write_verdict(struct page *p, const struct when *w)
{
	struct time_range range =
		when_has_step(w) ? w->step.at : w->want.window;
	const struct when_series *s = &w->series[w->lead];
	const struct when_step *step = &w->step;
	struct buf before, behind; /* what stands around the time */

	buf_init(&before, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&behind, LIMIT_PAGE_TEXT_BYTES);
	when_subject(w, &before);
	buf_add_text(&before, ": ");
	when_measure_text(w, w->lead, &before);
	if (when_has_step(w)) {
		buf_add_text(&before,
			     step->after > step->before ? " rose " : " fell ");
		when_ratio_text(step->before, step->after, &before);
		buf_add_text(&before, " at");
		buf_add_text(&behind, ": ");
		add_levels(w, w->lead, step->before, step->after, &behind);
	} else if (has_recent(w)) {
		buf_addf(&behind, " (%zu of %zu intervals), ",
			 s->found.recent_count, s->count);
		add_levels(w, w->lead, level_of(s, s->found.recent.before),
			   level_of(s, s->found.recent.after), &behind);
	} else {
		add_none(w, &before, &behind);
	}
	if (has_recent(w))
		buf_add_text(&before, " has no change point yet in");
	add_buf(p, &before);
	page_text(p, " ");
	page_window(p, range, 0);
	if (has_recent(w))
		write_since(p, w);
	add_buf(p, &behind);
	page_flush(p, PAINT_BOLD, "", 0);
	out_char(p->out, '\n');
	buf_release(&before);
	buf_release(&behind);
}

/* ---- over time ---- */

/* The sparkline: what was not measured is blank, cells are of equal length. */
static void write_spark(struct page *p, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	size_t room = p->width ? p->width - LABEL_COLUMNS - 24 : 100;
	size_t cells = min_size(min_size(s->count, 100), room);
	double values[100];

	for (size_t i = 0; i < cells; i++) {
		size_t from = s->count * i / cells;
		size_t to = s->count * (i + 1) / cells, n = 0;

		values[i] = 0;
		for (size_t k = from; k < to; k++)
			if (s->counts[k] > 0) {
				values[i] += when_level(s, k);
				n++;
			}
		values[i] = n ? values[i] / (double)n : 0;
	}
	page_field(p, PAINT_NONE, ALIGN_LEFT, LABEL_COLUMNS, "  over time");
	spark_write(p, PAINT_MARK, values, cells, cells);
	page_text(p, "  ");
	page_window(p, w->want.window, 0);
	page_flush(p, PAINT_DIM, "", 0);
}

/* ---- what else ---- */

static void write_version(struct page *p, const struct when *w,
			  const struct when_version *v)
{
	page_name(p, v->from, 0);
	page_text(p, " to ");
	page_name(p, v->to, 0);
	page_text(p, " at ");
	page_window(p, v->at, w->step.at.from_ns);
	if (v->is_partial)
		page_text(p, ", the old version kept running");
}

static void write_versions(struct page *p, const struct when *w)
{
	size_t near = 0;

	for (size_t i = 0; i < w->version_count; i++) {
		if (!w->versions[i].is_near)
			continue;
		page_text(p, near++ ? "; " : "changed at the change point: ");
		write_version(p, w, &w->versions[i]);
	}
	if (!near && !w->has_versions)
		page_text(p, "unknown: neither traces nor profiles have a "
			     "version");
	else if (!near && !w->version_count)
		page_text(p, "unchanged");
	else if (!near)
		page_text(p, when_has_step(w) ? "unchanged then; "
			     : has_recent(w) ? "changed: "
					     : "changed, without a change "
					       "point: ");
	for (size_t i = 0; !near && i < w->version_count; i++) {
		page_text(p, i ? "; " : "");
		write_version(p, w, &w->versions[i]);
	}
	line_flush(p, "  version");
}

static void write_instances(struct page *p, const struct when *w)
{
	const struct when_instances *i = &w->instances;

	if (!i->is_known)
		return;
	if (!i->new_count && !i->gone_count)
		page_textf(p, "unchanged: the same %u", i->after);
	else
		page_textf(p,
			   "changed: %u of %u stopped, %u started; %u after",
			   i->gone_count, i->before, i->new_count, i->after);
	line_flush(p, "  instances");
}

/* Steps on either side of it that tell how a series went on. */
#define SIDE_STEPS 30

struct vicinity {
	double level;
	size_t steps; /* that were measured */
};

static struct vicinity vicinity_around(const struct when_series *s,
				       int64_t from_ns, int64_t to_ns)
{
	double amount = 0, count = 0;
	size_t steps = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->starts[i] < from_ns || s->starts[i + 1] > to_ns)
			continue;
		amount += s->amounts[i];
		count += s->counts[i];
		steps += s->counts[i] > 0;
	}
	return (struct vicinity){ amount / count, steps };
}

static bool has_step_near(const struct when *w, const struct when_series *s)
{
	int64_t step_ns = w->steps.step_ms * NS_PER_MS * 2;

	for (size_t i = 0; i < s->found.count; i++) {
		struct when_step step = when_step_of(s, i);

		if (step.at.from_ns <= w->step.at.to_ns + step_ns &&
		    w->step.at.from_ns <= step.at.to_ns + step_ns)
			return true;
	}
	return false;
}

static void add_around(const struct when *w, enum when_measure m,
		       struct buf *out)
{
	const struct when_series *s = &w->series[m];
	int64_t side_ns = w->steps.step_ms * NS_PER_MS * SIDE_STEPS;
	struct time_range at = w->step.at;
	struct vicinity before =
		vicinity_around(s, at.from_ns - side_ns, at.from_ns);
	struct vicinity after =
		vicinity_around(s, at.to_ns, at.to_ns + side_ns);
	double low = fmin(before.level, after.level);
	double high = fmax(before.level, after.level);
	size_t least = min_size(before.steps, after.steps);

	/* Levels that differ may have been measured too seldom on one side to
	 * call that noise. */
	if (has_step_near(w, s))
		buf_add_text(out, "also changed: ");
	else if ((least && !(high > low * CHANGE_RATIO)) ||
		 least >= CHANGE_STEPS_MIN)
		buf_add_text(out, "no change point beyond noise: ");
	else
		buf_add_text(out, after.steps <= before.steps
					  ? "too few intervals after: "
					  : "too few intervals before: ");
	add_levels(w, m, before.level, after.level, out);
}

/* The course of something else, at the change point where there is one. */
static void write_beside(struct page *p, const struct when *w,
			 enum when_measure m, const char *label)
{
	const struct when_series *s = &w->series[m];
	struct error room;
	struct buf text;

	if (m == w->lead || (!s->is_known && !s->reason))
		return;
	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	if (!s->is_known) {
		buf_addf(&text, "unknown: %s", when_reason_text(w, m, &room));
	} else {
		/* Where the label does not say it. */
		if (m == WHEN_CPU) {
			when_measure_text(w, m, &text);
			buf_add_text(&text, ": ");
		}
		if (when_has_step(w))
			add_around(w, m, &text);
		else
			when_steadiness(w, m, &text);
	}
	add_buf(p, &text);
	buf_release(&text);
	line_flush(p, label);
}

static void write_other_steps(struct page *p, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	struct buf text;
	size_t n = 0;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	for (size_t i = 0; i < s->found.count; i++) {
		struct when_step step = when_step_of(s, i);

		if (i == s->found.largest)
			continue;
		page_text(p, n++ ? "; " : "change point at ");
		page_window(p, step.at, w->step.at.from_ns);
		page_text(p, " ");
		when_ratio_text(step.before, step.after, &text);
		buf_add_text(&text, ", ");
		when_level_text(w, w->lead, step.before, &text);
		buf_add_text(&text, " to ");
		when_level_text(w, w->lead, step.after, &text);
		add_buf(p, &text);
	}
	buf_release(&text);
	line_flush(p, "  other");
}

static void write_evidence(struct page *p, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	char length[24];

	format_duration((s->starts[s->count] - s->starts[0]) /
				(int64_t)s->count,
			length);
	page_textf(p, "%zu intervals of %s", s->count,
		   s->is_sliced ? "about " : "");
	page_number(p, length);
	if (s->is_log)
		page_text(p, ", geometric means of the newest traces of each");
	else if (w->lead == WHEN_DURATION)
		page_text(p, ", means of all traced requests");
	if (!s->is_per_request)
		page_text(p, ", not per request: more traffic has the same "
			     "effect");
	page_textf(p, "; %zu of at most %zu queries", w->request_count,
		   w->request_limit);
	line_flush(p, "  measured");
}

static void write_tail(struct page *p, const struct when_answer *a)
{
	const struct when *w = a->when;
	struct buf line;

	if (p->style.is_quiet)
		return;
	out_char(p->out, '\n');
	page_notes(p, a->notes, STR(""));
	if (!a->servers.ptr || (!when_has_step(w) && !has_recent(w)))
		return;
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	when_next_command(w, a->servers, &line);
	markdown_next_line(p, &line, true);
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct when_answer *a = answer;
	const struct when *w = a->when;
	struct page p;

	page_begin(&p, style, out);
	write_verdict(&p, w);
	if (style->is_markdown)
		out_text(out, "```\n");
	write_spark(&p, w);
	if (style->is_markdown)
		out_text(out, "```\n\n");
	if (when_has_step(w) || w->version_count)
		write_versions(&p, w);
	write_instances(&p, w);
	write_beside(&p, w, WHEN_TRAFFIC, "  traffic");
	write_beside(&p, w, WHEN_DURATION, "  duration");
	write_beside(&p, w, WHEN_CPU, "  profile");
	write_other_steps(&p, w);
	write_evidence(&p, w);
	write_tail(&p, a);
	page_end(&p);
}

static void write_csv(const void *answer, struct out *out)
{
	const struct when *w = ((const struct when_answer *)answer)->when;
	const struct when_series *s = &w->series[w->lead];

	out_text(out, "start,level,measured\n");
	for (size_t i = 0; i < s->count; i++) {
		char start[TIME_RFC3339_BYTES];

		format_rfc3339(s->starts[i], start);
		outf(out, "%s,", start);
		if (s->counts[i] > 0)
			outf(out, "%.6g", when_level(s, i));
		outf(out, ",%.6g\n", s->counts[i]);
	}
}

const struct answer_writer when_writer = {
	.table = write_table,
	.json = when_write_json,
	.csv = write_csv,
	.html = when_write_html,
};
