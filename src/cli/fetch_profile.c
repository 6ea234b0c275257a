/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fetch.h"

#include "cli/input.h"

bool fetch_profile_file(struct context *ctx, const char *path, struct str type,
			struct profile *profile, struct error *err)
{
	struct profile_want want = ctx->want;
	struct input in;
	bool done = false;

	want.type = type;
	if (!input_read(&in, path, err))
		goto out;
	if (format_is_trace(in.format)) {
		error_set(err, ERROR_FORMAT,
			  "%s: a profile is needed, this is a trace (%s); try "
			  "tracefind slow or show",
			  in.name, format_name(in.format));
	} else if (in.format == FORMAT_UNKNOWN) {
		error_set(err, ERROR_FORMAT,
			  "%s: neither pprof, folded stacks nor speedscope; "
			  "it looks like %s",
			  in.name, in.looks_like);
	} else {
		done = decode_profile(in.format, in.bytes, &want, profile,
				      &ctx->notes, err) ||
		       error_prefix(err, "%s", in.name);
	}
out:
	input_release(&in);
	return done;
}

static bool profile_request(struct job *job, struct context *ctx,
			    struct http_request *request, struct error *err)
{
	const struct profile_fetch *f = (const struct profile_fetch *)job;

	return source_profile_request(&ctx->profiles.endpoint, &f->query,
				      job->attempt, request, err);
}

static bool decode_answer(struct context *ctx, enum body_form form,
			  const struct http_response *response,
			  struct profile_fetch *f)
{
	enum format format =
		form == BODY_PPROF ? FORMAT_PPROF : FORMAT_PYROSCOPE_TREE_PB;
	/* A tree does not say what it counts; the question did. */
	struct profile_want want = ctx->want;

	want.type = form == BODY_PPROF ? STR("") : str_from(f->query.type_id);
	profile_release(f->into);
	profile_init(f->into);
	return decode_profile(format, buf_str(&response->body), &want, f->into,
			      &ctx->notes, &f->job.err) ||
	       error_prefix(&f->job.err, "pyroscope: profile");
}

static bool profile_answer(struct job *job, struct context *ctx,
			   const struct http_response *response)
{
	struct profile_fetch *f = (struct profile_fetch *)job;
	enum body_form form;
	enum answer answer = source_profile_answer(&f->query, job->attempt,
						   &ctx->profiles.endpoint,
						   response, &form, &job->err);

	if (answer == ANSWER_TRY_NEXT &&
	    job->attempt + 1 < source_profile_attempts(&f->query)) {
		job->attempt++;
		return false;
	}
	if (answer == ANSWER_OK) {
		job->has_answer = decode_answer(ctx, form, response, f);
		f->is_tree = form == BODY_PYROSCOPE_TREE_PB;
		if (job->has_answer && f->is_tree && !f->query.span_id_count)
			notes_add(&ctx->notes,
				  "the profile came through the fallback call: "
				  "no files and lines");
	} else if (answer == ANSWER_MISS) {
		job->has_answer = true; /* an empty profile */
	}
	return true;
}

static const struct job_type profile_job = { profile_request, profile_answer };

void profile_fetch_init(struct profile_fetch *f,
			const struct profile_query *query, struct profile *into)
{
	*f = (struct profile_fetch){ .job = { .type = &profile_job },
				     .query = *query,
				     .into = into };
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

static bool names_request(struct job *job, struct context *ctx,
			  struct http_request *request, struct error *err)
{
	const struct names_job *n = (const struct names_job *)job;
	const struct endpoint *e = &ctx->profiles.endpoint;

	if (n->selector)
		return source_types_request(e, n->selector, n->range, request,
					    err);
	return source_services_request(e, n->range, request, err);
}

static bool names_answer(struct job *job, struct context *ctx,
			 const struct http_response *response)
{
	struct names_job *n = (struct names_job *)job;

	job->has_answer =
		(n->selector ? source_types_answer : source_services_answer)(
			&ctx->profiles.endpoint, response, &ctx->arena,
			&n->names, &job->err);
	return true;
}

static const struct job_type names_job = { names_request, names_answer };

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

static bool series_request(struct job *job, struct context *ctx,
			   struct http_request *request, struct error *err)
{
	const struct series_job *s = (const struct series_job *)job;

	return source_series_request(&ctx->profiles.endpoint, s->selector,
				     s->labels, s->label_count, s->range,
				     request, err);
}

static bool series_answer(struct job *job, struct context *ctx,
			  const struct http_response *response)
{
	struct series_job *s = (struct series_job *)job;

	job->has_answer = source_series_answer(
		&ctx->profiles.endpoint, response, s->labels, s->label_count,
		&ctx->arena, &s->series, &job->err);
	return true;
}

static const struct job_type series_job = { series_request, series_answer };

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

static bool snapshots_request(struct job *job, struct context *ctx,
			      struct http_request *request, struct error *err)
{
	const struct snapshots_job *s = (const struct snapshots_job *)job;

	return source_snapshots_request(&ctx->profiles.endpoint, &s->query,
					s->instance_label, job->attempt,
					request, err);
}

static bool snapshots_answer(struct job *job, struct context *ctx,
			     const struct http_response *response)
{
	struct snapshots_job *s = (struct snapshots_job *)job;
	enum answer answer = source_snapshots_answer(
		&ctx->profiles.endpoint, response, &s->count, &job->err);

	if (answer == ANSWER_TRY_NEXT &&
	    job->attempt + 1 < source_snapshots_attempts()) {
		job->attempt++;
		return false;
	}
	job->has_answer = answer == ANSWER_OK;
	return true;
}

static const struct job_type snapshots_job = { snapshots_request,
					       snapshots_answer };

void snapshots_job_init(struct snapshots_job *s,
			const struct profile_query *query,
			const char *instance_label)
{
	*s = (struct snapshots_job){ .job = { .type = &snapshots_job },
				     .query = *query,
				     .instance_label = instance_label };
}
