/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <stddef.h>
#include <string.h>

#include "analyze/choice.h"
#include "analyze/trace_analysis.h"
#include "base/mem.h"
#include "render/render.h"

/* Traces as they are exported, with what they say by themselves beside. */

bool trace_export_write(const struct trace *t, size_t part_bytes,
			bool (*take)(void *context, struct str part,
				     uint32_t span_count, struct error *err),
			void *context, uint64_t *finding_count,
			struct error *err)
{
	(void)finding_count;
	return otlp_trace_write(t, NULL, part_bytes, take, context, err);
}

/* By the rules of `show`: nobody is asked what is usual. */
static bool events_find(const struct trace *t, struct result *result,
			struct error *err)
{
	struct guilty_want want = { .by = GUILTY_BY_CRITICAL_PATH };
	struct guilty_pick pick;
	struct trace_times times;
	struct choice choice;
	bool done;

	if (!trace_times_compute(t, &result->arena, &times, err))
		return false;
	done = choice_make(&choice, t, &times, &want, NULL, result, err) &&
	       choice_conclude(&choice, result, &pick, err) &&
	       finding_texts_write(&choice.calls, result, err);
	choice_release(&choice);
	return done;
}

bool trace_export_findings(const struct trace *t, size_t part_bytes,
			   bool (*take)(void *context, struct str part,
					uint32_t span_count,
					struct error *err),
			   void *context, uint64_t *finding_count,
			   struct error *err)
{
	struct result *result = mem_calloc(1, sizeof *result);
	struct error why = { 0 };
	bool done;

	if (!result)
		return error_memory(err, "the findings");
	arena_init(&result->arena, LIMIT_RESULT_BYTES);
	/* Without them the trace is worth as much as before. */
	if (!events_find(t, result, &why))
		result->finding_count = 0;
	done = why.code != ERROR_MEMORY || error_memory(err, "the findings");
	done = done && otlp_trace_write(t, result, part_bytes, take, context,
					err);
	for (size_t i = 0; done && i < result->finding_count; i++)
		*finding_count += otlp_finding_is_written(
			t, &result->findings[i]);
	arena_release(&result->arena);
	mem_free(result);
	return done;
}
