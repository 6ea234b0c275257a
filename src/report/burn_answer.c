/* SPDX-License-Identifier: Apache-2.0 */
#include "report/burn_answer.h"

#include <stdio.h>

#include "base/timefmt.h"
#include "render/json_parts.h"

const struct burn_pair *burn_firing(const struct slo *s)
{
	for (size_t i = 0; i < s->pair_count; i++)
		if (slo_pair_fires(s, &s->pairs[i]))
			return &s->pairs[i];
	return NULL;
}

bool burn_is_open(const struct slo *s)
{
	bool is_open = false;

	for (size_t i = 0; i < s->pair_count; i++)
		is_open |= slo_pair_is_open(s, &s->pairs[i]);
	return is_open && !burn_firing(s);
}

static void add_rate(struct page *p, const struct slo *s, int64_t length_ns)
{
	char window[24], rate[24];

	format_duration(length_ns, window);
	snprintf(rate, sizeof rate, "%.2f times",
		 burn_rate(slo_window(s, length_ns)->count, s->objective));
	page_number(p, rate);
	page_textf(p, " over %s", window);
}

static void write_verdict(struct page *p, const struct slo *s)
{
	const struct burn_pair *pair = burn_firing(s);

	page_name(p, str_from(s->service), 0);
	if (burn_is_open(s)) {
		page_text(p, ": whether it spends its error budget too fast is "
			     "not known: windows without an answer could tell");
	} else if (!pair) {
		page_text(p, " does not spend its error budget too fast: no "
			     "pair of windows burns beyond its limit");
	} else {
		page_text(p, " spends its error budget too fast: ");
		add_rate(p, s, pair->long_ns);
		page_text(p, " and ");
		add_rate(p, s, pair->short_ns);
		page_textf(p, ", the limit is %.4g (%s)", pair->rate,
			   pair->is_page ? "page" : "ticket");
	}
	page_flush(p, pair ? PAINT_BAD : PAINT_BOLD, "", 0);
}

static void write_text(const void *data, const struct render_style *style,
		       struct out *out)
{
	const struct burn_answer *answer = data;
	const struct slo *s = answer->slo;
	struct page p;

	page_begin(&p, style, out);
	write_verdict(&p, s);
	out_char(out, '\n');
	slo_objective_write(&p, s);
	slo_source_write(&p, s);
	alert_slowest_write(&p, answer->trace.alert);
	slo_burn_write(&p, s);
	if (!style->is_quiet && answer->trace.notes->count) {
		out_char(out, '\n');
		page_notes(&p, answer->trace.notes, STR(""));
	}
	if (!style->is_quiet)
		alert_next_write(&p, &answer->trace);
	page_end(&p);
}

static void write_json(const void *data, struct out *out)
{
	const struct burn_answer *answer = data;
	const struct slo *s = answer->slo;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "alert");
	if (burn_is_open(s))
		jsonw_pair_null(&w, "fires");
	else
		jsonw_pair_bool(&w, "fires", burn_firing(s) != NULL);
	slo_json_objective(&w, s);
	slo_json_pairs(&w, s);
	slo_json_source(&w, s);
	alert_slowest_json(&w, &answer->trace);
	json_notes(&w, "notes", answer->trace.notes);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

const struct answer_writer burn_now_writer = { .table = write_text,
					       .json = write_json };
