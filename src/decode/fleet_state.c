/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/snapshot.h"

#include <inttypes.h>

#include "base/document.h"
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
	for (size_t i = 0; i < f->count; i++) {
		const struct fleet_service *s = &f->items[i];

		jsonw_init(&w, out, 0);
		jsonw_addf(&w, "{service:%.*s, type:%.*s, state:%s",
			   STR_WHOLE(s->name), STR_WHOLE(s->type_id),
			   state_names[s->state]);
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
	for (size_t i = 0; i < s->count; i++) {
		const struct fleet_function *fn = &s->functions[i];

		/* Sample counts are integers, weights may be fractions: written
		 * exactly. */
		jsonw_addf(&w, "[%.*s", STR_WHOLE(fn->name));
		jsonw_str(&w, fn->file.ptr ? fn->file : STR(""));
		jsonw_addf(&w, "%u, %g", fn->line, fn->after);
		for (size_t k = 0; k < FLEET_PARTS; k++)
			jsonw_f64(&w, fn->before[k], -1);
		jsonw_array_end(&w);
	}
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}

/* ---- reading ---- */

/* For other values than strings leaves NULL. */
static bool read_text(struct fleet *f, const struct document *d,
		      struct str *into, struct error *err)
{
	if (!document_is_text(d))
		return true;
	*into = arena_str(&f->arena, document_text(d));
	return into->ptr || arena_fail(&f->arena, "the fleet", err);
}

static bool read_count(const struct document *d, int64_t most, int64_t *into,
		       struct error *err)
{
	return (document_i64(d, into) && *into >= 0 && *into <= most) ||
	       error_set(err, ERROR_FORMAT, "a number out of range");
}

static bool read_number(const struct document *d, double *into,
			struct error *err)
{
	return (document_f64(d, into) && *into >= 0 && *into <= 0x1p60) ||
	       error_set(err, ERROR_FORMAT, "a number out of range");
}

/* Reads the final numbers of a list: candidate, then parts of the baseline. */
static bool read_numbers(const struct document *list, size_t from,
			 double *after, double before[FLEET_PARTS],
			 struct error *err)
{
	if (document_count(list) != from + 1 + FLEET_PARTS)
		return error_set(err, ERROR_FORMAT,
				 "a list that does not end with %d numbers",
				 1 + FLEET_PARTS);
	for (size_t i = 0; i < FLEET_PARTS; i++)
		if (!read_number(document_at(list, from + 1 + i), &before[i],
				 err))
			return false;
	return read_number(document_at(list, from), after, err);
}

static bool read_range(const struct document *d, struct time_range *into,
		       struct error *err)
{
	return !d ||
	       (document_count(d) == 2 &&
		document_i64(document_at(d, 0), &into->from_ns) &&
		document_i64(document_at(d, 1), &into->to_ns) &&
		into->from_ns >= 0 && into->to_ns >= into->from_ns) ||
	       error_set(err, ERROR_FORMAT, "no window");
}

static bool read_state(const struct document *d, enum fleet_state *into,
		       struct error *err)
{
	size_t i = 0;

	if (!d)
		return true;
	while (i < FLEET_STATES &&
	       !(state_names[i] &&
		 str_equal(document_text(d), str_from(state_names[i]))))
		i++;
	if (i == FLEET_STATES)
		return error_set(err, ERROR_FORMAT, "an unknown state");
	*into = (enum fleet_state)i;
	return true;
}

/* *planned: number of services announced in the first line. */
static bool read_head(struct fleet *f, const struct document *d,
		      struct str *question, size_t *planned, struct error *err)
{
	int64_t version, count;

	if (!read_count(document_get(d, MARK), INT64_MAX, &version, err) ||
	    !read_text(f, document_get(d, "question"), question, err) ||
	    !read_count(document_get(d, "started"), INT64_MAX, &f->started_ns,
			err) ||
	    !read_range(document_get(d, "window"), &f->window, err) ||
	    !read_range(document_get(d, "baseline"), &f->baseline, err) ||
	    !read_count(document_get(d, "services"), LIMIT_SERIES, &count, err))
		return false;
	if (version != VERSION || !question->ptr)
		return error_set(err, ERROR_FORMAT,
				 "what check --all keeps, of version %d, is "
				 "wanted",
				 VERSION);
	*planned = (size_t)count;
	f->items = arena_array(&f->arena, *planned + 1, sizeof *f->items);
	return f->items || arena_fail(&f->arena, "the fleet", err);
}

static bool read_plan(struct fleet *f, const struct document *d,
		      struct error *err)
{
	struct fleet_service *s = &f->items[f->count++];

	if (!read_text(f, document_get(d, "service"), &s->name, err) ||
	    !read_text(f, document_get(d, "type"), &s->type_id, err) ||
	    !read_state(document_get(d, "state"), &s->state, err) ||
	    !read_range(document_get(d, "after"), &s->after.range, err) ||
	    !read_range(document_get(d, "before"), &s->before.range, err) ||
	    !read_text(f, document_get(d, "label"), &s->version_label, err) ||
	    !read_text(f, document_get(d, "after_version"), &s->after.version,
		       err) ||
	    !read_text(f, document_get(d, "before_version"),
		       &s->before.version, err))
		return false;
	return (s->name.ptr && s->type_id.ptr &&
		!s->version_label.ptr == !s->after.version.ptr &&
		!s->version_label.ptr == !s->before.version.ptr) ||
	       error_set(err, ERROR_FORMAT,
			 "a service without its name, type or versions");
}

/* Reads [name, file, line, numbers]. */
static bool read_function(struct fleet *f, const struct document *d,
			  struct fleet_function *function, struct error *err)
{
	int64_t line;

	if (!read_text(f, document_at(d, 0), &function->name, err) ||
	    !read_text(f, document_at(d, 1), &function->file, err) ||
	    !read_count(document_at(d, 2), UINT32_MAX, &line, err) ||
	    !read_numbers(d, 3, &function->after, function->before, err))
		return false;
	function->line = (uint32_t)line;
	return (function->name.ptr && function->file.ptr) ||
	       error_set(err, ERROR_FORMAT, "a function without its name");
}

/* The last result of a service counts. */
static bool read_answer(struct fleet *f, const struct document *d,
			struct error *err)
{
	const struct document *functions = document_get(d, "functions");
	const struct document *samples = document_get(d, "samples");
	size_t count = document_count(functions);
	struct fleet_service *s;
	int64_t index;

	if (!document_get(d, "of"))
		return error_set(err, ERROR_FORMAT, "an answer of no service");
	if (!read_count(document_get(d, "of"), (int64_t)f->count - 1, &index,
			err))
		return false;
	if (count > LIMIT_FLEET_FUNCTIONS)
		return error_set(err, ERROR_LIMIT, "more than %u functions",
				 LIMIT_FLEET_FUNCTIONS);
	s = &f->items[index];
	s->count = count;
	s->functions = arena_array(&f->arena, count + 1, sizeof *s->functions);
	if (!s->functions)
		return arena_fail(&f->arena, "the fleet", err);
	for (size_t i = 0; i < count; i++)
		if (!read_function(f, document_at(functions, i),
				   &s->functions[i], err))
			return false;
	return read_state(document_get(d, "state"), &s->state, err) &&
	       read_number(document_get(d, "sample_cores"), &s->sample_cores,
			   err) &&
	       (!samples || read_numbers(samples, 0, &s->after_samples,
					 s->before_samples, err));
}

bool fleet_state_read(struct fleet *f, struct str text, struct str *question,
		      struct error *err)
{
	bool is_head = true, done = true;
	size_t planned = 0;
	uint64_t number = 0;

	while (done && (is_head || text.len)) {
		struct document *d = document_read_within(
			str_take_line(&text), LIMIT_FLEET_FILE_BYTES, err);

		number++;
		done = d && (is_head ? read_head(f, d, question, &planned, err)
			     : f->count < planned ? read_plan(f, d, err)
						  : read_answer(f, d, err));
		is_head = false;
		document_free(d);
	}
	/* The writer was interrupted before the list was complete. */
	if (f->count < planned)
		f->count = 0;
	return done || error_prefix(err, "line %" PRIu64, number);
}
