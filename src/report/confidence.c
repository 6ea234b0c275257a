/* SPDX-License-Identifier: Apache-2.0 */
#include "report/confidence.h"

#include "base/num.h"
#include "report/wording.h"

/* What a queue is known by; profiles only tell who is behind. */
static void report_messages(const struct queue_info *queue, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	buf_add_text(out, "the trace");
	if (!queue->typical_count)
		return;
	format_count(queue->typical_count, count);
	buf_addf(out, " and the waits of %s messages before", count);
}

void confidence_report_basis(const struct result *result, struct buf *out)
{
	static const char *const scope_words[] = {
		[SCOPE_SERVICE] = "profile of the whole service",
		[SCOPE_INSTANCE] = "profile of one instance",
		[SCOPE_COHORT] = "samples of the slow requests themselves",
		[SCOPE_SPAN] = "samples of this very request",
	};

	if (result->cause.kind == CAUSE_QUEUE) {
		report_messages(&result->cause.queue, out);
		return;
	}
	if (!result->has_profile) {
		buf_add_text(out, "the trace");
		return;
	}
	buf_add_text(out, scope_words[result->profile.scope]);
	wording_add_samples(out, result);
}

void confidence_report_weaknesses(const struct confidence_rating *rating,
				  struct buf *out)
{
	static const char *const words[WEAKNESSES] = {
		[WEAKNESS_NO_PROFILE] = "no profile",
		[WEAKNESS_NO_BASELINE] = "no baseline",
		[WEAKNESS_NOTHING_GREW] = "no function clearly grew",
		[WEAKNESS_NOT_TESTED] =
			"how much of it is noise is not known",
		[WEAKNESS_WHOLE_SERVICE] =
			"seen in the whole service, not in this request",
		[WEAKNESS_FEW_SAMPLES] = "few samples",
		[WEAKNESS_NEAR_NOISE] = "not far from noise",
		[WEAKNESS_CLOSE_SECOND] =
			"another function grew nearly as much",
		[WEAKNESS_PARTLY_CPU] =
			"the CPU is less than half of what it grew by",
		[WEAKNESS_NO_HISTORY] = "what is usual is not known",
		[WEAKNESS_HEALTHY_OPERATION] =
			"its operation is as quick as ever",
		[WEAKNESS_BASELINE_UNCHECKED] =
			"baseline not checked for health",
		[WEAKNESS_BASELINE_UNHEALTHY] = "baseline not healthy",
		[WEAKNESS_CLOSE_SPAN] = "another span took nearly as long",
		[WEAKNESS_ALONE] = "seen in this request alone",
		[WEAKNESS_MAY_BE_CHANCE] =
			"so many slow requests may be chance",
		[WEAKNESS_ONE_OPERATION] = "seen in this operation alone",
		[WEAKNESS_PARTIAL_TRACE] = "the trace is incomplete",
	};

	for (size_t i = 0; i < rating->weakness_count; i++)
		buf_addf(out, ", %s", words[rating->weaknesses[i]]);
}

bool confidence_report_gaps(struct result *result, struct error *err)
{
	struct cause *c = &result->cause;
	struct buf text;

	if (!result->has_cause)
		return true;
	if (c->confidence != CONFIDENCE_WEAK)
		c->confidence = (enum confidence)(c->confidence - 1);
	buf_init(&text, LIMIT_ERROR_BYTES);
	buf_add_str(&text, c->confidence_text);
	buf_add_text(&text, ", not all that was asked was answered");
	return wording_take(&text, &result->arena, &c->confidence_text, err);
}
