/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/profile_backend.h"
#include "backend/source.h"
#include "base/limits.h"
#include "base/num.h"
#include "decode/wire.h"
#include "model/profile.h"
#include "wire/har.h"

/* A window that the server does not accept as a whole, split into parts. */

static void part_begin(struct window_parts *p, int64_t from_ns)
{
	int64_t to_ns = p->whole.to_ns;

	if (from_ns < p->edge_ns)
		to_ns = min_i64(to_ns, p->edge_ns);
	if (p->longest_ns)
		to_ns = min_i64(to_ns, sat_add_i64(from_ns, p->longest_ns));
	p->part = (struct time_range){ from_ns, to_ns };
}

static bool check_count(const struct window_parts *p, struct error *err)
{
	int64_t length_ns = sat_sub_i64(p->whole.to_ns, p->whole.from_ns);
	char longest[24];

	if (!p->longest_ns || length_ns / p->longest_ns < LIMIT_WINDOW_PARTS)
		return true;
	format_duration(p->longest_ns, longest);
	return error_set(err, ERROR_LIMIT,
			 "the server accepts windows of %s: this one would "
			 "take more than %u requests; narrow it with --from "
			 "and --to",
			 longest, LIMIT_WINDOW_PARTS);
}

bool window_parts_start(struct window_parts *p, struct time_range whole,
			int64_t now_ns, int64_t longest_ns, struct error *err)
{
	*p = (struct window_parts){
		.whole = whole,
		.longest_ns = longest_ns,
		.edge_ns = sat_sub_i64(now_ns, SERVER_LOOKBACK_NS),
	};
	part_begin(p, whole.from_ns);
	return check_count(p, err);
}

bool window_parts_shorten(struct window_parts *p, int64_t longest_ns,
			  struct error *err)
{
	int64_t length_ns = sat_sub_i64(p->part.to_ns, p->part.from_ns);

	if (longest_ns <= 0 || longest_ns >= length_ns)
		return error_set(err, ERROR_LIMIT,
				 "the server refuses the window as too long, "
				 "and does not say which length it accepts");
	p->longest_ns = longest_ns;
	part_begin(p, p->part.from_ns);
	return check_count(p, err);
}

bool window_parts_is_whole(const struct window_parts *p)
{
	return p->part.from_ns == p->whole.from_ns &&
	       p->part.to_ns == p->whole.to_ns;
}

bool window_parts_next(struct window_parts *p)
{
	if (p->part.to_ns >= p->whole.to_ns)
		return false;
	part_begin(p, p->part.to_ns);
	return true;
}

/* ---- windows in parts ---- */

/* Called before each request. */
static bool walk_begin(struct window_walk *walk, struct job *job,
		       struct backends *b, struct time_range whole,
		       struct error *err)
{
	if (!profiles_prepare(b, job, err))
		return false;
	if (walk->is_started)
		return true;
	walk->is_started = true;
	return window_parts_start(&walk->parts, whole, b->now_ns,
				  b->profile_window_ns, err);
}

/* Returns whether the answer shows that the query has to be sent to another
 * kind of server. */
static bool walk_restarts(struct window_walk *walk, struct job *job,
			  struct backends *b,
			  const struct http_response *response)
{
	if (!profiles_recognise(b, job, response))
		return false;
	job->attempt = 0;
	walk->is_started = false;
	return true;
}

/* Returns whether the answer refuses the length of the window, and a shorter
 * part follows. Otherwise it has to be evaluated. */
static bool walk_is_shortened(struct window_walk *walk, struct backends *b,
			      const struct http_response *response,
			      struct error *err)
{
	const struct profile_backend *p = backends_profiles(b);
	int64_t longest_ns =
		p->window_limit_ns ? p->window_limit_ns(response) : 0;
	char longest[24];

	if (!longest_ns || !window_parts_shorten(&walk->parts, longest_ns, err))
		return false;
	b->profile_window_ns = longest_ns;
	format_duration(longest_ns, longest);
	notes_add(b->notes,
		  "the profile server accepts windows of at most %s: longer "
		  "ones were fetched in parts and merged",
		  longest);
	return true;
}

/* ---- profiles ---- */

static bool has_span_lines(const struct backends *b)
{
	const struct profile_backend *p = backends_profiles(b);

	return p->has_span_lines && p->has_span_lines(&b->profiles);
}

static bool profile_request(struct job *job, struct backends *b,
			    struct http_request *request, struct error *err)
{
	struct profile_fetch *f = (struct profile_fetch *)job;
	struct profile_query query;

	if (!f->walk.is_started) { /* result of an earlier fetch */
		profile_release(f->into);
		profile_init(f->into);
		f->query.wants_lines =
			!f->is_tree && b->wants_span_lines && has_span_lines(b);
	}
	query = f->query;
	if (!walk_begin(&f->walk, job, b, query.range, err))
		return false;
	query.range = f->walk.parts.part;
	return backends_profiles(b)->profile_request(
		&b->profiles, &query, job->attempt, request, err);
}

static bool decode_part(struct backends *b, enum format format,
			const struct http_response *response,
			struct profile_fetch *f, struct profile *into)
{
	const struct profile_backend *p = backends_profiles(b);
	struct str bytes = buf_str(&response->body);
	/* A tree has no type: that of the query is used. */
	struct profile_want want = b->want;
	struct buf plain;
	bool done = true;

	/* Parts are added up in order. */
	if (f->packs_for_later && window_parts_is_whole(&f->walk.parts)) {
		want.packs_for_later = true;
		want.packed_max_bytes = UINT64_MAX;
	}
	want.type =
		format == FORMAT_PPROF ? STR("") : str_from(f->query.type_id);
	buf_init(&plain, LIMIT_BODY_PLAIN_BYTES);
	if (p->profile_unwrap) {
		done = p->profile_unwrap(&b->profiles, response, &plain,
					 &f->job.err);
		bytes = buf_str(&plain);
	}
	done = done && (decode_profile(format, bytes, &want, into, b->notes,
				       &f->job.err) ||
			error_prefix(&f->job.err, "%s: profile", p->name));
	buf_release(&plain);
	return done;
}

/* into = sum of into and part. A profile cannot be moved: its tables contain
 * pointers into it. */
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

static bool decode_answer(struct backends *b, enum format format,
			  const struct http_response *response,
			  struct profile_fetch *f)
{
	struct profile part;
	bool done;

	if (!f->into->stack_count) { /* except perhaps for a header */
		profile_release(f->into);
		profile_init(f->into);
		return decode_part(b, format, response, f, f->into);
	}
	profile_init(&part);
	done = decode_part(b, format, response, f, &part) &&
	       add_part(b, f->into, &part, &f->job.err);
	profile_release(&part);
	return done;
}

/* Servers silently omit profiles older than their lookback. */
static void note_empty_start(const struct profile_fetch *f, struct backends *b)
{
	const struct window_parts *p = &f->walk.parts;
	char to[TIME_RFC3339_BYTES];

	if (!f->empty_to_ns || !f->into->stack_count ||
	    p->whole.from_ns >= p->edge_ns)
		return;
	format_rfc3339(f->empty_to_ns, to);
	notes_add(b->notes,
		  "no data before %.19sZ: servers look back 7 days by default "
		  "(max_query_lookback), and profiles have a retention",
		  to);
}

/* Pyroscope truncates trees at 8,192 nodes by default and returns up to
 * 1,048,576; this many are some MB. */
#define RAISED_NODES 131072

/* A larger share under "other" is worth another request. */
#define OTHER_SHARE_MAX 0.01

/* Returns false if another part follows. Fallbacks are kept: sums of pprof and
 * trees would differ in frames without names. */
static bool part_done(struct profile_fetch *f, struct backends *b)
{
	const struct profile_backend *p = backends_profiles(b);

	if (!f->into->stack_count)
		f->empty_to_ns = f->walk.parts.part.to_ns;
	if (!f->job.has_answer)
		return true;
	if (window_parts_next(&f->walk.parts)) {
		if (!f->is_tree || f->query.span_id_count)
			f->job.attempt = 0;
		return false;
	}
	if (!f->is_raised && f->is_tree &&
	    f->into->truncated_share > OTHER_SHARE_MAX) {
		f->is_raised = true;
		f->query.max_nodes = RAISED_NODES;
		f->walk.is_started = false;
		f->empty_to_ns = 0;
		return false;
	}
	/* The largest share is reported at the end. */
	if (f->into->truncated_share > b->cut_share)
		b->cut_share = f->into->truncated_share;
	note_empty_start(f, b);
	if (f->into->stack_count && p->counts_totals &&
	    p->counts_totals(&b->profiles, str_from(f->query.type_id)))
		notes_add(b->notes,
			  "%s: %s is not scraped as a delta: each scrape holds "
			  "totals since the process began; use the shares",
			  p->title, f->query.type_id);
	return true;
}

/* Returns false if the server has no other form of the query. */
static bool next_attempt(struct profile_fetch *f, const struct backends *b)
{
	struct job *job = &f->job;

	if (f->query.span_id_count && f->query.wants_lines) {
		/* Restart at the first attempt, without lines. */
		f->query.wants_lines = false;
		job->attempt = 0;
		return true;
	}
	if (job->attempt + 1 >=
	    backends_profiles(b)->profile_attempts(&f->query))
		return false;
	job->attempt++;
	return true;
}

static bool profile_answer(struct job *job, struct backends *b,
			   const struct http_response *response)
{
	struct profile_fetch *f = (struct profile_fetch *)job;
	struct profile_query query = f->query;
	const struct profile_backend *p;
	struct profile_form form;
	enum answer answer;
	int64_t allowed;

	if (walk_restarts(&f->walk, job, b, response))
		return false;
	p = backends_profiles(b);
	query.range = f->walk.parts.part;
	answer = p->profile_answer(&b->profiles, &query, job->attempt, response,
				   &form, &job->err);
	if (answer == ANSWER_TRY_NEXT && next_attempt(f, b))
		return false;
	if (answer == ANSWER_ERROR && f->query.max_nodes && p->node_limit) {
		/* The number of nodes may be refused: then use the server's
		 * limit, or its default. */
		allowed = p->node_limit(response);
		f->query.max_nodes = allowed < f->query.max_nodes ? allowed : 0;
		return false;
	}
	if (answer == ANSWER_ERROR &&
	    walk_is_shortened(&f->walk, b, response, &job->err))
		return false;
	job->has_answer = answer == ANSWER_MISS; /* an empty profile */
	if (answer == ANSWER_OK) {
		job->has_answer = decode_answer(b, form.format, response, f);
		f->is_tree =
			form.format != FORMAT_PPROF && !f->query.wants_lines;
		if (job->has_answer && form.note)
			notes_add(b->notes, "%s", form.note);
	}
	return part_done(f, b);
}

static struct time_range profile_range(const struct job *job)
{
	return ((const struct profile_fetch *)job)->query.range;
}

static const struct job_type profile_job = { profile_request, profile_answer,
					     QUESTION_PROFILE, ABOUT_PROFILE,
					     profile_range, false };
static const struct job_type spans_job = { profile_request, profile_answer,
					   QUESTION_PROFILE, ABOUT_PROFILE,
					   profile_range, true };

void profile_fetch_init(struct profile_fetch *f,
			const struct profile_query *query, struct profile *into)
{
	*f = (struct profile_fetch){ .job = { .type = query->span_id_count
							     ? &spans_job
							     : &profile_job },
				     .query = *query,
				     .into = into };
}

void profile_fetch_again_as_tree(struct profile_fetch *f,
				 const struct backends *b)
{
	f->query.wants_lines = false;
	f->job.attempt = backends_profiles(b)->names_attempt(&f->query);
	f->job.has_answer = f->job.is_done = false;
	f->is_tree = true; /* for all parts */
	f->walk.is_started = false;
	f->empty_to_ns = 0;
}

bool span_answer_is_believable(int64_t span_total, int64_t service_total,
			       bool has_other_spans)
{
	/* Zero totals prove nothing. */
	if (span_total <= 0)
		return true;
	return has_other_spans ? span_total < service_total
			       : span_total <= service_total;
}

/* ---- names ---- */

static struct series_query types_query(const struct names_job *n)
{
	return (struct series_query){ .selector = n->selector,
				      .range = n->walk.parts.part };
}

static bool names_request(struct job *job, struct backends *b,
			  struct http_request *request, struct error *err)
{
	struct names_job *n = (struct names_job *)job;
	const struct profile_backend *p;
	struct series_query query;

	if (!walk_begin(&n->walk, job, b, n->range, err))
		return false;
	p = backends_profiles(b);
	query = types_query(n);
	if (n->selector)
		return p->types_request(&b->profiles, &query, request, err);
	return p->services_request(&b->profiles, query.range, request, err);
}

static bool names_answer(struct job *job, struct backends *b,
			 const struct http_response *response)
{
	struct names_job *n = (struct names_job *)job;
	const struct profile_backend *p;
	struct series_query query;
	struct name_list part;

	if (walk_restarts(&n->walk, job, b, response))
		return false;
	p = backends_profiles(b);
	query = types_query(n);
	job->has_answer =
		(n->selector ? p->types_answer(b, &query, response, &part,
					       &job->err)
			     : p->services_answer(b, response, &part,
						  &job->err)) &&
		name_list_add(&n->names, b->arena, &part, &job->err);
	if (job->has_answer)
		return !window_parts_next(&n->walk.parts);
	return !walk_is_shortened(&n->walk, b, response, &job->err);
}

static const struct job_type names_job = { names_request, names_answer,
					   QUESTION_NAMES, ABOUT_PROFILE_NAMES,
					   NULL };

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

static struct series_query series_query_of(const struct series_job *s)
{
	return (struct series_query){ s->selector, s->labels, s->label_count,
				      s->walk.parts.part };
}

static bool series_request(struct job *job, struct backends *b,
			   struct http_request *request, struct error *err)
{
	struct series_job *s = (struct series_job *)job;
	struct series_query query;

	if (!walk_begin(&s->walk, job, b, s->range, err))
		return false;
	query = series_query_of(s);
	return backends_profiles(b)->series_request(&b->profiles, &query,
						    request, err);
}

static bool series_answer(struct job *job, struct backends *b,
			  const struct http_response *response)
{
	struct series_job *s = (struct series_job *)job;
	struct series_query query;
	struct series_list part;

	if (walk_restarts(&s->walk, job, b, response))
		return false;
	query = series_query_of(s);
	job->has_answer =
		backends_profiles(b)->series_answer(b, &query, response, &part,
						    &job->err) &&
		series_list_add(&s->series, b->arena, &part, &job->err);
	if (job->has_answer)
		return !window_parts_next(&s->walk.parts);
	return !walk_is_shortened(&s->walk, b, response, &job->err);
}

static const struct job_type series_job = { series_request, series_answer,
					    QUESTION_SERIES, ABOUT_SERIES,
					    NULL };

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
	return backends_profiles(b)->snapshots_request(
		&b->profiles, &query, s->instance_label, job->attempt, request,
		err);
}

static bool snapshots_answer(struct job *job, struct backends *b,
			     const struct http_response *response)
{
	struct snapshots_job *s = (struct snapshots_job *)job;
	const struct profile_backend *p;
	int64_t count;
	enum answer answer;

	if (walk_restarts(&s->walk, job, b, response) ||
	    walk_is_shortened(&s->walk, b, response, &job->err))
		return false;
	p = backends_profiles(b);
	answer = p->snapshots_answer(&b->profiles, response, &count, &job->err);
	if (answer == ANSWER_TRY_NEXT &&
	    job->attempt + 1 < p->snapshots_attempts) {
		job->attempt++;
		return false;
	}
	/* A partial count is not used. */
	if (answer != ANSWER_OK && job->err.code != ERROR_NOT_FOUND)
		return true;
	s->count = sat_add_i64(s->count, count);
	job->has_answer = s->count > 0;
	/* Any of the attempts may return an empty answer. */
	if (answer == ANSWER_ERROR || !window_parts_next(&s->walk.parts))
		return true;
	job->attempt = 0;
	return false;
}

static const struct job_type snapshots_job = {
	snapshots_request, snapshots_answer, QUESTION_SNAPSHOTS,
	ABOUT_SNAPSHOTS,   NULL,             true,
};

void snapshots_job_init(struct snapshots_job *s,
			const struct profile_query *query,
			const char *instance_label)
{
	*s = (struct snapshots_job){ .job = { .type = &snapshots_job },
				     .query = *query,
				     .instance_label = instance_label };
}

/* ---- totals ---- */

static bool totals_request(struct job *job, struct backends *b,
			   struct http_request *request, struct error *err)
{
	const struct totals_job *t = (const struct totals_job *)job;

	if (!profiles_prepare(b, job, err))
		return false;
	if (backends_profiles(b)->totals_request(&b->profiles, &t->query,
						 request, err)) {
		request->is_optional = true;
		return true;
	}
	/* A type without profiles has the sum 0. */
	job->has_answer = err->code == ERROR_NOT_FOUND;
	return false;
}

static bool totals_answer(struct job *job, struct backends *b,
			  const struct http_response *response)
{
	struct totals_job *t = (struct totals_job *)job;

	if (!t->is_extra && profiles_recognise(b, job, response))
		return false;
	job->has_answer = backends_profiles(b)->totals_answer(
		b, &t->query, response, &t->totals, &job->err);
	return true;
}

static const struct job_type totals_job = { totals_request, totals_answer,
					    QUESTION_TOTALS, ABOUT_TOTALS,
					    NULL, true };

void totals_job_init(struct totals_job *t, const struct totals_query *query)
{
	*t = (struct totals_job){ .job = { .type = &totals_job },
				  .query = *query };
}

/* ---- files ---- */

/* Maximum number of names in a title. */
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

/* A server sums the snapshots of a window, and of all instances: values in use
 * are meaningful only per snapshot. */

#define SIDES 2

bool snapshots_divide(struct backends *b, const struct snapshots_side *sides,
		      size_t count, const char *instance_label,
		      struct error *err)
{
	struct snapshots_job counts[SIDES] = { 0 };
	struct job *jobs[SIDES];
	char before[64] = "";

	for (size_t i = 0; i < count; i++) {
		snapshots_job_init(&counts[i], &sides[i].query, instance_label);
		jobs[i] = &counts[i].job;
	}
	if (!jobs_run(b, jobs, count, err))
		return false;
	if (!counts[0].job.has_answer || !counts[count - 1].job.has_answer) {
		notes_add(b->notes,
			  "this type is a gauge: values are sums over all "
			  "snapshots of the window; use the shares");
		return true;
	}
	for (size_t i = 0; i < count; i++)
		profile_divide(sides[i].profile, counts[i].count);
	if (count == SIDES)
		snprintf(before, sizeof before, ", %" PRId64 " in the baseline",
			 counts[1].count);
	notes_add(b->notes, "values are per snapshot: %" PRId64 " snapshot%s%s",
		  counts[0].count, &"s"[counts[0].count == 1], before);
	return true;
}

/* The profiles and lists of profiles in a case file, found by the recorded
 * requests. */

/* SelectMergeProfileRequest of querier.proto. */
static bool read_request(struct str body, struct held_profile *out)
{
	struct wire w;
	struct wire_field f;
	struct error ignored;

	*out = (struct held_profile){ .from_ms = 0 };
	wire_init(&w, body);
	while (wire_next(&w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			out->type = f.bytes;
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			out->selector = f.bytes;
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			out->from_ms = f.value;
			break;
		case WIRE_TAG(4, WIRE_VARINT):
			out->to_ms = f.value;
			break;
		}
	return wire_check(&w, "a request of the case", &ignored) &&
	       out->type.len && out->selector.len &&
	       out->to_ms > out->from_ms && out->to_ms < INT64_MAX;
}

static bool held_profile_at(const struct har *har, size_t i,
			    struct held_profile *out)
{
	struct har_held held = har_held_at(har, i);

	return held.has_answer &&
	       strstr(held.url, "/querier.v1.QuerierService/"
				"SelectMergeProfile") &&
	       read_request(held.body, out);
}

static bool is_wanted(const char *wanted, const struct held_profile *p)
{
	struct str type = p->type;
	const struct name_list one = { .items = &type, .count = 1 };
	struct arena arena;
	struct str id;
	struct error ignored;
	bool is_gauge, is_it;

	if (!wanted)
		return true;
	arena_init(&arena, LIMIT_OPTION_VALUE_BYTES * 2);
	is_it = profile_type_resolve(str_from(wanted), &one, &arena, &id,
				     &is_gauge, &ignored) &&
		str_equal(id, p->type);
	arena_release(&arena);
	return is_it;
}

bool held_profile_latest(const struct har *har, const char *type,
			 struct held_profile *latest)
{
	struct held_profile p;
	bool is_found = false;

	for (size_t i = 0; i < har_held_count(har); i++)
		if (held_profile_at(har, i, &p) && is_wanted(type, &p) &&
		    (!is_found || p.to_ms > latest->to_ms)) {
			*latest = p;
			is_found = true;
		}
	return is_found;
}

bool held_profile_before(const struct har *har, const struct held_profile *of,
			 struct held_profile *before)
{
	struct held_profile p;
	bool is_found = false;

	for (size_t i = 0; i < har_held_count(har); i++)
		if (held_profile_at(har, i, &p) && p.to_ms <= of->from_ms &&
		    str_equal(p.type, of->type) &&
		    str_equal(p.selector, of->selector) &&
		    (!is_found || p.from_ms < before->from_ms)) {
			*before = p;
			is_found = true;
		}
	return is_found;
}

/* Reads a number of a request of ours, which is JSON without blanks. */
static bool read_number(struct str body, struct str key, uint64_t *out)
{
	size_t at = str_find(body, key), len = 0;
	struct str rest;

	if (at == SIZE_MAX)
		return false;
	rest = str_slice(body, at + key.len, body.len);
	while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9')
		len++;
	return parse_u64(str_slice(rest, 0, len), out) && *out < INT64_MAX;
}

bool held_list_window(const struct har *har, uint64_t *from_ms, uint64_t *to_ms)
{
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);

		if (held.has_answer && strstr(held.url, "/Series") &&
		    read_number(held.body, STR("\"start\":"), from_ms) &&
		    read_number(held.body, STR("\"end\":"), to_ms))
			return true;
	}
	return false;
}
