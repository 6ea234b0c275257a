/* SPDX-License-Identifier: Apache-2.0 */
#include "report/types_answer.h"

#include "base/jsonw.h"
#include "render/json_parts.h"
#include "render/page.h"

struct type_row {
	struct str word; /* empty: only the id asks for it */
	struct str id;
	bool is_gauge;
};

static bool counts_only(struct str id)
{
	return str_find(id, STR(":count:")) != SIZE_MAX;
}

/* Over all services ids of different runtimes share a word, since each service
 * is asked for its own; but a count stands back behind the same in time or
 * bytes, as it does within a service. */
static struct str shared_word(const struct name_list *list, struct str id)
{
	struct name_list alone = { &id, 1 };
	struct str word = profile_type_word(id, &alone);

	for (size_t i = 0; counts_only(id) && i < list->count; i++) {
		struct name_list other = { &list->items[i], 1 };

		if (!counts_only(list->items[i]) &&
		    str_equal(profile_type_word(list->items[i], &other), word))
			return STR("");
	}
	return word;
}

static struct type_row row_of(const struct profile_types *t, size_t i)
{
	struct str id = t->ids.items[i];
	struct str word = t->service ? profile_type_word(id, &t->ids)
				     : shared_word(&t->ids, id);

	return (struct type_row){ word, id, profile_type_is_gauge(id) };
}

#define WORD_COLUMNS 15
#define KIND_COLUMNS 12

/* The id is never cut: it is there to be pasted. */
static void write_row(const struct type_row *row, struct page *p)
{
	page_cell(p, row->word.len ? PAINT_BOLD : PAINT_DIM,
		  row->word.len ? row->word : STR("-"), 0, WORD_COLUMNS);
	page_field(p, PAINT_NONE, ALIGN_LEFT, KIND_COLUMNS,
		   row->is_gauge ? "gauge" : "cumulative");
	page_cell(p, PAINT_NONE, row->id, 0, 0);
	out_char(p->out, '\n');
}

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct profile_types *t = answer;
	struct page p;

	page_begin(&p, style, out);
	page_field(&p, PAINT_BOLD, ALIGN_LEFT, WORD_COLUMNS, "--type");
	page_field(&p, PAINT_BOLD, ALIGN_LEFT, KIND_COLUMNS, "kind");
	page_paint(&p, PAINT_BOLD, "full id");
	out_char(out, '\n');
	for (size_t i = 0; i < t->ids.count; i++) {
		struct type_row row = row_of(t, i);

		write_row(&row, &p);
	}
	page_end(&p);
}

static void write_json(const void *answer, struct out *out)
{
	const struct profile_types *t = answer;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "types");
	jsonw_pair_text(&w, "service", t->service);
	jsonw_key(&w, "types");
	jsonw_array(&w);
	for (size_t i = 0; i < t->ids.count; i++) {
		struct type_row row = row_of(t, i);

		jsonw_object(&w);
		jsonw_pair_known_str(&w, "word", row.word);
		jsonw_pair_str(&w, "id", row.id);
		jsonw_pair_text(&w, "kind",
				row.is_gauge ? "gauge" : "cumulative");
		jsonw_object_end(&w);
	}
	jsonw_array_end(&w);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

const struct answer_writer types_writer = { write_table, write_json };

bool types_explain_none(const struct profile_types *t, struct error *err)
{
	const char *service = t->service;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	struct str near;

	format_rfc3339(t->window.from_ns, from);
	format_rfc3339(t->window.to_ns, to);
	if (!t->services.count || !service)
		return error_set(err, ERROR_NOT_FOUND,
				 "no profiles between %.19sZ and %.19sZ; widen "
				 "with --since 24h, or ask tracefind doctor",
				 from, to);
	if (!nearest_names(&t->services, str_from(service), &near, 1))
		return error_set(err, ERROR_NOT_FOUND,
				 "no profiles of service \"%s\" between "
				 "%.19sZ and %.19sZ; %zu others have some: "
				 "tracefind doctor --service NAME tells more",
				 service, from, to, t->services.count);
	return error_set(err, ERROR_NOT_FOUND,
			 "no profiles of service \"%s\" between %.19sZ and "
			 "%.19sZ; nearest: \"%.*s\"",
			 service, from, to, STR_ARGS(near));
}
