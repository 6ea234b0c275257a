/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/shell.h"
#include "render/markdown.h"
#include "report/cost_answer.h"

#define SIZE_COLUMNS 9u

/* Limits keep their ratio to what is asked for; where nothing is asked for, the
 * limit is what is given. */
void cost_advised(const struct cost_size *size, struct cost_advised *out)
{
	*out = (struct cost_advised){ .request = { 0 } };
	for (int i = 0; i < COST_WHATS; i++) {
		double ratio = size->request[i] > 0
				       ? size->limit[i] / size->request[i]
				       : 1;

		if (size->refusal || !size->advice[i].count)
			continue;
		out->request[i] = size->advice[i].target;
		if (size->limit[i] > 0)
			out->limit[i] = out->request[i] * fmax(1, ratio);
	}
}

const char *cost_refusal_name(enum size_refusal refusal)
{
	static const char *const names[] = {
		[SIZE_ADVISED] = NULL,
		[SIZE_NO_METRICS] = "no_metrics",
		[SIZE_SHORT] = "too_short",
		[SIZE_THROTTLED] = "throttled",
	};

	return names[refusal];
}

void cost_refusal_text(const struct cost_size *size, struct buf *out)
{
	switch (size->refusal) {
	case SIZE_ADVISED:
		break;
	case SIZE_NO_METRICS:
		buf_add_text(out, "what an instance uses is told by no server "
				  "of metrics (--metrics-url)");
		break;
	case SIZE_SHORT:
		buf_addf(out,
			 "%.1f h of history are too little: a day shows a "
			 "night and a rush hour, %.0f h are needed",
			 size->hours, SIZE_LEAST_HOURS);
		break;
	case SIZE_THROTTLED:
		buf_addf(out,
			 "its CPU is cut off in %.1f %% of the periods, so "
			 "that its use shows what it was allowed and not what "
			 "it needs: raise the limit first",
			 100 * size->throttled);
		break;
	}
}

/* ---- for people ---- */

static void put(struct page *p, double value, double unit)
{
	char text[COST_TEXT_BYTES] = "-";

	if (value > 0)
		snprintf(text, sizeof text, unit > 1 ? "%.0f" : "%.3f",
			 value / unit);
	markdown_or_field(p, PAINT_NONE, SIZE_COLUMNS, text);
}

static void write_row(struct page *p, const struct cost_size *s, int what)
{
	const struct size_advice *advice = &s->advice[what];
	double unit = what == COST_MEMORY ? (double)MIB : 1;
	const char *name = what == COST_MEMORY ? "MiB" : "vCPU";
	struct cost_advised now;

	cost_advised(s, &now);
	put(p, s->request[what], unit);
	put(p, s->limit[what], unit);
	put(p, advice->p50, unit);
	put(p, advice->p90, unit);
	put(p, advice->p95, unit);
	put(p, advice->peak, unit);
	put(p, now.request[what], unit);
	put(p, now.limit[what], unit);
	if (p->style.is_markdown) {
		markdown_cell(p, name);
		markdown_row_end(p);
		return;
	}
	page_paint(p, PAINT_BOLD, "  ");
	page_paint(p, PAINT_BOLD, name);
	out_char(p->out, '\n');
}

static void write_heads(struct page *p)
{
	static const char *const names[] = { "request", "limit", "p50",
					     "p90",     "p95",   "peak",
					     "hint",    "limit", "of" };
	size_t numbers = COUNT_OF(names) - 1;

	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), numbers);
		return;
	}
	for (size_t i = 0; i < numbers; i++)
		page_field(p, PAINT_BOLD, ALIGN_RIGHT, SIZE_COLUMNS, names[i]);
	out_char(p->out, '\n');
}

/* What of it costs less, or more, in what is asked for or else limited. */
static double saving(const struct cost_answer *a)
{
	const struct cost_size *s = &a->cost->size;
	const double prices[COST_WHATS] = { a->prices.cpu,
					    a->prices.memory / (double)GIB };
	struct cost_advised now;
	double sum = 0;

	cost_advised(s, &now);
	for (int i = 0; i < COST_WHATS; i++) {
		double has = s->request[i] > 0 ? s->request[i] : s->limit[i];
		double wanted =
			s->request[i] > 0 ? now.request[i] : now.limit[i];

		if (has > 0 && wanted > 0 && prices[i] >= 0)
			sum += (has - wanted) * prices[i];
	}
	return sum * a->cost->instances.value * COST_MONTH_S;
}

static void write_saving(struct page *p, const struct cost_answer *a)
{
	double money = saving(a);
	char text[COST_TEXT_BYTES];
	struct buf line;

	if (!(fabs(money) > 0))
		return;
	buf_init(&line, KIB);
	cost_format_money(fabs(money), false, text);
	buf_addf(&line, "the hint costs %s", text);
	cost_add_currency(a, &line);
	buf_addf(&line, " a month %s, for %.3g instances",
		 money > 0 ? "less" : "more", a->cost->instances.value);
	page_sentence(p, buf_str(&line));
	page_flush(p, PAINT_NONE, p->style.is_markdown ? "" : "  ",
		   p->style.is_markdown ? 0 : 2);
	buf_release(&line);
}

void cost_write_size(struct page *p, const struct cost_answer *a)
{
	const struct cost_size *s = &a->cost->size;
	size_t indent = p->style.is_markdown ? 0 : 2;
	struct buf text;

	if (!a->cost->want->has_size)
		return;
	out_char(p->out, '\n');
	buf_init(&text, KIB);
	cost_refusal_text(s, &text);
	if (s->refusal)
		page_textf(p, "size of an instance, no hint: %s",
			   buf_text(&text));
	else
		page_textf(p,
			   "size of an instance, a hint: p90 of use + %.0f %%, "
			   "of memory the peak + %.0f %%; by %.0f h of %zu "
			   "instances, the older half as much a day",
			   100 * SIZE_MARGIN, 100 * SIZE_MARGIN, s->hours,
			   s->instances);
	page_flush(p, PAINT_NONE, indent ? "  " : "", indent);
	buf_release(&text);
	if (!s->advice[COST_CPU].count && !s->advice[COST_MEMORY].count)
		return;
	write_heads(p);
	for (int i = 0; i < COST_WHATS; i++)
		if (s->advice[i].count)
			write_row(p, s, i);
	if (!s->refusal)
		write_saving(p, a);
}

/* ---- for platforms ---- */

/* Up, to what they count in. */
static int64_t milli_cores(double cores)
{
	return sat_from_f64(ceil(cores * 1000 - 1e-6));
}

static int64_t mebibytes(double bytes)
{
	return sat_from_f64(ceil(bytes / (double)MIB - 1e-6));
}

static void write_inputs(const struct cost_size *s, struct out *out)
{
	outf(out,
	     "# A hint, by what %zu instance%s used in %.0f h: p90 + %.0f %%, "
	     "of memory the peak + %.0f %%.\n",
	     s->instances, &"s"[s->instances == 1], s -> hours,
	     100 * SIZE_MARGIN, 100 * SIZE_MARGIN);
	if (s->advice[COST_CPU].count)
		outf(out, "# CPU: p50 %.3f, p90 %.3f, p95 %.3f, peak %.3f\n",
		     s->advice[COST_CPU].p50, s->advice[COST_CPU].p90,
		     s->advice[COST_CPU].p95, s->advice[COST_CPU].peak);
	if (s->advice[COST_MEMORY].count)
		outf(out,
		     "# Memory, MiB: p50 %.0f, p90 %.0f, p95 %.0f, peak %.0f\n",
		     s->advice[COST_MEMORY].p50 / MIB,
		     s->advice[COST_MEMORY].p90 / MIB,
		     s->advice[COST_MEMORY].p95 / MIB,
		     s->advice[COST_MEMORY].peak / MIB);
}

static void write_amounts(struct out *out, const char *name,
			  const double values[COST_WHATS])
{
	if (!(values[COST_CPU] > 0) && !(values[COST_MEMORY] > 0))
		return;
	outf(out, "            %s:\n", name);
	if (values[COST_CPU] > 0)
		outf(out, "              cpu: %lldm\n",
		     (long long)milli_cores(values[COST_CPU]));
	if (values[COST_MEMORY] > 0)
		outf(out, "              memory: %lldMi\n",
		     (long long)mebibytes(values[COST_MEMORY]));
}

void cost_write_kubernetes(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost_size *s = &a->cost->size;
	struct cost_advised now;

	cost_advised(s, &now);
	write_inputs(s, out);
	out_text(out, "# For kubectl patch --patch-file; the container is "
		      "taken to be called as the service is.\n"
		      "spec:\n"
		      "  template:\n"
		      "    spec:\n"
		      "      containers:\n"
		      "        - name: \"");
	escape_json(out, str_from(a->service));
	out_text(out, "\"\n          resources:\n");
	write_amounts(out, "requests", now.request);
	write_amounts(out, "limits", now.limit);
}

/* What an instance of Cloud Run may have: whole vCPU, since less takes requests
 * one at a time, with so much memory. */
static const struct {
	int cores;
	int64_t least_mib;
	int64_t most_mib;
} run_sizes[] = { { 1, 128, 4096 },
		  { 2, 128, 8192 },
		  { 4, 2048, 16384 },
		  { 6, 4096, 24576 },
		  { 8, 4096, 32768 } };

void cost_write_gcloud(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost_size *s = &a->cost->size;
	struct cost_advised now;
	int64_t memory;
	size_t i = 0;
	struct buf line;

	cost_advised(s, &now);
	memory = mebibytes(now.request[COST_MEMORY]);
	while (i + 1 < COUNT_OF(run_sizes) &&
	       (run_sizes[i].cores < now.request[COST_CPU] ||
		run_sizes[i].most_mib < memory))
		i++;
	write_inputs(s, out);
	buf_init(&line, LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&line, "gcloud run services update");
	shell_word_add(&line, str_from(a->service));
	if (s->advice[COST_CPU].count)
		buf_addf(&line, " --cpu=%d", run_sizes[i].cores);
	if (s->advice[COST_MEMORY].count)
		buf_addf(&line, " --memory=%lldMi",
			 (long long)max_i64(memory, run_sizes[i].least_mib));
	out_text(out, buf_text(&line));
	out_char(out, '\n');
	buf_release(&line);
}
