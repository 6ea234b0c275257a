/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_profile.h"

#include <string.h>

#include "backend/parca/parca.h"
#include "backend/parca/parca_probe.h"
#include "backend/parca/parca_series.h"
#include "base/num.h"
#include "model/profile_merge.h"

/* ---- windows in parts ---- */

/* Before each request. */
static bool walk_begin(struct window_walk *walk, struct job *job,
		       struct backends *b, struct time_range whole,
		       struct error *err)
{
	if (!parca_prepare(b, job, err))
		return false;
	if (walk->is_started)
		return true;
	walk->is_started = true;
	return window_parts_start(&walk->parts, whole, b->now_ns,
				  b->profile_window_ns, err);
}

/* True when the answer tells that the question has to be put to a Parca. */
static bool walk_restarts(struct window_walk *walk, struct job *job,
			  struct backends *b,
			  const struct http_response *response)
{
	if (!parca_is_found(b, job, response))
		return false;
	job->attempt = 0;
	walk->is_started = false;
	return true;
}

/* True when the answer refuses the length of the window and a shorter part is
 * to be asked for. Otherwise it is to be judged. */
static bool walk_is_shortened(struct window_walk *walk, struct backends *b,
			      const struct http_response *response,
			      struct error *err)
{
	int64_t longest_ns = source_window_limit_ns(response);
	char longest[24];

	if (!longest_ns || !window_parts_shorten(&walk->parts, longest_ns, err))
		return false;
	b->profile_window_ns = longest_ns;
	format_duration(longest_ns, longest);
	notes_add(b->notes,
		  "the profile server takes windows of at most %s: longer "
		  "ones were asked for in parts and added up",
		  longest);
	return true;
}

/* ---- profiles ---- */

static bool profile_request(struct job *job, struct backends *b,
			    struct http_request *request, struct error *err)
{
	struct profile_fetch *f = (struct profile_fetch *)job;
	struct profile_query query;

	if (!f->walk.is_started) { /* what an earlier fetch left there */
		profile_release(f->into);
		profile_init(f->into);
		f->query.wants_lines = !f->is_tree && b->wants_span_lines &&
				       !b->has_no_span_lines;
	}
	query = f->query;
	if (!walk_begin(&f->walk, job, b, query.range, err))
		return false;
	query.range = f->walk.parts.part;
	return source_profile_request(&b->profiles.endpoint, &query,
				      job->attempt, request, err);
}

/* Totals since a process began say little of a window, and their sum over the
 * snapshots in it less. */
static bool parca_counts_totals(const struct parca_type *type)
{
	return !type->is_delta && !profile_type_is_gauge(type->id);
}

static void note_totals(const struct profile_fetch *f, struct backends *b)
{
	const struct parca_facts *facts = b->profiles.endpoint.parca;
	const struct parca_type *type;

	if (!facts || !f->into->stack_count)
		return;
	type = parca_type_find(facts, str_from(f->query.type_id));
	if (type && parca_counts_totals(type))
		notes_add(b->notes,
			  "Parca: %s is not scraped as a delta: values are "
			  "totals since each process began, once a scrape; "
			  "read the shares",
			  f->query.type_id);
}

static enum format format_of(enum body_form form)
{
	if (form == BODY_PYROSCOPE_RENDER_JSON)
		return FORMAT_PYROSCOPE_FLAMEGRAPH_JSON;
	return form == BODY_PPROF ? FORMAT_PPROF : FORMAT_PYROSCOPE_TREE_PB;
}

static bool decode_part(struct backends *b, enum body_form form,
			const struct http_response *response,
			struct profile_fetch *f, struct profile *into)
{
	enum format format = format_of(form);
	const struct endpoint *e = &b->profiles.endpoint;
	struct str bytes = buf_str(&response->body);
	/* A tree does not say what it counts; the question did. */
	struct profile_want want = b->want;
	struct buf plain;
	bool done = true;

	/* Parts are added up in order. */
	if (f->packs_for_later && window_parts_is_whole(&f->walk.parts)) {
		want.packs_for_later = true;
		want.packed_max_bytes = UINT64_MAX;
	}
	want.type = form == BODY_PPROF ? STR("") : str_from(f->query.type_id);
	buf_init(&plain, LIMIT_BODY_PLAIN_BYTES);
	if (e->parca) {
		done = parca_profile_bytes(e, response, &plain, &f->job.err);
		bytes = buf_str(&plain);
	}
	done = done && (decode_profile(format, bytes, &want, into, b->notes,
				       &f->job.err) ||
			error_prefix(&f->job.err, "%s: profile",
				     source_kind_name(b->profiles.kind)));
	buf_release(&plain);
	return done;
}

/* into = sum of into and part. A profile cannot be moved: its tables know
 * where it lies. */
static bool add_part(struct backends *b, struct profile *into,
		     const struct profile *part, struct error *err)
{
	const struct profile *both[] = { into, part };
	struct profile sum;
	const struct profile *const all = &sum;
	bool done;

	profile_init(&sum);
	done = profile_merge(&sum, both, 2, b->notes, err);
	if (done) {
		profile_release(into);
		profile_init(into);
		done = profile_merge(into, &all, 1, b->notes, err);
	}
	profile_release(&sum);
	return done;
}

static bool decode_answer(struct backends *b, enum body_form form,
			  const struct http_response *response,
			  struct profile_fetch *f)
{
	struct profile part;
	bool done;

	if (!f->into->stack_count) { /* but perhaps a header */
		profile_release(f->into);
		profile_init(f->into);
		return decode_part(b, form, response, f, f->into);
	}
	profile_init(&part);
	done = decode_part(b, form, response, f, &part) &&
	       add_part(b, f->into, &part, &f->job.err);
	profile_release(&part);
	return done;
}

/* Servers hold back what is older than their lookback, silently. */
static void note_empty_start(const struct profile_fetch *f, struct backends *b)
{
	const struct window_parts *p = &f->walk.parts;
	char to[TIME_RFC3339_BYTES];

	if (!f->empty_to_ns || !f->into->stack_count ||
	    p->whole.from_ns >= p->edge_ns)
		return;
	format_rfc3339(f->empty_to_ns, to);
	notes_add(b->notes,
		  "nothing came of the window before %.19sZ: servers look back "
		  "7 days unless told otherwise (max_query_lookback), and keep "
		  "profiles only so long",
		  to);
}

/* Pyroscope cuts trees at 8,192 nodes unless told otherwise and gives up to
 * 1,048,576 by default; this many are some MB. */
#define RAISED_NODES 131072

/* Under "other" more than this is worth another request. */
#define OTHER_SHARE_MAX 0.01

/* True when too much was cut off and a larger tree is to be asked for. */
static bool is_cut(struct profile_fetch *f)
{
	if (f->is_raised || !f->is_tree ||
	    f->into->truncated_share <= OTHER_SHARE_MAX)
		return false;
	f->is_raised = true;
	f->query.max_nodes = RAISED_NODES;
	f->walk.is_started = false;
	f->empty_to_ns = 0;
	return true;
}

/* True when the answer refuses so many nodes: then as many as it allows, or
 * again what it gives by itself. */
static bool is_lowered(struct profile_fetch *f,
		       const struct http_response *response)
{
	int64_t allowed = source_node_limit(response);

	if (!f->query.max_nodes)
		return false;
	f->query.max_nodes = allowed < f->query.max_nodes ? allowed : 0;
	return true;
}

/* Of several profiles the worst is told, by context_report(). */
static void keep_other(const struct profile_fetch *f, struct backends *b)
{
	if (f->into->truncated_share > b->cut_share)
		b->cut_share = f->into->truncated_share;
}

/* False when another part is to be asked for. Fallbacks stay: sums of pprof
 * and trees would not agree on frames without names. */
static bool part_done(struct profile_fetch *f, struct backends *b)
{
	if (!f->into->stack_count)
		f->empty_to_ns = f->walk.parts.part.to_ns;
	if (f->job.has_answer && window_parts_next(&f->walk.parts)) {
		if (!f->is_tree || f->query.span_id_count)
			f->job.attempt = 0;
		return false;
	}
	if (f->job.has_answer && is_cut(f))
		return false;
	if (f->job.has_answer) {
		keep_other(f, b);
		note_empty_start(f, b);
		note_totals(f, b);
	}
	return true;
}

/* False when the server has no other form of this to be asked for. */
static bool next_attempt(struct profile_fetch *f, struct backends *b,
			 const struct http_response *response)
{
	struct job *job = &f->job;

	if (f->query.span_id_count && f->query.wants_lines) {
		/* From its first attempt, without lines. A refusal may be of
		 * this one question; all else is so of others, too. */
		b->has_no_span_lines |= response->status != 400;
		f->query.wants_lines = false;
		job->attempt = 0;
		return true;
	}
	if (job->attempt + 1 >= source_profile_attempts(&f->query))
		return false;
	job->attempt++;
	return true;
}

static void note_form(const struct profile_fetch *f, struct backends *b,
		      enum body_form form)
{
	if (form == BODY_PYROSCOPE_RENDER_JSON)
		notes_add(b->notes, "the profile came through the old call "
				    "/pyroscope/render: no files and lines");
	else if (f->is_tree && !f->query.span_id_count)
		notes_add(b->notes, "the profile came through the fallback "
				    "call: no files and lines");
}

static bool profile_answer(struct job *job, struct backends *b,
			   const struct http_response *response)
{
	struct profile_fetch *f = (struct profile_fetch *)job;
	struct profile_query query = f->query;
	enum body_form form;
	enum answer answer;

	if (walk_restarts(&f->walk, job, b, response))
		return false;
	query.range = f->walk.parts.part;
	answer = source_profile_answer(&query, job->attempt,
				       &b->profiles.endpoint, response, &form,
				       &job->err);
	if (answer == ANSWER_TRY_NEXT && next_attempt(f, b, response))
		return false;
	if (answer == ANSWER_ERROR && is_lowered(f, response))
		return false;
	if (answer == ANSWER_ERROR &&
	    walk_is_shortened(&f->walk, b, response, &job->err))
		return false;
	job->has_answer = answer == ANSWER_MISS; /* an empty profile */
	if (answer == ANSWER_OK) {
		job->has_answer = decode_answer(b, form, response, f);
		f->is_tree = form != BODY_PPROF && !f->query.wants_lines;
		if (job->has_answer)
			note_form(f, b, form);
	}
	return part_done(f, b);
}

static const struct job_type profile_job = { profile_request, profile_answer,
					     QUESTION_PROFILE };

void profile_fetch_init(struct profile_fetch *f,
			const struct profile_query *query, struct profile *into)
{
	*f = (struct profile_fetch){ .job = { .type = &profile_job },
				     .query = *query,
				     .into = into };
}

void profile_fetch_again_as_tree(struct profile_fetch *f)
{
	f->query.wants_lines = false;
	f->job.attempt = source_profile_names_attempt(&f->query);
	f->job.has_answer = f->job.is_done = false;
	f->is_tree = true; /* for all parts */
	f->walk.is_started = false;
	f->empty_to_ns = 0;
}

bool span_answer_is_believable(int64_t span_total, int64_t service_total,
			       bool has_other_spans)
{
	/* Nothing of nothing proves nothing. */
	if (span_total <= 0)
		return true;
	return has_other_spans ? span_total < service_total
			       : span_total <= service_total;
}

/* ---- names ---- */

static bool has_types(const struct endpoint *e, struct error *err)
{
	return e->parca->type_count ||
	       error_set(err, ERROR_NOT_FOUND,
			 "parca: the server holds no profiles");
}

static bool names_request(struct job *job, struct backends *b,
			  struct http_request *request, struct error *err)
{
	struct names_job *n = (struct names_job *)job;
	const struct endpoint *e = &b->profiles.endpoint;

	if (!walk_begin(&n->walk, job, b, n->range, err))
		return false;
	if (n->selector && e->parca)
		return has_types(e, err) &&
		       parca_series_request(e, 0, n->selector, NULL, 0,
					    n->walk.parts.part, request, err);
	if (n->selector)
		return source_types_request(e, n->selector, n->walk.parts.part,
					    request, err);
	return source_services_request(e, n->walk.parts.part, request, err);
}

static bool names_add(struct names_job *n, struct arena *arena,
		      const struct name_list *part)
{
	size_t count = n->names.count + part->count;
	struct str *items =
		arena_array(arena, count ? count : 1, sizeof *items);

	if (!items)
		return arena_fail(arena, "the server's names", &n->job.err);
	for (size_t i = 0; i < n->names.count; i++)
		items[i] = n->names.items[i];
	for (size_t i = 0; i < part->count; i++)
		items[n->names.count + i] = part->items[i];
	n->names = (struct name_list){ items, count };
	name_list_sort(&n->names);
	return true;
}

/* The types that what is selected has samples of. */
static bool parca_types_answer(struct names_job *n, struct backends *b,
			       const struct http_response *response,
			       struct name_list *part)
{
	const struct parca_facts *facts = b->profiles.endpoint.parca;
	const struct parca_question q = { .selector = n->selector,
					  .range = n->walk.parts.part };
	struct series_list *lists;

	if (!parca_series_all(b, &q, response, &lists, &n->job.err))
		return false;
	*part = (struct name_list){ arena_array(b->arena, facts->type_count,
						sizeof *part->items) };
	if (!part->items)
		return arena_fail(b->arena, "the types", &n->job.err);
	for (size_t i = 0; i < facts->type_count; i++)
		if (lists[i].count)
			part->items[part->count++] = facts->types[i].id;
	return true;
}

static bool names_read(struct names_job *n, struct backends *b,
		       const struct http_response *response,
		       struct name_list *part)
{
	const struct endpoint *e = &b->profiles.endpoint;

	if (n->selector && e->parca)
		return parca_types_answer(n, b, response, part);
	return (n->selector ? source_types_answer : source_services_answer)(
		e, response, b->arena, part, &n->job.err);
}

static bool names_answer(struct job *job, struct backends *b,
			 const struct http_response *response)
{
	struct names_job *n = (struct names_job *)job;
	struct name_list part;

	if (walk_restarts(&n->walk, job, b, response))
		return false;
	job->has_answer = names_read(n, b, response, &part) &&
			  names_add(n, b->arena, &part);
	if (job->has_answer)
		return !window_parts_next(&n->walk.parts);
	return !walk_is_shortened(&n->walk, b, response, &job->err);
}

static const struct job_type names_job = { names_request, names_answer,
					   QUESTION_NAMES };

void services_job_init(struct names_job *n, struct time_range range)
{
	*n = (struct names_job){ .job = { .type = &names_job },
				 .range = range };
}

void types_job_init(struct names_job *n, const char *selector,
		    struct time_range range)
{
	services_job_init(n, range);
	n->selector = selector;
}

/* ---- series ---- */

static bool series_request(struct job *job, struct backends *b,
			   struct http_request *request, struct error *err)
{
	struct series_job *s = (struct series_job *)job;
	const struct endpoint *e = &b->profiles.endpoint;

	if (!walk_begin(&s->walk, job, b, s->range, err))
		return false;
	if (e->parca)
		return has_types(e, err) &&
		       parca_series_request(e, 0, s->selector, s->labels,
					    s->label_count, s->walk.parts.part,
					    request, err);
	return source_series_request(e, s->selector, s->labels, s->label_count,
				     s->walk.parts.part, request, err);
}

/* A series of several parts is listed as often, which readers must expect of
 * servers anyway. */
static bool series_add(struct series_job *s, struct arena *arena,
		       const struct series_list *part)
{
	size_t had = s->series.count * s->label_count;
	size_t came = part->count * s->label_count;
	struct str *values;

	if (!s->series.count) {
		s->series = *part;
		return true;
	}
	if (!came || s->series.count + part->count > LIMIT_SERIES)
		return true;
	values = arena_array(arena, had + came, sizeof *values);
	if (!values)
		return arena_fail(arena, "the server's series", &s->job.err);
	memcpy(values, s->series.values, had * sizeof *values);
	memcpy(values + had, part->values, came * sizeof *values);
	s->series.values = values;
	s->series.count += part->count;
	return true;
}

/* Totals grow with the age of a process: later than a baseline they are
 * always more. So they are no evidence, unless asked for by their full id. */
static bool parca_rows_add(struct series_job *s, struct backends *b,
			   const struct http_response *response)
{
	const struct parca_facts *facts = b->profiles.endpoint.parca;
	const struct parca_question q = { s->selector, s->labels,
					  s->label_count, s->walk.parts.part };
	struct series_list *lists;
	bool done = parca_series_all(b, &q, response, &lists, &s->job.err);

	for (size_t i = 0; done && i < facts->type_count; i++)
		if (!parca_counts_totals(&facts->types[i]))
			done = series_add(s, b->arena, &lists[i]);
	return done;
}

static bool rows_add(struct series_job *s, struct backends *b,
		     const struct http_response *response)
{
	const struct endpoint *e = &b->profiles.endpoint;
	struct series_list part;

	if (e->parca)
		return parca_rows_add(s, b, response);
	return source_series_answer(e, response, s->labels, s->label_count,
				    b->arena, &part, &s->job.err) &&
	       series_add(s, b->arena, &part);
}

static bool series_answer(struct job *job, struct backends *b,
			  const struct http_response *response)
{
	struct series_job *s = (struct series_job *)job;

	if (walk_restarts(&s->walk, job, b, response))
		return false;
	job->has_answer = rows_add(s, b, response);
	if (job->has_answer)
		return !window_parts_next(&s->walk.parts);
	return !walk_is_shortened(&s->walk, b, response, &job->err);
}

static const struct job_type series_job = { series_request, series_answer,
					    QUESTION_SERIES };

void series_job_init(struct series_job *s, const char *selector,
		     const char *const *labels, size_t label_count,
		     struct time_range range)
{
	*s = (struct series_job){ .job = { .type = &series_job },
				  .selector = selector,
				  .labels = labels,
				  .label_count = label_count,
				  .range = range };
}

/* ---- snapshots ---- */

static bool snapshots_request(struct job *job, struct backends *b,
			      struct http_request *request, struct error *err)
{
	struct snapshots_job *s = (struct snapshots_job *)job;
	struct profile_query query = s->query;

	if (!walk_begin(&s->walk, job, b, query.range, err))
		return false;
	query.range = s->walk.parts.part;
	return source_snapshots_request(&b->profiles.endpoint, &query,
					s->instance_label, job->attempt,
					request, err);
}

static bool snapshots_answer(struct job *job, struct backends *b,
			     const struct http_response *response)
{
	struct snapshots_job *s = (struct snapshots_job *)job;
	int64_t count;
	enum answer answer;

	if (walk_restarts(&s->walk, job, b, response) ||
	    walk_is_shortened(&s->walk, b, response, &job->err))
		return false;
	answer = source_snapshots_answer(&b->profiles.endpoint, response,
					 &count, &job->err);
	if (answer == ANSWER_TRY_NEXT &&
	    job->attempt + 1 < source_snapshots_attempts()) {
		job->attempt++;
		return false;
	}
	s->count = sat_add_i64(s->count, count);
	job->has_answer = s->count > 0;
	/* What is empty may be answered so by any of the attempts. */
	if (answer == ANSWER_ERROR || !window_parts_next(&s->walk.parts))
		return true;
	job->attempt = 0;
	return false;
}

static const struct job_type snapshots_job = { snapshots_request,
					       snapshots_answer,
					       QUESTION_SNAPSHOTS };

void snapshots_job_init(struct snapshots_job *s,
			const struct profile_query *query,
			const char *instance_label)
{
	*s = (struct snapshots_job){ .job = { .type = &snapshots_job },
				     .query = *query,
				     .instance_label = instance_label };
}

/* ---- files ---- */

/* More names than that make no title. */
#define NAMED 3

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

struct str profile_files_name(struct backends *b, const char *const *paths,
			      size_t count)
{
	struct str name = str_from(name_of(paths[0]));

	if (count > NAMED)
		return arena_printf(b->arena, "%.*s + %zu more", STR_ARGS(name),
				    count - 1);
	for (size_t i = 1; i < count && name.ptr; i++)
		name = arena_printf(b->arena, "%.*s + %s", STR_ARGS(name),
				    name_of(paths[i]));
	return name;
}
