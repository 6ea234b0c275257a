/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: equal text gets an equal small number. Id 0 is always
 * the empty string. Text longer than LIMIT_STRING_BYTES must be trimmed by
 * the caller (the decoders do and note it).
 */
#ifndef MODEL_SYMTAB_H
#define MODEL_SYMTAB_H

#include "base/map.h"

struct symtab {
	struct text_table table;
};

/* Ids are below this. */
static inline size_t symtab_count(const struct symtab *t)
{
	return t->table.count;
}

/* Memory comes from the arena, which must outlive the table. */
bool symtab_init(struct symtab *t, struct arena *arena,
		 struct error *err) MUST_CHECK;

/* Before so many texts are added, of which most are distinct. */
bool symtab_reserve(struct symtab *t, size_t count,
		    struct error *err) MUST_CHECK;

/* Interns a copy. False on lack of memory. */
bool symtab_add(struct symtab *t, struct str text, uint32_t *id,
		struct error *err) MUST_CHECK;

/* The same without a copy: the text lives as long as the arena, with a NUL
 * behind it. */
bool symtab_add_kept(struct symtab *t, struct str text, uint32_t *id,
		     struct error *err) MUST_CHECK;

/* Interns all texts of another table: ids[0..symtab_count(from)) are those that
 * they have here. */
bool symtab_add_all(struct symtab *t, const struct symtab *from, uint32_t *ids,
		    struct error *err) MUST_CHECK;

/* No more texts, or few, are going to be added or looked for: then each costs a
 * look at all of them, and less memory is held. */
void symtab_settle(struct symtab *t);

/* TEXT_NONE when the text was never interned. */
uint32_t symtab_find(const struct symtab *t, struct str text);

/* Borrowed, NUL-terminated; id must be valid. */
struct str symtab_text(const struct symtab *t, uint32_t id);

#endif
