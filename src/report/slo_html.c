/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of its own: what spent the error budget as bars with their intervals,
 * and the report below them.
 */
#include <stdio.h>

#include "report/chart.h"
#include "report/slo_answer.h"

/* A row: a line of words, and its bar below that. */
#define ROW 46
#define BAR_TOP 20
#define BAR_HEIGHT 14
/* The scale ends before the share that stands behind a whole bar. */
#define FULL (CHART_WIDTH - 80)

static void add_where(const struct spent_request *r, struct buf *out)
{
	buf_addf(out, "%s: ", slo_cause_words(r));
	buf_add_str(out, r->service);
	buf_add_char(out, ' ');
	buf_add_str(out, r->operation);
	if (r->function.len) {
		buf_add_text(out, " in ");
		buf_add_str(out, r->function);
	}
}

static void draw_bar(const struct chart *c, size_t i, struct str text,
		     const double share[3])
{
	double y = (double)(i * ROW), middle = y + BAR_TOP + BAR_HEIGHT / 2.;
	char percent[16];

	chart_text(c, 0, y + BAR_TOP - 6, "start", text);
	outf(c->out,
	     "<rect x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
	     "fill=\"var(--bad)\" fill-opacity=\"0.6\"/>\n"
	     "<path stroke=\"currentColor\" d=\"M%.1f %.1fH%.1f\"/>\n",
	     y + BAR_TOP, FULL * share[0], BAR_HEIGHT, FULL * share[1], middle,
	     FULL * share[2]);
	snprintf(percent, sizeof percent, "%.1f %%", 100 * share[0]);
	chart_text(c, FULL * share[2] + 8, middle + 4, "start",
		   str_from(percent));
}

static void write_bars(const struct spent *s, struct out *out)
{
	const struct chart c = { .out = out };
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	outf(out,
	     "<svg viewBox=\"0 0 %d %zu\" width=\"100%%\" role=\"img\" "
	     "aria-label=\"shares of the bad requests\">\n",
	     CHART_WIDTH, (s->row_count + 1) * ROW);
	for (size_t i = 0; i < s->row_count; i++) {
		const struct spent_row *row = &s->rows[i];
		const double share[] = { row->share, row->low, row->high };

		buf_clear(&text);
		add_where(row->example, &text);
		draw_bar(&c, i, buf_str(&text), share);
	}
	draw_bar(&c, s->row_count, STR("not explained"),
		 (const double[]){ s->unexplained, s->unexplained_low,
				   s->unexplained_high });
	out_text(out, "</svg>\n");
	if (text.state != BUF_OK)
		out_fail_memory(out);
	buf_release(&text);
}

void slo_html_write(const void *answer, struct out *out)
{
	const struct slo_answer *a = answer;
	struct buf subject;

	buf_init(&subject, LIMIT_PAGE_TEXT_BYTES);
	buf_addf(&subject, "%s: ", a->slo->service);
	slo_objective_text(a->slo, &subject);
	chart_page_begin(out, "error budget: ", buf_str(&subject));
	if (a->spent->spent.count)
		write_bars(&a->spent->spent, out);
	chart_page_end(out, &slo_writer, a);
	buf_release(&subject);
}
