/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/snapshot.h"

#include "base/json.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/num.h"

#define MARK "tracefind_fleet"
#define VERSION 1

static const char *const state_names[FLEET_STATES] = {
	[FLEET_WAITING] = "waiting",
	[FLEET_COMPARED] = "answered",
	[FLEET_NO_BASELINE] = "no_baseline",
	[FLEET_NO_CANDIDATE] = "no_candidate",
	[FLEET_NO_CPU] = "no_cpu",
	[FLEET_NO_VERSIONS] = "no_versions",
	[FLEET_NO_TEST] = "no_test",
	[FLEET_LEFT_OUT] = "left_out",
};

/* ---- writing ---- */

static void write_range(struct jsonw *w, const char *key, struct time_range r)
{
	jsonw_addf(w, "%s:[%jd, %jd]", key, r.from_ns, r.to_ns);
}

static void write_plan(const struct fleet_service *s, struct out *out)
{
	struct jsonw w;

	jsonw_init(&w, out, 0);
	jsonw_addf(&w, "{service:%.*s, type:%.*s, state:%s", STR_WHOLE(s->name),
		   STR_WHOLE(s->type_id), state_names[s->state]);
	write_range(&w, "after", s->after.range);
	write_range(&w, "before", s->before.range);
	if (s->version_label.ptr) {
		jsonw_pair_str(&w, "label", s->version_label);
		jsonw_pair_str(&w, "after_version", s->after.version);
		jsonw_pair_str(&w, "before_version", s->before.version);
	}
	jsonw_object_end(&w);
	out_char(out, '\n');
}

void fleet_state_write(const struct fleet *f, struct str question,
		       struct out *out)
{
	struct jsonw w;

	jsonw_init(&w, out, 0);
	jsonw_addf(&w, "{%s:%d, question:%.*s, started:%jd", MARK, VERSION,
		   STR_WHOLE(question), f->started_ns);
	write_range(&w, "window", f->window);
	write_range(&w, "baseline", f->baseline);
	jsonw_addf(&w, "services:%zu}", f->count);
	out_char(out, '\n');
	for (size_t i = 0; i < f->count; i++)
		write_plan(&f->items[i], out);
}

/* Numbers of samples are whole, of weights they may be parts: as they are. */
static void write_function(struct jsonw *w, const struct fleet_function *f)
{
	jsonw_addf(w, "[%.*s", STR_WHOLE(f->name));
	jsonw_str(w, f->file.ptr ? f->file : STR(""));
	jsonw_addf(w, "%u, %g", f->line, f->after);
	for (size_t i = 0; i < FLEET_PARTS; i++)
		jsonw_f64(w, f->before[i], -1);
	jsonw_array_end(w);
}

void fleet_state_add(const struct fleet *f, size_t index, struct out *out)
{
	const struct fleet_service *s = &f->items[index];
	struct jsonw w;

	jsonw_init(&w, out, 0);
	jsonw_addf(&w, "{of:%zu, state:%s, sample_cores:%g, samples:[%g", index,
		   state_names[s->state], s->sample_cores, s->after_samples);
	for (size_t i = 0; i < FLEET_PARTS; i++)
		jsonw_f64(&w, s->before_samples[i], -1);
	jsonw_addf(&w, "], functions:[");
	for (size_t i = 0; i < s->count; i++)
		write_function(&w, &s->functions[i]);
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}

/* ---- reading ---- */

struct reader {
	struct json_reader *json;
	struct fleet *fleet;
	size_t planned; /* services that the first line promises */
	int64_t version;
	bool is_out_of_memory;
};

static void read_text(struct reader *r, struct str *into)
{
	struct str text;

	if (!json_text(r->json, &text))
		return;
	*into = arena_str(&r->fleet->arena, text);
	r->is_out_of_memory |= !into->ptr;
}

static void read_number(struct reader *r, double *into)
{
	if (json_f64(r->json, into) && !(*into >= 0 && *into <= 0x1p60))
		json_fail(r->json, "a number out of range");
}

static void read_numbers(struct reader *r, double *const *into, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (json_next_item(r->json))
			read_number(r, into[i]);
		else
			json_fail(r->json, "fewer than %zu numbers", count);
	}
}

static void end_list(struct reader *r)
{
	if (!json_failed(r->json) && json_next_item(r->json))
		json_fail(r->json, "too long a list");
}

static void read_range(struct reader *r, struct time_range *into)
{
	if (!json_enter(r->json, JSON_ARRAY))
		return;
	if (!json_next_item(r->json) || !json_i64(r->json, &into->from_ns) ||
	    !json_next_item(r->json) || !json_i64(r->json, &into->to_ns) ||
	    into->from_ns < 0 || into->to_ns < into->from_ns)
		json_fail(r->json, "no window");
	end_list(r);
}

static void read_count(struct reader *r, int64_t most, int64_t *into)
{
	if (json_i64(r->json, into) && (*into < 0 || *into > most))
		json_fail(r->json, "a number out of range");
}

static void read_state(struct reader *r, enum fleet_state *into)
{
	struct str text;
	size_t i = 0;

	if (!json_text(r->json, &text))
		return;
	while (i < FLEET_STATES &&
	       !(state_names[i] && str_equal(text, str_from(state_names[i]))))
		i++;
	if (i == FLEET_STATES)
		json_fail(r->json, "an unknown state");
	else
		*into = (enum fleet_state)i;
}

static void read_head(struct reader *r, struct str *question)
{
	struct fleet *f = r->fleet;
	int64_t count = 0;
	struct str key;

	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR(MARK)))
			read_count(r, INT64_MAX, &r->version);
		else if (str_equal(key, STR("question")))
			read_text(r, question);
		else if (str_equal(key, STR("started")))
			read_count(r, INT64_MAX, &f->started_ns);
		else if (str_equal(key, STR("window")))
			read_range(r, &f->window);
		else if (str_equal(key, STR("baseline")))
			read_range(r, &f->baseline);
		else if (str_equal(key, STR("services")))
			read_count(r, LIMIT_SERIES, &count);
		else
			json_skip(r->json);
	}
	if (!json_failed(r->json) && (r->version != VERSION || !question->ptr))
		json_fail(r->json, "what check --all keeps, of version %d, is "
				   "wanted",
			  VERSION);
	r->planned = (size_t)count;
	f->items = arena_array(&f->arena, r->planned + 1, sizeof *f->items);
	r->is_out_of_memory |= !f->items;
}

static void read_plan(struct reader *r)
{
	struct fleet_service *s = &r->fleet->items[r->fleet->count++];
	struct str key;

	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR("service")))
			read_text(r, &s->name);
		else if (str_equal(key, STR("type")))
			read_text(r, &s->type_id);
		else if (str_equal(key, STR("state")))
			read_state(r, &s->state);
		else if (str_equal(key, STR("after")))
			read_range(r, &s->after.range);
		else if (str_equal(key, STR("before")))
			read_range(r, &s->before.range);
		else if (str_equal(key, STR("label")))
			read_text(r, &s->version_label);
		else if (str_equal(key, STR("after_version")))
			read_text(r, &s->after.version);
		else if (str_equal(key, STR("before_version")))
			read_text(r, &s->before.version);
		else
			json_skip(r->json);
	}
	if (!s->name.ptr || !s->type_id.ptr ||
	    !s->version_label.ptr != !s->after.version.ptr ||
	    !s->version_label.ptr != !s->before.version.ptr)
		json_fail(r->json, "a service without its name, type or "
				   "versions");
}

static void read_function(struct reader *r, struct fleet_function *f)
{
	double *numbers[1 + FLEET_PARTS] = { &f->after };
	int64_t line = 0;

	*f = (struct fleet_function){ .line = 0 };
	for (size_t i = 0; i < FLEET_PARTS; i++)
		numbers[1 + i] = &f->before[i];
	if (!json_enter(r->json, JSON_ARRAY))
		return;
	if (json_next_item(r->json))
		read_text(r, &f->name);
	if (json_next_item(r->json))
		read_text(r, &f->file);
	if (json_next_item(r->json))
		read_count(r, UINT32_MAX, &line);
	f->line = (uint32_t)line;
	read_numbers(r, numbers, COUNT_OF(numbers));
	end_list(r);
}

static void read_functions(struct reader *r, struct fleet_service *s)
{
	size_t cap = 0;

	if (!json_enter(r->json, JSON_ARRAY))
		return;
	while (!r->is_out_of_memory && json_next_item(r->json)) {
		if (s->count >= LIMIT_FLEET_FUNCTIONS) {
			json_fail(r->json, "more than %u functions",
				  LIMIT_FLEET_FUNCTIONS);
			return;
		}
		if (!arena_reserve(&r->fleet->arena, (void **)&s->functions,
				   &cap, s->count + 1, sizeof *s->functions)) {
			r->is_out_of_memory = true;
			return;
		}
		read_function(r, &s->functions[s->count++]);
	}
	arena_trim(&r->fleet->arena, (void **)&s->functions, &cap, s->count,
		   sizeof *s->functions);
}

static void read_samples(struct reader *r, struct fleet_service *s)
{
	double *numbers[1 + FLEET_PARTS] = { &s->after_samples };

	for (size_t i = 0; i < FLEET_PARTS; i++)
		numbers[1 + i] = &s->before_samples[i];
	if (!json_enter(r->json, JSON_ARRAY))
		return;
	read_numbers(r, numbers, COUNT_OF(numbers));
	end_list(r);
}

/* "of" comes first. */
static void read_answer(struct reader *r)
{
	struct fleet_service *s = NULL;
	int64_t index = 0;
	struct str key;

	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR("of"))) {
			read_count(r, (int64_t)r->fleet->count - 1, &index);
			s = &r->fleet->items[index];
			s->count = 0;
		} else if (!s) {
			json_fail(r->json, "an answer of no service");
		} else if (str_equal(key, STR("state"))) {
			read_state(r, &s->state);
		} else if (str_equal(key, STR("sample_cores"))) {
			read_number(r, &s->sample_cores);
		} else if (str_equal(key, STR("samples"))) {
			read_samples(r, s);
		} else if (str_equal(key, STR("functions"))) {
			read_functions(r, s);
		} else {
			json_skip(r->json);
		}
	}
}

static bool has_more(struct reader *r)
{
	return !r->is_out_of_memory && !json_failed(r->json) &&
	       !json_at_end(r->json);
}

bool fleet_state_read(struct fleet *f, struct feed *feed, struct str *question,
		      struct error *err)
{
	struct reader r = { .fleet = f, .json = json_new_feed(feed, err) };
	bool done;

	if (!r.json)
		return false;
	if (json_enter(r.json, JSON_OBJECT))
		read_head(&r, question);
	while (f->count < r.planned && has_more(&r))
		if (json_enter(r.json, JSON_OBJECT))
			read_plan(&r);
	/* Whoever wrote it was stopped before it was whole. */
	if (f->count < r.planned)
		f->count = 0;
	while (f->count && has_more(&r))
		if (json_enter(r.json, JSON_OBJECT))
			read_answer(&r);
	done = r.is_out_of_memory ? arena_fail(&f->arena, "the fleet", err)
				  : feed_check(feed, err) &&
					    json_check(r.json, err);
	json_free(r.json);
	return done;
}
