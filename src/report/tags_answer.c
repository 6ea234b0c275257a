/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tags_answer.h"

#include "base/jsonw.h"
#include "base/timefmt.h"
#include "render/json_parts.h"
#include "render/page.h"

static void write_lines(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct tags_answer *a = answer;
	struct page p;

	page_begin(&p, style, out);
	for (size_t i = 0; i < a->shown; i++) {
		page_cell(&p, PAINT_NONE, a->names.items[i], 0, 0);
		out_char(out, '\n');
	}
	page_end(&p);
}

static void write_json(const void *answer, struct out *out)
{
	const struct tags_answer *a = answer;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "search");
	jsonw_pair_known_str(&w, "tag", a->query.tag);
	jsonw_key(&w, a->query.tag.len ? "values" : "tags");
	jsonw_array(&w);
	for (size_t i = 0; i < a->shown; i++)
		jsonw_str(&w, a->names.items[i]);
	jsonw_array_end(&w);
	jsonw_pair_i64(&w, "total", (int64_t)a->names.count);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

const struct answer_writer tags_writer = { write_lines, write_json };

bool tags_explain_none(const struct tags_query *q, struct error *err)
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
