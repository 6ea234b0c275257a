/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/question.h"

#include <string.h>

#include "base/count.h"
#include "base/num.h"
#include "cli/output_wanted.h"
#include "cli/row_order.h"

bool question_suspect(struct question *q, const struct options *o,
		      struct error *err)
{
	struct guilty_want *want = &q->suspect;

	/* Of a trace that was found by a search --service is gone. */
	*want = (struct guilty_want){
		.service = str_from(o->blame ? o->blame : o->service),
		.name = str_from(o->name),
	};
	if (o->by && !strcmp(o->by, "self"))
		want->by = GUILTY_BY_SELF;
	if (o->by && !strcmp(o->by, "duration"))
		want->by = GUILTY_BY_DURATION;
	if (o->span && (strlen(o->span) != 16 ||
			!parse_hex_u64(str_from(o->span), &want->span_id)))
		return error_set(err, ERROR_USAGE,
				 "--span \"%s\": a span id has 16 hex digits",
				 o->span);
	return true;
}

static void read_scope(struct question *q, const struct options *o)
{
	static const struct {
		const char *word;
		enum scope scope;
	} scopes[] = {
		{ "service", SCOPE_SERVICE },
		{ "instance", SCOPE_INSTANCE },
		{ "cohort", SCOPE_COHORT },
		{ "span", SCOPE_SPAN },
	};

	for (size_t i = 0; i < COUNT_OF(scopes); i++) {
		if (!options_scope_is(o, scopes[i].word))
			continue;
		q->has_scope = true;
		q->scope = scopes[i].scope;
	}
}

void question_from_options(struct question *q, const struct options *o)
{
	*q = (struct question){
		.pad_ns = o->pad_ns,
		.type = o->type && strcmp(o->type, "auto") ? o->type : NULL,
		.selector = o->selector,
		.baseline_selector = o->baseline_selector,
		.maps = o->maps,
		.map_count = o->map_count,
		.rows = { .has_measure = !row_order_is_free(o),
			  .measure = row_order_measure(o, RANK_TOTAL),
			  .has_normalize = o->normalize != NULL,
			  .normalize = row_order_normalize(o),
			  .limit = row_order_limit(o),
			  .listed = output_functions(o),
			  .is_drawn = output_needs(o, RENDER_DRAWS_FLAME) },
		.has_reasons = o->why,
	};
	read_scope(q, o);
}
