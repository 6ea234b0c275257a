/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_totals.h"

#include "analyze/function_totals_entries.h"
#include "analyze/function_totals_kinds.h"
#include "analyze/function_totals_sums.h"
#include "analyze/renamed_packages.h"

uint32_t func_table_find(const struct func_table *t, struct str key)
{
	uint32_t id = map_find(&t->map, key);

	return id != MAP_NONE && t->moved_to ? t->moved_to[id] : id;
}

/* Most names have nothing generated in them and are their own identity. */
static bool find_entry(const struct func_table *t, struct str name,
		       struct buf *key, uint32_t *id, struct error *err)
{
	struct str identity;

	*id = func_table_find(t, name);
	if (*id != MAP_NONE)
		return true;
	if (!func_identity(name, key, &identity, err))
		return false;
	*id = func_table_find(t, identity);
	return true;
}

_Static_assert(ENTRY_NONE == MAP_NONE, "what is not found is no entry");

bool func_side_bind(const struct func_table *t, struct func_side *side,
		    struct error *err)
{
	const struct profile *p = side->profile;
	struct buf key;
	bool is_done = func_side_alloc(t, side, err);

	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	for (uint32_t f = 0; is_done && f < p->function_count; f++) {
		is_done = find_entry(t, function_name(p, f), &key,
				     &side->entries[f], err);
		if (is_done)
			side->classes[f] =
				func_table_class(t, p, f, side->entries[f]);
	}
	buf_release(&key);
	return is_done;
}

bool func_table_build(struct func_table *t, struct arena *arena,
		      const struct profile *slow,
		      const struct profile *baseline,
		      const struct code_rules *rules, bool is_plain,
		      struct error *err)
{
	*t = (struct func_table){ .arena = arena,
				  .rules = rules,
				  .is_plain = is_plain };
	t->sides[SIDE_SLOW].profile = slow;
	t->sides[SIDE_BASELINE].profile = baseline;
	return func_table_enter(t, err) &&
	       (!slow || !baseline || moved_join(t, err)) &&
	       func_table_classify(t, err) && func_table_sum(t, err);
}
