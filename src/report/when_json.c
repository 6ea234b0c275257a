/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "render/json_parts.h"
#include "report/when_answer.h"

static double level_of(const struct when_series *s, double level)
{
	return s->is_log ? exp(level) : level;
}

static void pair_ratio(struct jsonw *w, const char *key, double ratio)
{
	if (isfinite(ratio) && ratio > 0)
		jsonw_pair_f64(w, key, ratio, 4);
	else
		jsonw_pair_null(w, key);
}

static void pair_range(struct jsonw *w, struct time_range range)
{
	jsonw_pair_time(w, "from", range.from_ns);
	jsonw_pair_time(w, "to", range.to_ns);
}

static void json_step(struct jsonw *w, const struct when_step *step)
{
	jsonw_object(w);
	pair_range(w, step->at);
	jsonw_pair_i64(w, "width_ns", step->at.to_ns - step->at.from_ns);
	jsonw_pair_f64(w, "before", step->before, 3);
	jsonw_pair_f64(w, "after", step->after, 3);
	pair_ratio(w, "ratio", step->after / step->before);
	jsonw_object_end(w);
}

static void json_versions(struct jsonw *w, const struct when *q)
{
	jsonw_key(w, "versions");
	jsonw_array(w);
	for (size_t i = 0; i < q->version_count; i++) {
		const struct when_version *v = &q->versions[i];

		jsonw_object(w);
		jsonw_pair_str(w, "before", v->from);
		jsonw_pair_str(w, "after", v->to);
		pair_range(w, v->at);
		jsonw_pair_bool(w, "is_partial", v->is_partial);
		jsonw_pair_bool(w, "is_with_step", v->is_near);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void json_instances(struct jsonw *w, const struct when_instances *i)
{
	jsonw_key(w, "instances");
	if (!i->is_known) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_i64(w, "before", i->before);
	jsonw_pair_i64(w, "after", i->after);
	jsonw_pair_i64(w, "came", i->new_count);
	jsonw_pair_i64(w, "went", i->gone_count);
	jsonw_object_end(w);
}

static void json_values(struct jsonw *w, const struct when_series *s)
{
	jsonw_key(w, "values");
	jsonw_array(w);
	for (size_t i = 0; i < s->count; i++)
		if (s->counts[i] > 0)
			jsonw_f64(w, when_level(s, i), 3);
		else
			jsonw_null(w);
	jsonw_array_end(w);
}

static void json_found(struct jsonw *w, const struct when *q,
		       enum when_measure m)
{
	const struct when_series *s = &q->series[m];
	bool is_lead = m == q->lead;

	pair_ratio(w, "least_ratio", s->found.least_ratio);
	jsonw_pair_f64(w, "first", level_of(s, s->found.first), 3);
	jsonw_pair_f64(w, "last", level_of(s, s->found.last), 3);
	jsonw_key(w, "steps");
	jsonw_array(w);
	for (size_t i = 0; i < s->found.count; i++) {
		struct when_step step = when_step_of(s, i);

		/* That was looked at more closely. */
		if (is_lead && i == s->found.largest)
			step = q->step;
		json_step(w, &step);
	}
	jsonw_array_end(w);
}

static void json_series(struct jsonw *w, const struct when *q,
			enum when_measure m)
{
	const struct when_series *s = &q->series[m];
	struct error room;

	if (!s->is_known && !s->reason)
		return;
	jsonw_object(w);
	jsonw_pair_text(w, "measure", when_measure_word(m));
	jsonw_pair_text(w, "per", s->is_per_request ? "request" : "second");
	jsonw_pair_text(w, "reason",
			s->is_known ? NULL : when_reason_text(q, m, &room));
	if (s->is_known) {
		jsonw_pair_text(w, "result", when_result_word(s->found.kind));
		json_found(w, q, m);
		jsonw_pair_time(w, "start", s->starts[0]);
		jsonw_pair_i64(w, "step_ns", s->starts[1] - s->starts[0]);
		json_values(w, s);
	}
	jsonw_object_end(w);
}

static void json_asked(struct jsonw *w, const struct when *q)
{
	json_head(w, "when");
	jsonw_pair_str(w, "service", q->want.service);
	jsonw_pair_known_str(w, "name", q->want.name);
	jsonw_pair_known_str(w, "function", q->function);
	jsonw_pair_known_str(w, "profile_type", q->type_id);
	pair_range(w, q->want.window);
	jsonw_pair_text(w, "measure", when_measure_word(q->lead));
	jsonw_pair_text(w, "result",
			when_result_word(q->series[q->lead].found.kind));
}

void when_write_json(const void *answer, struct out *out)
{
	const struct when_answer *a = answer;
	const struct when *q = a->when;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_asked(&w, q);
	jsonw_key(&w, "step");
	if (when_has_step(q))
		json_step(&w, &q->step);
	else
		jsonw_null(&w);
	json_versions(&w, q);
	json_instances(&w, &q->instances);
	jsonw_key(&w, "series");
	jsonw_array(&w);
	for (int m = 0; m < WHEN_MEASURES; m++)
		json_series(&w, q, (enum when_measure)m);
	jsonw_array_end(&w);
	jsonw_pair_i64(&w, "request_count", (int64_t)q->request_count);
	jsonw_pair_i64(&w, "request_limit", (int64_t)q->request_limit);
	json_notes(&w, "notes", a->notes);
	jsonw_object_end(&w);
	out_char(out, '\n');
}
