/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed stacks against the same ones in order: both are read or refused, and
 * add up to the same.
 */
#include <string.h>

#include "analyze/function_table.h"
#include "base/limits.h"
#include "base/map.h"
#include "decode/decode.h"
#include "fuzz.h"
#include "model/profile.h"

struct sums {
	uint64_t stacks;
	uint64_t frames;
	uint64_t functions;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* By what it is: numbers and order differ. */
static uint64_t frame_hash(const struct profile *p, uint32_t id)
{
	struct whole_frame f = whole_frame(p, id);
	struct str name = function_name(p, f.frame.function);
	struct str file = function_file(p, f.frame.function);
	uint64_t hash = mix(hash_bytes(name.ptr, name.len),
			    hash_bytes(file.ptr, file.len));

	f.frame.function = 0;
	return mix(hash, hash_bytes(&f, sizeof f));
}

static void sum_stacks(const struct profile *p, const uint64_t *hashes,
		       struct sums *out)
{
	struct stack_walk *w = malloc(sizeof *w);

	FUZZ_CHECK(w, "no memory");
	stack_walk_init(w, p);
	while (stack_walk_next(w)) {
		uint64_t hash = 0;

		FUZZ_CHECK(w->kept <= w->count || !w->count, "kept %u of %u",
			   w->kept, w->count);
		for (uint32_t i = 0; i < w->count; i++)
			hash = mix(hash, hashes[w->frames[i]]);
		out->stacks += hash * (uint64_t)w->value;
	}
	free(w);
}

static void sum_functions(const struct profile *p, struct sums *out)
{
	struct func_table *t = malloc(sizeof *t);
	struct error err = { 0 };
	struct arena arena;

	FUZZ_CHECK(t, "no memory");
	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	FUZZ_CHECK(func_table_build(t, &arena, p, NULL, NULL, FUNC_NAMES_PLAIN, &err), "%s",
		   err.message);
	for (size_t i = 0; i < t->count; i++) {
		const struct func_entry *e = &t->entries[i];
		const struct side_values *v = &e->values[SIDE_SLOW];
		uint64_t hash = hash_bytes(e->key.ptr, e->key.len);

		out->functions += mix(hash, 1) * (uint64_t)v->self_lib +
				  mix(hash, 2) * (uint64_t)v->self +
				  mix(hash, 3) * (uint64_t)v->total;
	}
	arena_release(&arena);
	free(t);
}

static struct sums sums_of(const struct profile *p)
{
	struct sums out = { 0 };
	uint64_t *hashes = malloc((p->frame_count + 1) * sizeof *hashes);
	int64_t *values = malloc((p->frame_count + 1) * sizeof *values);

	FUZZ_CHECK(hashes && values, "no memory");
	profile_frame_sums(p, values);
	for (uint32_t i = 0; i < p->frame_count; i++) {
		hashes[i] = frame_hash(p, i);
		out.frames += hashes[i] * (uint64_t)values[i];
	}
	sum_stacks(p, hashes, &out);
	sum_functions(p, &out);
	free(hashes);
	free(values);
	return out;
}

static bool read_profile(struct str bytes, struct profile_want want,
			 bool is_packed, struct profile *p, struct error *err)
{
	struct notes notes;
	bool is_done;

	notes_init(&notes);
	profile_init(p);
	want.packed_max_bytes = is_packed ? UINT64_MAX : 0;
	is_done = decode_profile(FORMAT_PPROF, bytes, &want, p, &notes, err);
	fuzz_check_outcome(is_done, err);
	if (is_done)
		FUZZ_CHECK(profile_check(p, err), "%s", err->message);
	return is_done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_want want = {
		.type = STR(""),
		.detail = (enum profile_detail)(size % 3),
		.omits_stackless = size % 2,
	};
	struct str bytes = fuzz_str(data, size);
	struct error err = { 0 }, other_err = { 0 };
	struct profile ordered, packed;
	bool is_done;

	is_done = read_profile(bytes, want, false, &ordered, &err);
	FUZZ_CHECK(read_profile(bytes, want, true, &packed, &other_err) ==
				   is_done &&
			   err.code == other_err.code,
		   "\"%s\", but packed \"%s\"", err.message, other_err.message);
	if (is_done) {
		struct sums a = sums_of(&ordered), b = sums_of(&packed);

		FUZZ_CHECK(!memcmp(&a, &b, sizeof a), "sums differ");
	}
	profile_release(&ordered);
	profile_release(&packed);
	return 0;
}
