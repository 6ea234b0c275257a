/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonw.h"
#include "base/num.h"
#include "render/json_parts.h"
#include "report/leak_answer.h"

static void json_growth(struct jsonw *w, const struct growth *g)
{
	jsonw_pair_text(w, "verdict", leak_kind_name(g->kind));
	jsonw_pair_f64(w, "start", g->start, 1);
	jsonw_pair_f64(w, "end", g->end, 1);
	jsonw_pair_f64(w, "per_hour", g->per_hour, 1);
	jsonw_pair_f64(w, "per_hour_low", g->low, 1);
	jsonw_pair_f64(w, "per_hour_high", g->high, 1);
	jsonw_pair_f64(w, "q", g->q, 6);
}

static void json_function(struct jsonw *w, const struct leak_function *f)
{
	jsonw_object(w);
	jsonw_pair_str(w, "name", f->found.name);
	jsonw_pair_known_str(w, "file", f->found.file);
	jsonw_pair_known(w, "line",
			 f->found.line ? (int64_t)f->found.line : -1);
	json_growth(w, &f->found.growth);
	jsonw_pair_known_str(w, "path", f->found.path);
	jsonw_key(w, "bytes_each");
	if (f->bytes_each > 0)
		jsonw_f64(w, f->bytes_each, 1);
	else
		jsonw_null(w);
	jsonw_key(w, "allocated_per_hour");
	if (f->allocated_hour > 0)
		jsonw_f64(w, f->allocated_hour, 0);
	else
		jsonw_null(w);
	jsonw_object_end(w);
}

static void json_subject(struct jsonw *w, const struct leak_subject *s)
{
	if (!s->segment_count) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_str(w, "type", s->type_id);
	jsonw_pair_bool(w, "leak", s->is_leak);
	json_growth(w, &s->total);
	jsonw_pair_i64(w, "instances", (int64_t)s->instance_count);
	jsonw_pair_i64(w, "lives", (int64_t)s->total.segment_count);
	jsonw_pair_i64(w, "lives_growing", (int64_t)s->total.rising);
	jsonw_pair_i64(w, "lives_too_short", (int64_t)s->short_count);
	jsonw_pair_i64(w, "restarts", (int64_t)s->restarts);
	jsonw_pair_f64(w, "load_growth", s->total.load_growth, 4);
	jsonw_key(w, "functions");
	jsonw_array(w);
	for (size_t i = 0; i < s->function_count; i++)
		json_function(w, &s->functions[i]);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void json_bytes(struct jsonw *w, const char *key, double bytes)
{
	if (bytes > 0)
		jsonw_pair_i64(w, key, sat_round_f64(bytes));
	else
		jsonw_pair_null(w, key);
}

void leak_write_json(const void *answer, struct out *out)
{
	const struct leak_answer *a = answer;
	const struct leak *l = a->leak;
	double left = leak_seconds_left(l);
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "leak");
	jsonw_pair_text(&w, "service", l->path_count ? NULL : l->service);
	jsonw_pair_time(&w, "from", l->window.from_ns);
	jsonw_pair_time(&w, "to", l->window.to_ns);
	jsonw_pair_bool(&w, "leak", leak_is_one(l));
	json_bytes(&w, "limit_bytes", l->limit_bytes);
	json_bytes(&w, "memory_bytes", l->memory_bytes);
	jsonw_key(&w, "hours_left");
	if (left >= 0)
		jsonw_f64(&w, left / 3600, 2);
	else
		jsonw_null(&w);
	jsonw_pair_text(&w, "load",
			!l->has_load       ? NULL
			: l->load_type.ptr ? "cpu"
					   : "requests");
	jsonw_key(&w, "memory");
	json_subject(&w, &l->subjects[LEAK_MEMORY]);
	jsonw_key(&w, "goroutines");
	json_subject(&w, &l->subjects[LEAK_THREADS]);
	json_notes(&w, "notes", a->notes);
	jsonw_object_end(&w);
	out_char(out, '\n');
}
