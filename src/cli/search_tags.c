/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/search_tags.h"

#include "backend/trace_answers.h"
#include "base/jsonw.h"
#include "base/timefmt.h"
#include "cli/output.h"
#include "cli/search_question.h"
#include "cli/window.h"
#include "render/json_parts.h"
#include "render/page.h"

/* As search has it. */
#define DEFAULT_WINDOW_NS NS_PER_HOUR

struct tags_job {
	struct job job;
	struct tags_query query;
	struct name_list names;
	size_t shown; /* of the names, see -n */
};

static bool tags_request(struct job *base, struct backends *b,
			 struct http_request *request, struct error *err)
{
	struct tags_job *job = (struct tags_job *)base;

	return traces_tags_request(backends_traces(b), &b->traces.endpoint,
				   &job->query, base->attempt, request, err);
}

static bool tags_answer(struct job *base, struct backends *b,
			const struct http_response *response)
{
	struct tags_job *job = (struct tags_job *)base;

	return trace_names_answer(base, b, response, &job->names);
}

static const struct job_type tags_type = { tags_request, tags_answer };

/* ---- printing ---- */

static void write_lines(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct tags_job *job = answer;
	struct page p;

	page_begin(&p, style, out);
	for (size_t i = 0; i < job->shown; i++) {
		page_cell(&p, PAINT_NONE, job->names.items[i], 0, 0);
		out_char(out, '\n');
	}
	page_end(&p);
}

static void write_json(const void *answer, struct out *out)
{
	const struct tags_job *job = answer;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "search");
	jsonw_pair_known_str(&w, "tag", job->query.tag);
	jsonw_key(&w, job->query.tag.len ? "values" : "tags");
	jsonw_array(&w);
	for (size_t i = 0; i < job->shown; i++)
		jsonw_str(&w, job->names.items[i]);
	jsonw_array_end(&w);
	jsonw_pair_i64(&w, "total", (int64_t)job->names.count);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

static const struct answer_writer tags_writer = { write_lines, write_json };

/* ---- the whole ---- */

static bool fail_empty(const struct tags_query *q, struct error *err)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(q->range.from_ns, from);
	format_rfc3339(q->range.to_ns, to);
	if (!q->tag.len)
		return error_set(err, ERROR_NOT_FOUND,
				 "no tags between %.19sZ and %.19sZ; widen "
				 "with --since 24h",
				 from, to);
	return error_set(err, ERROR_NOT_FOUND,
			 "no values of \"%.*s\" between %.19sZ and %.19sZ; "
			 "tracefind search --tags lists the names there are",
			 STR_ARGS(q->tag), from, to);
}

static bool check(const struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;

	if (!search_has_server(ctx, err))
		return false;
	if (o->query || o->name || o->errors || o->above || o->min_duration_ns)
		return error_set(err, ERROR_USAGE,
				 "--tags takes --service and a window only");
	return true;
}

bool search_tags(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct tags_job job = { .job.type = &tags_type };
	struct job *jobs[] = { &job.job };

	job.query.service = str_from(o->service);
	if (o->arg_count)
		job.query.tag = str_from(o->args[0]);
	if (!check(ctx, err) ||
	    !window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			    &job.query.range, err) ||
	    !backends_probe_traces(&ctx->backends, err) ||
	    !jobs_run(&ctx->backends, jobs, 1, err))
		return false;
	if (!job.job.has_answer) {
		*err = job.job.err;
		return false;
	}
	job.shown = job.names.count;
	if (options_given(o, "limit") && o->limit && o->limit < job.shown)
		job.shown = (size_t)o->limit;
	return job.names.count ? output_answer(o, &tags_writer, &job, err)
			       : fail_empty(&job.query, err);
}
