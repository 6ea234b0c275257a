/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_totals_kinds.h"

#include "base/thread.h"

struct categories {
	struct func_table *t;
	struct arena scratch;
	struct code_subject *subjects; /* of the slow side, by function */
	uint32_t *twins;               /* by function of the baseline */
	enum side s;                   /* the side that is looked at */
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
	uint32_t known = id < t->known_count ? t->known[id] : 0;

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

/* Of the baseline there are few but twins. */
static struct code_subject own_subject(const struct categories *k, uint32_t f)
{
	const struct profile *p = k->t->sides[k->s].profile;

	return code_subject_of(function_name(p, f), function_file(p, f));
}

static unsigned int find_languages(const struct categories *k, uint32_t f)
{
	const struct func_side *side = &k->t->sides[k->s];

	if (k->s == SIDE_SLOW) {
		k->subjects[f] = own_subject(k, f);
		return k->subjects[f].languages;
	}
	k->twins[f] = twin_of(k->t, side->profile, f, side->entries[f]);
	return k->twins[f] != ENTRY_NONE ? k->subjects[k->twins[f]].languages
					 : own_subject(k, f).languages;
}

static void vote(struct thread_part *part)
{
	struct categories *k = part->task;
	const struct profile *p = k->t->sides[k->s].profile;
	struct language_votes votes = k->votes[part->number];

	for (uint32_t f = (uint32_t)part->first; f < part->end; f++)
		language_votes_add(&votes, find_languages(k, f),
				   function_file(p, f).len > 0);
	k->votes[part->number] = votes;
}

/* ---- which kinds ---- */

static struct code_class class_of(const struct categories *k, uint32_t f)
{
	const struct func_table *t = k->t;
	struct code_subject own;

	if (k->s == SIDE_SLOW)
		return code_classify_subject(t->rules, &k->subjects[f],
					     t->languages);
	if (k->twins[f] != ENTRY_NONE)
		return t->sides[SIDE_SLOW].classes[k->twins[f]];
	own = own_subject(k, f);
	return code_classify_subject(t->rules, &own, t->languages);
}

static void tell_categories(struct thread_part *part)
{
	const struct categories *k = part->task;
	struct func_side *side = &k->t->sides[k->s];

	for (uint32_t f = (uint32_t)part->first; f < part->end; f++)
		side->classes[f] = class_of(k, f);
}

/* ---- both sides ---- */

static size_t functions_of(const struct func_table *t, enum side s)
{
	return t->sides[s].profile ? t->sides[s].profile->function_count : 0;
}

static void look_through(struct categories *k, enum side s,
			 void (*run)(struct thread_part *part))
{
	k->s = s;
	thread_halves(run, k, functions_of(k->t, s), FUNC_BESIDE);
}

static bool kinds_alloc(struct categories *k, struct error *err)
{
	struct func_table *t = k->t;

	t->known = arena_array(t->arena, t->count, sizeof *t->known);
	t->known_count = (uint32_t)t->count;
	k->subjects = arena_array(&k->scratch, functions_of(t, SIDE_SLOW),
				  sizeof *k->subjects);
	k->twins = arena_array(&k->scratch, functions_of(t, SIDE_BASELINE),
			       sizeof *k->twins);
	if (!t->known)
		return arena_fail(t->arena, "ranking functions", err);
	return (k->subjects && k->twins) ||
	       arena_fail(&k->scratch, "ranking functions", err);
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

static void tell_all(struct categories *k)
{
	struct func_table *t = k->t;

	note_known(t);
	for (int s = 0; s < SIDE_COUNT; s++)
		look_through(k, (enum side)s, vote);
	language_votes_join(&k->votes[0], &k->votes[1]);
	t->languages = language_votes_result(&k->votes[0]);
	for (int s = 0; s < SIDE_COUNT; s++) {
		look_through(k, (enum side)s, tell_categories);
		note_application(t, &t->sides[s]);
	}
}

bool func_table_classify(struct func_table *t, struct error *err)
{
	struct categories k = { .t = t };
	bool is_done;

	arena_init(&k.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = kinds_alloc(&k, err);
	if (is_done)
		tell_all(&k);
	arena_release(&k.scratch);
	return is_done;
}
