/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "render/json_parts.h"
#include "report/cost_answer.h"

static void pair(struct jsonw *w, const char *key, double value)
{
	jsonw_pair_f64(w, key, value, 9);
}

/* A number with who says so; both null where it is not known. */
static void number(struct jsonw *w, const char *key,
		   const struct cost_number *n)
{
	jsonw_key(w, key);
	if (!n->source) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_f64(w, "value", n->value, 9);
	jsonw_pair_text(w, "by", cost_source_name(n->source));
	jsonw_object_end(w);
}

static void price(struct jsonw *w, const char *key, double value)
{
	if (value >= 0)
		jsonw_pair_f64(w, key, value, 15);
	else
		jsonw_pair_null(w, key);
}

static void prices(struct jsonw *w, const struct cost_prices *p)
{
	jsonw_key(w, "prices");
	jsonw_object(w);
	price(w, "cpu_vcpu_second", p->cpu);
	price(w, "memory_gib_second", p->memory);
	price(w, "request", p->request);
	jsonw_pair_text(w, "currency", p->currency);
	jsonw_pair_text(w, "note", p->note);
	jsonw_object_end(w);
}

static void resource(struct jsonw *w, const char *key,
		     const struct cost_resource *r)
{
	jsonw_key(w, key);
	jsonw_object(w);
	number(w, "used", &r->used);
	number(w, "allocated", &r->allocated);
	jsonw_object_end(w);
}

static void place(struct jsonw *w, struct str file, uint32_t line)
{
	jsonw_pair_known_str(w, "file", file);
	jsonw_pair_known(w, "line", line ? (int64_t)line : -1);
}

const char *cost_row_name(enum cost_row_kind kind)
{
	static const char *const names[] = {
		[COST_ROW_FUNCTION] = "function",
		[COST_ROW_OTHERS] = "other_functions",
		[COST_ROW_UNPROFILED] = "cpu_in_no_profile",
		[COST_ROW_CPU] = "cpu_used",
		[COST_ROW_IDLE_CPU] = "cpu_idle",
		[COST_ROW_MEMORY] = "memory_used",
		[COST_ROW_IDLE_MEMORY] = "memory_idle",
		[COST_ROW_REQUESTS] = "requests",
		[COST_ROW_BILL] = "all",
	};

	return names[kind];
}

static void row(struct jsonw *w, const struct cost_row *r)
{
	const struct function_cost *f = r->function;

	jsonw_object(w);
	jsonw_pair_text(w, "kind", cost_row_name(r->kind));
	jsonw_pair_known_str(w, "name", f ? f->name : (struct str){ 0 });
	place(w, f ? f->file : (struct str){ 0 }, f ? f->line : 0);
	jsonw_pair_known_str(w, "leaf", f ? f->leaf : (struct str){ 0 });
	pair(w, "amount", r->amount);
	pair(w, "per_request", r->each);
	pair(w, "per_request_low", r->low);
	pair(w, "per_request_high", r->high);
	pair(w, "money_per_million", r->million);
	pair(w, "money_per_month", r->month);
	jsonw_object_end(w);
}

static void operations(struct jsonw *w, const struct cost_answer *a)
{
	const struct cost *c = a->cost;

	jsonw_key(w, "operations");
	jsonw_array(w);
	for (size_t i = 0; i < c->operation_count; i++) {
		const struct cost_operation *o = &c->operations[i];
		struct cost_row of;

		cost_operation_row(c, &a->prices, o, &of);
		jsonw_object(w);
		jsonw_pair_str(w, "name", o->name);
		jsonw_pair_i64(w, "spans", (int64_t)o->spans);
		jsonw_pair_f64(w, "share", o->share, 6);
		pair(w, "per_request", of.each);
		pair(w, "per_request_low", of.low);
		pair(w, "per_request_high", of.high);
		pair(w, "money_per_million", of.million);
		pair(w, "money_per_month", of.month);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
	jsonw_pair_i64(w, "operation_total", (int64_t)c->operation_total);
}

/* ---- the difference ---- */

static double change_of(const struct cost_answer *a, double part)
{
	return cost_change(a->cost, a->result, part);
}

static void change(struct jsonw *w, const struct cost_answer *a, double delta,
		   double low, double high)
{
	double per = change_of(a, delta);

	pair(w, "change", per);
	pair(w, "change_low", change_of(a, low));
	pair(w, "change_high", change_of(a, high));
	pair(w, "money_per_month", cost_of_change(a->cost, &a->prices, per));
	pair(w, "money_per_month_low",
	     cost_of_change(a->cost, &a->prices, change_of(a, low)));
	pair(w, "money_per_month_high",
	     cost_of_change(a->cost, &a->prices, change_of(a, high)));
}

static void difference(struct jsonw *w, const struct cost_answer *a)
{
	const struct result *r = a->result;

	jsonw_key(w, "difference");
	if (!a->cost->want->is_compared) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_str(w, "baseline", r->baseline.kind);
	json_range(w, r->baseline.range);
	number(w, "requests", &a->cost->baseline_requests);
	jsonw_pair_text(w, "per",
			a->cost->is_by_request ? "request" : "second");
	jsonw_pair_bool(w, "is_certain", r->whole.is_changed);
	change(w, a, r->whole.delta, r->whole.delta_low, r->whole.delta_high);
	jsonw_key(w, "functions");
	jsonw_array(w);
	for (size_t i = 0; i < r->function_count; i++) {
		const struct function_row *f = &r->functions[i];

		if (!change_is_real(f->change))
			continue;
		jsonw_object(w);
		jsonw_pair_str(w, "name", f->name);
		place(w, f->file, f->line);
		jsonw_pair_known_str(w, "leaf", f->leaf);
		change(w, a, f->delta, f->delta_low, f->delta_high);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
	jsonw_object_end(w);
}

/* ---- the size ---- */

static void known(struct jsonw *w, const char *key, double value)
{
	if (value > 0)
		pair(w, key, value);
	else
		jsonw_pair_null(w, key);
}

static void advice(struct jsonw *w, const char *key, const struct cost_size *s,
		   enum cost_what what)
{
	const struct size_advice *of = &s->advice[what];
	struct cost_advised now;

	cost_advised(s, &now);
	jsonw_key(w, key);
	if (!of->count) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_i64(w, "values", (int64_t)of->count);
	pair(w, "p50", of->p50);
	pair(w, "p90", of->p90);
	pair(w, "p95", of->p95);
	pair(w, "peak", of->peak);
	known(w, "request_now", s->request[what]);
	known(w, "limit_now", s->limit[what]);
	known(w, "request_hint", now.request[what]);
	known(w, "limit_hint", now.limit[what]);
	pair(w, "lower_bound", of->low);
	pair(w, "upper_bound", of->high);
	jsonw_object_end(w);
}

static void size(struct jsonw *w, const struct cost_answer *a)
{
	const struct cost_size *s = &a->cost->size;

	jsonw_key(w, "right_size");
	if (!a->cost->want->has_size) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_text(w, "refused", cost_refusal_name(s->refusal));
	jsonw_pair_f64(w, "hours", s->hours, 2);
	jsonw_pair_i64(w, "instances", (int64_t)s->instances);
	if (s->throttled >= 0)
		jsonw_pair_f64(w, "throttled", s->throttled, 6);
	else
		jsonw_pair_null(w, "throttled");
	advice(w, "cpu", s, COST_CPU);
	advice(w, "memory", s, COST_MEMORY);
	jsonw_object_end(w);
}

static const char *lack_name(enum cost_lack lack)
{
	static const char *const names[] = {
		[COST_LACK_NONE] = NULL,
		[COST_LACK_ASKED] = "not_asked",
		[COST_LACK_TRACES] = "no_traces",
		[COST_LACK_REQUESTS] = "no_requests",
		[COST_LACK_SPANS] = "no_span_samples",
	};

	return names[lack];
}

void cost_write_json(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost *c = a->cost;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "cost");
	jsonw_pair_text(&w, "service", a->service);
	jsonw_pair_str(&w, "profile", c->chosen.comparison.slow.selector);
	jsonw_pair_text(&w, "resource",
			c->what == COST_MEMORY ? "memory" : "cpu");
	json_range(&w, cost_window(c));
	jsonw_pair_known(&w, "samples",
			 c->chosen.comparison.slow.profile.sample_count);
	number(&w, "requests", &c->requests);
	known(&w, "seconds", c->seconds);
	prices(&w, &a->prices);
	resource(&w, "cpu", &c->resources[COST_CPU]);
	resource(&w, "memory", &c->resources[COST_MEMORY]);
	number(&w, "instances", &c->instances);
	jsonw_key(&w, "rows");
	jsonw_array(&w);
	for (size_t i = 0; i < a->rows.count; i++)
		row(&w, &a->rows.items[i]);
	jsonw_array_end(&w);
	jsonw_pair_text(&w, "operations_lack", lack_name(c->operation_lack));
	operations(&w, a);
	difference(&w, a);
	size(&w, a);
	json_notes(&w, "notes", a->notes);
	jsonw_object_end(&w);
	out_char(out, '\n');
}
