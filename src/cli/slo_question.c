/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/slo_question.h"

#include "base/num.h"
#include "cli/window.h"
#include "report/slo_answer.h"

bool slo_question_read(struct slo *s, struct context *ctx, const char *service,
		       struct error *err)
{
	const struct options *o = ctx->options;
	struct time_range window;
	double percent;

	if (o->window_ns % NS_PER_MIN)
		return error_set(err, ERROR_USAGE, "--window: whole minutes");
	if (!parse_f64(str_from(o->objective), &percent))
		return error_set(err, ERROR_INTERNAL, "--objective: %s",
				 o->objective);
	if (!window_resolve(o, ctx->backends.now_ns, o->window_ns, &window,
			    err))
		return false;
	*s = (struct slo){
		.backends = &ctx->backends,
		.service = service,
		.operation = o->name,
		.objective = percent / 100,
		.threshold_ns =
			options_given(o, "threshold") ? o->threshold_ns : 0,
		.window_ns = o->window_ns,
		.to_ns = window.to_ns,
	};
	slo_init(s);
	return true;
}

static bool count_traces(struct slo *s, struct context *ctx, bool is_document,
			 struct error *err)
{
	struct buf why;

	if (s->lack == SLO_LACKS_SERVER && !ctx->backends.metrics.is_default) {
		*err = s->why;
		return false;
	}
	buf_init(&why, LIMIT_ERROR_BYTES);
	slo_lack_text(s, &why);
	if (is_document)
		error_set(err, ERROR_NOT_FOUND,
			  "a document of metrics needs them: %s",
			  buf_text(&why));
	else if (ctx->backends.traces.path)
		error_set(err, ERROR_USAGE,
			  "%s is a file, which does not tell how many requests "
			  "there were; nor do metrics: %s",
			  ctx->backends.traces.path, buf_text(&why));
	if (err->code == ERROR_NONE && !slo_ask_traces(s, err) &&
	    !slo_is_final(err))
		error_prefix(err, "metrics do not tell (%s), and of traces",
			     buf_text(&why));
	buf_release(&why);
	return err->code == ERROR_NONE;
}

bool slo_question_count(struct slo *s, struct context *ctx, bool is_document,
			struct error *err)
{
	bool is_told;

	return slo_ask_metrics(s, &is_told, err) &&
	       (is_told || count_traces(s, ctx, is_document, err));
}

bool slo_question_has_requests(const struct slo *s, struct error *err)
{
	return slo_budget(s)->count.total > 0 ||
	       error_set(err, ERROR_NOT_FOUND,
			 "%s%s%s had no request in the window, by %s",
			 s->service, s->operation ? " " : "",
			 s->operation ? s->operation : "",
			 s->indicator.source.name ? "metrics" : "traces");
}
