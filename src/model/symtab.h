/* SPDX-License-Identifier: Apache-2.0
 *
 * String interning: equal texts get the same small number. Id 0 is always the
 * empty string. Callers must truncate text to LIMIT_STRING_BYTES before
 * (decoders do, with a note).
 */
#ifndef MODEL_SYMTAB_H
#define MODEL_SYMTAB_H

#include "base/map.h"

struct symtab {
	struct text_table table;
};

/* Returns the number of ids; ids are below it. */
static inline size_t symtab_count(const struct symtab *t)
{
	return t->table.count;
}

/* Memory comes from the arena, which must outlive the table. */
bool symtab_init(struct symtab *t, struct arena *arena,
		 struct error *err) MUST_CHECK;

/* Reserves room for `count` more texts, most of them distinct. */
bool symtab_reserve(struct symtab *t, size_t count,
		    struct error *err) MUST_CHECK;

/* Interns a copy. Returns false when out of memory. */
bool symtab_add(struct symtab *t, struct str text, uint32_t *id,
		struct error *err) MUST_CHECK;

/* Same without a copy: the text, NUL-terminated, must live as long as the
 * arena. */
bool symtab_add_kept(struct symtab *t, struct str text, uint32_t *id,
		     struct error *err) MUST_CHECK;

/* Interns all texts of another table; ids[0..symtab_count(from)) are set to
 * their ids here. */
bool symtab_add_all(struct symtab *t, const struct symtab *from, uint32_t *ids,
		    struct error *err) MUST_CHECK;

/* Frees memory when few or no texts will be added or looked up any more; each
 * such call then scans all texts. */
void symtab_settle(struct symtab *t);

/* Returns the id, TEXT_NONE if absent. */
uint32_t symtab_find(const struct symtab *t, struct str text);

/* Borrowed, NUL-terminated; id must be valid. */
struct str symtab_text(const struct symtab *t, uint32_t id);

#endif
