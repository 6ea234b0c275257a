/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/flatcum_kinds.h"

#include "base/thread.h"

struct kinds {
	struct func_table *t;
	struct arena scratch;
	struct code_subject *subjects[SIDE_COUNT]; /* by function; of twins
						    * there are none */
	uint32_t *twins; /* by function of the baseline */
	enum side s;     /* the side that is looked at */
	struct language_votes votes[THREAD_HALVES];
};

static bool is_same_function(const struct profile *p, uint32_t f,
			     const struct profile *q, uint32_t g)
{
	return str_equal(function_name(p, f), function_name(q, g)) &&
	       str_equal(function_file(p, f), function_file(q, g));
}

/* Two builds have most functions in common: what is known of one is not
 * worked out again. The same function of the slow side, or ENTRY_NONE. */
static uint32_t twin_of(const struct func_table *t, const struct profile *p,
			uint32_t f, uint32_t id)
{
	uint32_t known = id == ENTRY_NONE ? 0 : t->known[id];

	return known && is_same_function(p, f, t->sides[SIDE_SLOW].profile,
					 known - 1)
		       ? known - 1
		       : ENTRY_NONE;
}

struct code_class func_table_class(const struct func_table *t,
				   const struct profile *p, uint32_t f,
				   uint32_t id)
{
	uint32_t twin = twin_of(t, p, f, id);

	return twin != ENTRY_NONE
		       ? t->sides[SIDE_SLOW].classes[twin]
		       : code_classify(t->rules, function_name(p, f),
				       function_file(p, f), t->languages);
}

/* ---- which languages ---- */

static const struct code_subject *find_subject(const struct kinds *k,
					       uint32_t f)
{
	const struct func_side *side = &k->t->sides[k->s];
	struct code_subject *subject = &k->subjects[k->s][f];

	if (k->s == SIDE_BASELINE) {
		k->twins[f] = twin_of(k->t, side->profile, f, side->entries[f]);
		if (k->twins[f] != ENTRY_NONE)
			return &k->subjects[SIDE_SLOW][k->twins[f]];
	}
	*subject = code_subject_of(function_name(side->profile, f),
				   function_file(side->profile, f));
	return subject;
}

static void vote(struct thread_part *part)
{
	struct kinds *k = part->task;
	const struct profile *p = k->t->sides[k->s].profile;
	struct language_votes votes = k->votes[part->number];

	for (uint32_t f = (uint32_t)part->first; f < part->end; f++)
		language_votes_add(&votes, find_subject(k, f)->languages,
				   function_file(p, f).len > 0);
	k->votes[part->number] = votes;
}

/* ---- which kinds ---- */

static struct code_class class_of(const struct kinds *k, uint32_t f)
{
	const struct func_table *t = k->t;

	if (k->s == SIDE_BASELINE && k->twins[f] != ENTRY_NONE)
		return t->sides[SIDE_SLOW].classes[k->twins[f]];
	return code_classify_subject(t->rules, &k->subjects[k->s][f],
				     t->languages);
}

static void tell_kinds(struct thread_part *part)
{
	const struct kinds *k = part->task;
	struct func_side *side = &k->t->sides[k->s];

	for (uint32_t f = (uint32_t)part->first; f < part->end; f++)
		side->classes[f] = class_of(k, f);
}

/* ---- both sides ---- */

static void look_through(struct kinds *k, enum side s,
			 void (*run)(struct thread_part *part))
{
	const struct profile *p = k->t->sides[s].profile;

	k->s = s;
	thread_halves(run, k, p ? p->function_count : 0, FUNC_BESIDE);
}

static bool kinds_alloc(struct kinds *k, struct error *err)
{
	struct func_table *t = k->t;

	t->known = arena_array(t->arena, t->count, sizeof *t->known);
	if (!t->known)
		return arena_fail(t->arena, "ranking functions", err);
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct profile *p = t->sides[s].profile;
		size_t count = p ? p->function_count : 0;

		k->subjects[s] =
			arena_array(&k->scratch, count, sizeof *k->subjects[s]);
		if (s == SIDE_BASELINE)
			k->twins = arena_array(&k->scratch, count,
					       sizeof *k->twins);
		if (!k->subjects[s] || (s == SIDE_BASELINE && !k->twins))
			return arena_fail(&k->scratch, "ranking functions",
					  err);
	}
	return true;
}

static void note_known(struct func_table *t)
{
	const struct func_side *slow = &t->sides[SIDE_SLOW];

	for (uint32_t f = 0; slow->profile && f < slow->profile->function_count;
	     f++)
		t->known[slow->entries[f]] = f + 1;
}

static void note_application(struct func_table *t, const struct func_side *side)
{
	for (uint32_t f = 0; side->profile && f < side->profile->function_count;
	     f++)
		t->entries[side->entries[f]].is_application |=
			side->classes[f].kind == CODE_APPLICATION;
}

static void tell_all(struct kinds *k)
{
	struct func_table *t = k->t;

	note_known(t);
	for (int s = 0; s < SIDE_COUNT; s++)
		look_through(k, (enum side)s, vote);
	language_votes_join(&k->votes[0], &k->votes[1]);
	t->languages = language_votes_result(&k->votes[0]);
	for (int s = 0; s < SIDE_COUNT; s++) {
		look_through(k, (enum side)s, tell_kinds);
		note_application(t, &t->sides[s]);
	}
}

bool func_table_classify(struct func_table *t, struct error *err)
{
	struct kinds k = { .t = t };
	bool is_done;

	arena_init(&k.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = kinds_alloc(&k, err);
	if (is_done)
		tell_all(&k);
	arena_release(&k.scratch);
	return is_done;
}
