/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "base/num.h"
#include "doctor/doctor.h"
#include "investigate/question.h"

/* Names are queried for a day, the longest range allowed by default, to
 * distinguish "not in this window" from "never". */
#define NAMES_RANGE_NS (NS_PER_DAY - NS_PER_S)

/* Requests per row: samples and a span; two more are for all of them. */
#define FETCHES_EACH 2
#define ROWS_AT_ONCE ((LIMIT_BATCH - 2) / FETCHES_EACH)

/* ---- services ---- */

static struct doctor_service *row_find(struct doctor *d, struct str name)
{
	for (size_t i = 0; i < d->row_count; i++)
		if (str_equal(d->rows[i].name, name))
			return &d->rows[i];
	return NULL;
}

static void row_add(struct doctor *d, struct str name)
{
	if (d->row_count == LIMIT_CHECKED_SERVICES) {
		d->rows_left_out++;
		return;
	}
	d->rows[d->row_count++] = (struct doctor_service){
		.name = name,
		.resource = RESOURCE_NONE,
		.profile_span = SPAN_NONE,
	};
}

static void row_take_span(struct doctor *d, struct doctor_service *row,
			  uint32_t index)
{
	const struct trace *t = &d->trace;
	struct str id = span_attr(t, index, STR("pyroscope.profile.id"));
	int64_t duration_ns = span_duration_ns(&t->spans[index]);

	if (!row->span_count++)
		row->resource = t->spans[index].resource;
	if (!id.len)
		return;
	if (row->profile_span != SPAN_NONE &&
	    duration_ns <= span_duration_ns(&t->spans[row->profile_span]))
		return;
	row->profile_span = index;
	row->profile_id = id;
}

/* Looks up a row per resource, not per span. */
static bool collect_rows(struct doctor *d, struct error *err)
{
	const struct trace *t = &d->trace;
	struct str only = str_from(d->question->service);
	struct doctor_service **of =
		arena_array(&d->arena, t->resource_count + 1, sizeof(void *));
	bool *is_known =
		arena_array(&d->arena, t->resource_count + 1, sizeof(bool));

	if (!of || !is_known)
		return arena_fail(&d->arena, "the services", err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t resource = t->spans[i].resource;
		struct str name = span_service(t, i);

		if (!is_known[resource] && name.len &&
		    (!only.len || str_equal(only, name))) {
			if (!row_find(d, name))
				row_add(d, name);
			of[resource] = row_find(d, name);
		}
		is_known[resource] = true;
		if (of[resource])
			row_take_span(d, of[resource], i);
	}
	return true;
}

static bool choose_rows(struct doctor *d, struct error *err)
{
	struct str only = str_from(d->question->service);

	d->rows =
		arena_array(&d->arena, LIMIT_CHECKED_SERVICES, sizeof *d->rows);
	if (!d->rows)
		return arena_fail(&d->arena, "the services", err);
	if (d->has_trace && !collect_rows(d, err))
		return false;
	if (!only.len || d->row_count)
		return true;
	row_add(d, only);
	if (d->has_trace) {
		check_warn(&d->checks, "trace", "service",
			   "no span of \"%.*s\" in it", STR_ARGS(only));
		check_fix(&d->checks, "without --service all services of the "
				      "trace are checked");
	}
	return true;
}

/* ---- names and types ---- */

static struct time_range names_range(const struct doctor *d)
{
	struct time_range r = { sat_sub_i64(d->window.to_ns, NAMES_RANGE_NS),
				d->window.to_ns };

	if (d->window.from_ns < r.from_ns)
		r.from_ns = d->window.from_ns;
	return r;
}

static bool set_selector(struct doctor *d, struct doctor_service *row,
			 struct str name, struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	selector_add(&text, STR("service_name"), name);
	selector_close(&text);
	row->selector = arena_str(&d->arena, buf_str(&text));
	buf_release(&text);
	return row->selector.ptr || arena_fail(&d->arena, "a selector", err);
}

/* The types of services, and the names of all services; LIMIT_CHECKED_SERVICES
 * limits the rows. */
struct names_round {
	struct names_job jobs[1 + LIMIT_CHECKED_SERVICES];
	struct doctor_service *rows[1 + LIMIT_CHECKED_SERVICES]; /* or NULL */
	size_t count;
};

static void types_add(struct doctor *d, struct names_round *q,
		      struct doctor_service *row)
{
	types_job_init(&q->jobs[q->count], row->selector.ptr, names_range(d));
	q->rows[q->count++] = row;
}

static bool names_run(struct doctor *d, struct names_round *q,
		      struct error *err)
{
	struct job *jobs[1 + LIMIT_CHECKED_SERVICES];

	for (size_t i = 0; i < q->count; i++)
		jobs[i] = &q->jobs[i].job;
	if (q->count && !jobs_run(d->backends, jobs, q->count, err))
		return false;
	for (size_t i = 0; i < q->count; i++) {
		if (q->rows[i]) {
			if (q->jobs[i].job.has_answer)
				q->rows[i]->types = q->jobs[i].names;
			else
				q->rows[i]->err = q->jobs[i].job.err;
		} else if (q->jobs[i].job.has_answer) {
			d->services = q->jobs[i].names;
		} else {
			check_fail(&d->checks, q->jobs[i].job.err.code,
				   "profiles", "services", "%s",
				   q->jobs[i].job.err.message);
		}
	}
	return true;
}

static struct names_round *names_round_new(struct doctor *d, struct error *err)
{
	struct names_round *q = arena_alloc(&d->arena, sizeof *q);

	if (!q)
		arena_fail(&d->arena, "the requests", err);
	else
		q->count = 0;
	return q;
}

/* Queries all names, and the types for the services' own names. */
static bool fetch_names(struct doctor *d, struct error *err)
{
	struct names_round *q = names_round_new(d, err);

	if (!q)
		return false;
	services_job_init(&q->jobs[q->count], names_range(d));
	q->rows[q->count++] = NULL;
	for (size_t i = 0; i < d->row_count; i++) {
		if (!set_selector(d, &d->rows[i], d->rows[i].name, err))
			return false;
		types_add(d, q, &d->rows[i]);
	}
	return names_run(d, q, err);
}

static bool match_row(struct doctor *d, struct doctor_service *row,
		      struct error *err)
{
	bool has_spans = row->resource != RESOURCE_NONE;
	struct name_candidates candidates;
	struct name_found found;
	struct str value;

	if (!name_candidates_init(&candidates, has_spans ? &d->trace : NULL,
				  has_spans ? row->resource : 0, row->name,
				  &d->arena, err) ||
	    (backends_profile_traits(d->backends)->has_targets &&
	     !name_candidates_add_targets(
		     &candidates, has_spans ? &d->trace : NULL,
		     has_spans ? row->resource : 0, &d->arena, err)))
		return false;
	found = name_match_find(&candidates, &d->services);
	row->match = found.match;
	row->found = found.name;
	row->nearest_count = found.nearest_count;
	memcpy(row->nearest, found.nearest, sizeof row->nearest);
	/* The list of names may lag behind; types are proof. */
	if (row->match != NAME_EXACT && row->types.count) {
		row->match = NAME_EXACT;
		row->found = row->name;
	}
	if (row->match > NAME_NEAR || !has_spans)
		return true;
	row->attr_key =
		name_attr_find(&d->trace, row->resource, &d->services, &value);
	if (row->attr_key) {
		row->match = NAME_NEAR;
		row->found = row->nearest[0] = value;
		row->nearest_count = 1;
	}
	return true;
}

/* Queries the types of services found under another spelling. */
static bool fetch_varied(struct doctor *d, struct error *err)
{
	struct names_round *q = names_round_new(d, err);

	if (!q)
		return false;
	for (size_t i = 0; i < d->row_count; i++) {
		struct doctor_service *row = &d->rows[i];

		if (!match_row(d, row, err))
			return false;
		if (row->match != NAME_VARIED)
			continue;
		if (!set_selector(d, row, row->found, err))
			return false;
		types_add(d, q, row);
	}
	return names_run(d, q, err);
}

/* ---- samples ---- */

struct samples_round {
	struct profile_fetch fetches[LIMIT_BATCH];
	struct profile profiles[LIMIT_BATCH];
	/* NULL: the nonexistent span. */
	struct doctor_service *rows[LIMIT_BATCH];
	bool is_span[LIMIT_BATCH];
	uint64_t span_ids[LIMIT_BATCH];
	size_t count;
	bool is_stranger_asked;
};

static bool choose_type(struct doctor *d, struct doctor_service *row)
{
	static const char *const words[] = { "cpu",   "wall",  "alloc",
					     "block", "mutex", "inuse" };
	struct error ignored;
	bool is_gauge;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (row->types.count &&
		    profile_type_resolve(str_from(words[i]), &row->types,
					 &d->arena, &row->type_id, &is_gauge,
					 &ignored)) {
			row->has_cpu = i == 0;
			return true;
		}
	return false;
}

static struct profile_fetch *samples_add(struct samples_round *q,
					 struct doctor_service *row,
					 struct time_range range)
{
	struct profile_fetch *f = &q->fetches[q->count];

	profile_init(&q->profiles[q->count]);
	profile_fetch_init(
		f,
		&(struct profile_query){ .type_id = row->type_id.ptr,
					 .selector = row->selector.ptr,
					 .range = range },
		&q->profiles[q->count]);
	q->rows[q->count++] = row;
	return f;
}

static void span_add(struct samples_round *q, struct doctor_service *row,
		     struct time_range range, uint64_t id)
{
	uint64_t *kept = &q->span_ids[q->count];
	struct profile_fetch *f;

	*kept = id;
	q->is_span[q->count] = true;
	f = samples_add(q, row, range);
	f->query.span_ids = kept;
	f->query.span_id_count = 1;
}

static void spans_add(struct doctor *d, struct samples_round *q,
		      struct doctor_service *row)
{
	const struct span *s = &d->trace.spans[row->profile_span];
	struct time_range range = window_of_samples(s->start_ns, s->end_ns);
	uint64_t id = 0;

	if (!parse_hex_u64(row->profile_id, &id))
		id = 0;
	span_add(q, row, range, id);
	if (q->is_stranger_asked)
		return;
	q->is_stranger_asked = true;
	/* A nonexistent span id: all bits inverted. */
	span_add(q, row, range, ~id);
	q->rows[q->count - 1] = NULL;
}

static void samples_take(struct doctor *d, struct samples_round *q, size_t i)
{
	const struct profile_fetch *f = &q->fetches[i];
	const struct profile *p = f->into;
	struct doctor_service *row = q->rows[i];
	int64_t samples = p->stack_count ? p->sample_count : 0;

	if (!row) {
		d->is_selector_ignored = p->stack_count > 0;
	} else if (q->is_span[i]) {
		row->has_span_answer = f->job.has_answer;
		row->span_samples = samples;
		row->span_total = p->total;
	} else {
		row->has_answer = f->job.has_answer;
		row->samples = samples;
		row->total = p->total;
		if (!f->job.has_answer)
			row->err = f->job.err;
	}
}

static bool samples_run(struct doctor *d, struct samples_round *q,
			struct error *err)
{
	struct job *jobs[LIMIT_BATCH];
	bool done;

	for (size_t i = 0; i < q->count; i++)
		jobs[i] = &q->fetches[i].job;
	done = !q->count || jobs_run(d->backends, jobs, q->count, err);

	for (size_t i = 0; i < q->count; i++) {
		if (done)
			samples_take(d, q, i);
		profile_release(&q->profiles[i]);
	}
	q->count = 0;
	memset(q->is_span, 0, sizeof q->is_span);
	return done;
}

static bool has_span_samples(const struct doctor *d)
{
	return backends_profile_traits(d->backends)->has_span_samples;
}

static bool fetch_samples(struct doctor *d, struct error *err)
{
	struct samples_round q = { .count = 0 };
	size_t in_round = 0;

	for (size_t i = 0; i < d->row_count; i++) {
		struct doctor_service *row = &d->rows[i];

		if (!doctor_service_is_found(row) || !choose_type(d, row))
			continue;
		if (in_round++ == ROWS_AT_ONCE) {
			if (!samples_run(d, &q, err))
				return false;
			in_round = 1;
		}
		samples_add(&q, row, d->window);
		if (row->has_cpu && has_span_samples(d) &&
		    is_span_profile_id(row->profile_id))
			spans_add(d, &q, row);
	}
	return samples_run(d, &q, err);
}

/* Without a trace: checks whether samples have span names. SDKs that add span
 * ids also add this label, so it is a hint, not a proof. */
static bool fetch_span_names(struct doctor *d, struct error *err)
{
	struct http_request request = { 0 };
	struct http_response response = { 0 };
	const struct profile_checkup *server = profile_checkup_of(d->backends);
	struct name_list names = { NULL };
	struct error ignored;
	bool done;

	if (d->has_trace || !d->row_count ||
	    !doctor_service_is_found(&d->rows[0]) ||
	    !server->span_names_request)
		return true;
	done = server->span_names_request(d->backends, d->rows[0].selector.ptr,
					  d->window, &request, err) &&
	       backends_send(d->backends, &request, &response, 1, err);
	d->has_span_names = done &&
			    backends_profiles(d->backends)
				    ->services_answer(d->backends, &response,
						      &names, &ignored) &&
			    names.count > 0;
	http_request_release(&request);
	http_response_release(&response);
	return done;
}

static void judge_spans(struct doctor *d)
{
	for (size_t i = 0; i < d->row_count; i++) {
		struct doctor_service *row = &d->rows[i];
		struct span_facts facts = {
			.profile_id = row->profile_id,
			.has_service = doctor_service_is_found(row),
			.has_cpu = row->has_cpu,
			.is_selector_ignored = d->is_selector_ignored,
			.has_samples = row->span_total > 0,
		};

		if (row->profile_span != SPAN_NONE)
			facts.duration_ns = span_duration_ns(
				&d->trace.spans[row->profile_span]);
		row->span_trouble = span_profiles_judge(&facts);
	}
}

bool doctor_profiles(struct doctor *d, struct error *err)
{
	const struct doctor_question *q = d->question;

	d->window = d->has_trace && !q->has_window
			    ? window_around(d->trace.start_ns, d->trace.end_ns,
					    q->pad_ns, d->backends->now_ns)
			    : q->window;
	if (!choose_rows(d, err))
		return false;
	if (!d->is_profiles_up)
		return true;
	if (!fetch_names(d, err) || !fetch_varied(d, err) ||
	    !doctor_places(d, names_range(d), err) ||
	    !fetch_samples(d, err) || !fetch_span_names(d, err))
		return false;
	judge_spans(d);
	doctor_judge_services(d);
	return true;
}

bool doctor_profile_file(struct doctor *d, struct error *err)
{
	const struct profile_query own_type = { .type_id = "" };
	struct profile_fetch fetch;
	struct job *job = &fetch.job;
	struct profile profile;
	char count[COUNT_TEXT_BYTES];
	bool done;

	profile_init(&profile);
	profile_fetch_init(&fetch, &own_type, &profile);
	fetch.paths = &d->backends->profiles.path;
	fetch.path_count = 1;
	done = jobs_run(d->backends, &job, 1, err);
	if (done && !job->has_answer) {
		check_fail(&d->checks, job->err.code, "profiles", "file", "%s",
			   job->err.message);
		check_fix(&d->checks, "--profiles-url file:PATH of a pprof "
				      "file or of folded stacks");
	} else if (done) {
		struct str type = profile_type_name(&profile);

		format_count(profile.stack_count, count);
		check_ok(&d->checks, "profiles", "file",
			 "%s distinct stacks of %.*s", count, STR_ARGS(type));
	}
	profile_release(&profile);
	return done;
}
