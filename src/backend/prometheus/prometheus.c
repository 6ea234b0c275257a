/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/rooms.h"

#include "backend/selector.h"
#include "backend/source.h"
#include "base/num.h"
#include "decode/formats.h"
#include "wire/url.h"

#define API "/api/v1/"
/* Below the project (monitoring.googleapis.com, v1). */
#define CLOUD "/location/global/prometheus"

/* ---- questions ---- */

static void add_time(struct buf *out, const char *name, int64_t time_ns)
{
	buf_addf(out, "%s=%lld.%03lld", name, (long long)(time_ns / NS_PER_S),
		 (long long)(time_ns % NS_PER_S / NS_PER_MS));
}

static void add_query(struct buf *out, const char *call,
		      const struct metric_query *q)
{
	buf_addf(out, API "%s?query=", call);
	url_encode(out, q->expression);
}

/* Both ends are inclusive. */
static void add_range(struct buf *out, const struct metric_query *q)
{
	add_time(out, "&start", q->range.from_ns);
	add_time(out, "&end", q->range.to_ns);
}

static void add_names(struct buf *out, const struct metric_query *q)
{
	buf_add_text(out, API "label/__name__/values?");
	for (size_t i = 0; i < q->name_count; i++) {
		struct buf selector;

		buf_init(&selector, LIMIT_SELECTOR_BYTES);
		selector_add(&selector, STR("__name__"), q->names[i]);
		selector_close(&selector);
		/* match[] */
		buf_add_text(out, i ? "&match%5B%5D=" : "match%5B%5D=");
		url_encode_built(out, &selector);
	}
	add_range(out, q);
}

static void query_path(const struct metric_query *q, struct buf *out)
{
	switch (q->ask) {
	case METRIC_ASK_NOW:
		add_query(out, "query", q);
		add_time(out, "&time", q->range.to_ns);
		break;
	case METRIC_ASK_RANGE:
		add_query(out, "query_range", q);
		add_range(out, q);
		buf_addf(out, "&step=%lld", (long long)(q->step_ns / NS_PER_S));
		break;
	case METRIC_ASK_EXEMPLARS:
		add_query(out, "query_exemplars", q);
		add_range(out, q);
		break;
	case METRIC_ASK_NAMES:
		add_names(out, q);
		break;
	}
}

static void cloud_path(const struct metric_query *q, struct buf *out)
{
	buf_add_text(out, CLOUD);
	query_path(q, out);
}

/* ---- answers ---- */

static const enum metric_form forms[] = {
	[METRIC_ASK_NOW] = METRIC_FORM_QUERY,
	[METRIC_ASK_RANGE] = METRIC_FORM_QUERY,
	[METRIC_ASK_EXEMPLARS] = METRIC_FORM_EXEMPLARS,
	[METRIC_ASK_NAMES] = METRIC_FORM_NAMES,
};

static enum answer read_answer(const char *name, const struct metric_query *q,
			       const struct endpoint *e,
			       const struct http_response *response,
			       struct arena *arena, struct metric_answer *out,
			       struct error *err)
{
	static const struct answer_form form = { { "data" } };
	const char *advice = "";
	struct error why;

	if (!answer_has_form(response, &form)) {
		answer_fail(name, e, response, &why);
		/* The query would load too many samples, or took too long. */
		if (response->status == 422)
			advice = ": use a shorter window (--since)";
		else if (response->status == 503)
			advice = ": use a shorter window (--since), or try "
				 "again later";
		error_set(err, why.code, "%s%s", why.message, advice);
		return ANSWER_ERROR;
	}
	if (!decode_prometheus(buf_str(&response->body), forms[q->ask], arena,
			       out, err)) {
		error_prefix(err, "%s: the answer", name);
		return ANSWER_ERROR;
	}
	return ANSWER_OK;
}

static enum answer query_answer(const struct metric_query *q,
				const struct endpoint *e,
				const struct http_response *response,
				struct arena *arena, struct metric_answer *out,
				struct error *err)
{
	return read_answer("prometheus", q, e, response, arena, out, err);
}

static enum answer cloud_answer(const struct metric_query *q,
				const struct endpoint *e,
				const struct http_response *response,
				struct arena *arena, struct metric_answer *out,
				struct error *err)
{
	return read_answer("Cloud Monitoring", q, e, response, arena, out, err);
}

const struct metric_backend metric_prometheus = {
	.name = "prometheus",
	.title = "Prometheus",
	.version_path = API "status/buildinfo",
	.path = query_path,
	.answer = query_answer,
};

const struct metric_backend metric_cloud_monitoring = {
	.name = "Cloud Monitoring",
	.title = "Cloud Monitoring",
	.is_cloud = true,
	.path = cloud_path,
	.answer = cloud_answer,
};
