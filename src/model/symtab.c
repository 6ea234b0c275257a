/* SPDX-License-Identifier: Apache-2.0 */
#include "model/symtab.h"

#include "base/num.h"

#define WHAT "the names and values"
#define TEXTS_MAX (TEXT_NONE - 1)
/* Number of texts looked up together. */
#define GROUP 16u

static bool no_memory(const struct symtab *t, struct error *err)
{
	return arena_fail(t->table.arena, WHAT, err);
}

bool symtab_init(struct symtab *t, struct arena *arena, struct error *err)
{
	text_table_init(&t->table, arena);
	return text_table_add(&t->table, STR(""),
			      text_table_hash(&t->table, STR(""))) == 0 ||
	       no_memory(t, err);
}

bool symtab_reserve(struct symtab *t, size_t count, struct error *err)
{
	return text_table_reserve(&t->table, count) || no_memory(t, err);
}

/* Appends a text that is absent. */
static bool symbol_append(struct symtab *t, const struct text_ref *ref,
			  bool is_kept, uint32_t *id, struct error *err)
{
	struct str text = ref->text;

	if (t->table.count >= TEXTS_MAX)
		return error_set(err, ERROR_LIMIT,
				 "more than %u distinct names and values",
				 TEXTS_MAX);
	if (!is_kept)
		text = arena_str(t->table.arena, text);
	*id = text.ptr ? text_table_add(&t->table, text, ref->hash) : TEXT_NONE;
	return *id != TEXT_NONE || no_memory(t, err);
}

/* The empty text is checked first, since many files and mappings are empty. */
static bool symbol_add(struct symtab *t, struct str text, bool is_kept,
		       uint32_t *id, struct error *err)
{
	struct text_ref ref = { .text = text };

	*id = 0;
	if (!text.len)
		return true;
	ref.hash = text_table_hash(&t->table, text);
	*id = text_table_find(&t->table, text, ref.hash);
	return *id != TEXT_NONE || symbol_append(t, &ref, is_kept, id, err);
}

bool symtab_add(struct symtab *t, struct str text, uint32_t *id,
		struct error *err)
{
	return symbol_add(t, text, false, id, err);
}

bool symtab_add_kept(struct symtab *t, struct str text, uint32_t *id,
		     struct error *err)
{
	return symbol_add(t, text, true, id, err);
}

/* Adds texts of another table, which are distinct. */
static bool add_some(struct symtab *t, const struct str *texts, size_t count,
		     uint32_t *ids, struct error *err)
{
	struct text_ref refs[GROUP];

	for (size_t i = 0; i < count; i++)
		refs[i] = (struct text_ref){
			.text = texts[i],
			.hash = text_table_hash(&t->table, texts[i]),
		};
	text_table_find_all(&t->table, refs, count);
	for (size_t i = 0; i < count; i++) {
		ids[i] = refs[i].number;
		if (ids[i] == TEXT_NONE &&
		    !symbol_append(t, &refs[i], false, &ids[i], err))
			return false;
	}
	return true;
}

bool symtab_add_all(struct symtab *t, const struct symtab *from, uint32_t *ids,
		    struct error *err)
{
	for (size_t i = 0; i < from->table.count; i += GROUP)
		if (!add_some(t, &from->table.texts[i],
			      min_size(from->table.count - i, GROUP), &ids[i],
			      err))
			return false;
	return true;
}

void symtab_settle(struct symtab *t)
{
	text_table_settle(&t->table);
}

uint32_t symtab_find(const struct symtab *t, struct str text)
{
	return text_table_find(&t->table, text,
			       text_table_hash(&t->table, text));
}

struct str symtab_text(const struct symtab *t, uint32_t id)
{
	return t->table.texts[id];
}
