/* SPDX-License-Identifier: Apache-2.0 */
#include "report/when_answer.h"

#include <math.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/markdown.h"
#include "render/spark.h"

#define LABEL_COLUMNS 15u

/* ---- lines ---- */

static void add_buf(struct page *p, struct buf *text)
{
	page_sentence(p, buf_str(text));
	buf_clear(text);
}

static void flush(struct page *p, const char *label)
{
	page_flush(p, PAINT_NONE, label, LABEL_COLUMNS);
}

static void write_verdict(struct page *p, const struct when *w)
{
	struct time_range range =
		when_has_step(w) ? w->step.at : w->want.window;
	struct buf before, behind;

	buf_init(&before, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&behind, LIMIT_PAGE_TEXT_BYTES);
	when_verdict(w, &before, &behind);
	add_buf(p, &before);
	page_text(p, " ");
	page_window(p, range, 0);
	add_buf(p, &behind);
	page_flush(p, PAINT_BOLD, "", 0);
	out_char(p->out, '\n');
	buf_release(&before);
	buf_release(&behind);
}

/* ---- over time ---- */

/* What was not measured is drawn as nothing; cells are of equal length. */
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
		page_text(p, ", the old one went on");
}

static void write_versions(struct page *p, const struct when *w)
{
	size_t near = 0;

	for (size_t i = 0; i < w->version_count; i++) {
		if (!w->versions[i].is_near)
			continue;
		page_text(p, near++ ? "; " : "changed with the step: ");
		write_version(p, w, &w->versions[i]);
	}
	if (!near && !w->has_versions)
		page_text(p, "not known: neither traces nor profiles name one");
	else if (!near && !w->version_count)
		page_text(p, "unchanged");
	else if (!near)
		page_text(p, when_has_step(w) ? "unchanged then; "
					      : "changed, without a step: ");
	for (size_t i = 0; !near && i < w->version_count; i++) {
		page_text(p, i ? "; " : "");
		write_version(p, w, &w->versions[i]);
	}
	flush(p, "  version");
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
			   "changed: %u of %u went, %u came; %u from then on",
			   i->gone_count, i->before, i->new_count, i->after);
	flush(p, "  instances");
}

/* Steps on either side of it that tell how a series went on. */
#define SIDE_STEPS 30

struct vicinity {
	double level;
	size_t steps; /* that were measured */
};

static struct vicinity around(const struct when_series *s, int64_t from_ns,
			      int64_t to_ns)
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

/* Levels that differ, but were measured too seldom on one side to call that
 * noise. */
static const char *no_step_word(const struct vicinity *before,
				const struct vicinity *after)
{
	double low = fmin(before->level, after->level);
	double high = fmax(before->level, after->level);
	size_t least = min_size(before->steps, after->steps);

	if ((least && !(high > low * CHANGE_RATIO)) ||
	    least >= CHANGE_STEPS_MIN)
		return "no step beyond noise: ";
	return after->steps <= before->steps ? "too few steps after to tell: "
					     : "too few steps before to tell: ";
}

static void add_around(const struct when *w, enum when_measure m,
		       struct buf *out)
{
	const struct when_series *s = &w->series[m];
	int64_t side_ns = w->steps.step_ms * NS_PER_MS * SIDE_STEPS;
	struct time_range at = w->step.at;
	struct vicinity before = around(s, at.from_ns - side_ns, at.from_ns);
	struct vicinity after = around(s, at.to_ns, at.to_ns + side_ns);

	buf_add_text(out, has_step_near(w, s) ? "changed, too: "
					      : no_step_word(&before, &after));
	when_level_text(w, m, before.level, out);
	buf_add_text(out, " before, ");
	when_level_text(w, m, after.level, out);
	buf_add_text(out, " after");
}

/* Where the label does not say it. */
static void add_which(const struct when *w, enum when_measure m,
		      struct buf *out)
{
	if (m != WHEN_CPU)
		return;
	when_measure_text(w, m, out);
	buf_add_text(out, ": ");
}

/* What became of something else, at the step where there is one. */
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
		buf_addf(&text, "not known: %s", when_reason_text(w, m, &room));
	} else if (when_has_step(w)) {
		add_which(w, m, &text);
		add_around(w, m, &text);
	} else {
		add_which(w, m, &text);
		when_steadiness(w, m, &text);
	}
	add_buf(p, &text);
	buf_release(&text);
	flush(p, label);
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
		page_text(p, n++ ? "; " : "");
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
	flush(p, "  other steps");
}

static void write_evidence(struct page *p, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	char length[24];

	format_duration((s->starts[s->count] - s->starts[0]) /
				(int64_t)s->count,
			length);
	page_textf(p, "%zu steps of %s", s->count,
		   s->is_sliced ? "about " : "");
	page_number(p, length);
	if (s->is_log)
		page_text(p, ", geometric means of the newest traces of each");
	else if (w->lead == WHEN_DURATION)
		page_text(p, ", means of all that was traced");
	if (!s->is_per_request)
		page_text(p, ", not by request: more traffic looks the same");
	page_textf(p, "; %zu requests of at most %zu", w->request_count,
		   w->request_limit);
	flush(p, "  measured");
}

static void write_tail(struct page *p, const struct when_answer *a)
{
	const struct when *w = a->when;
	struct buf line;

	if (p->style.is_quiet)
		return;
	out_char(p->out, '\n');
	page_notes(p, a->notes, STR(""));
	if (!a->servers.ptr || !when_has_step(w))
		return;
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	when_next_command(w, a->servers, &line);
	if (line.state == BUF_OK)
		markdown_next(p, buf_str(&line), true);
	buf_release(&line);
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
