/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_sum.h"

#include "backend/cloud_profiler/cloud_types.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/profile_merge.h"

/* Added up at once: each time the sum is copied, so that more at a time cost
 * less; those of 10 s are small. */
#define PARTS 32

struct cloud_sum {
	struct backends *backends;
	const struct cloud_type *type;
	struct profile *parts[1 + PARTS]; /* the first is the sum so far */
	size_t count;
	int64_t profiled_ns;
};

static void part_free(struct profile *p)
{
	if (p)
		profile_release(p);
	mem_free(p);
}

static struct profile *part_new(struct error *err)
{
	struct profile *p = mem_calloc(1, sizeof *p);

	if (p)
		profile_init(p);
	else
		error_memory(err, "a profile");
	return p;
}

static void parts_free(struct cloud_sum *sum)
{
	for (size_t i = 0; i < sum->count; i++)
		part_free(sum->parts[i]);
	sum->count = 0;
}

struct cloud_sum *cloud_sum_new(struct backends *b, struct str type_id,
				struct error *err)
{
	struct cloud_sum *sum = mem_calloc(1, sizeof *sum);

	if (!sum) {
		error_memory(err, "a profile");
		return NULL;
	}
	sum->backends = b;
	sum->type = cloud_type_find(type_id);
	return sum;
}

void cloud_sum_free(struct cloud_sum *sum)
{
	if (sum)
		parts_free(sum);
	mem_free(sum);
}

static bool merge(struct cloud_sum *sum, struct profile *into,
		  struct error *err)
{
	const struct profile *parts[1 + PARTS];

	for (size_t i = 0; i < sum->count; i++)
		parts[i] = sum->parts[i];
	return profile_merge(into, parts, sum->count, sum->backends->notes,
			     err);
}

static bool add_up(struct cloud_sum *sum, struct error *err)
{
	struct profile *all = part_new(err);

	if (!all)
		return false;
	if (!merge(sum, all, err)) {
		part_free(all);
		return false;
	}
	parts_free(sum);
	sum->parts[sum->count++] = all;
	return true;
}

/* Agents name their samples as their languages do: what the file takes for its
 * own is the type that was asked for. */
static bool decode(struct cloud_sum *sum, struct str plain,
		   struct profile *into, struct error *err)
{
	const char *const names[] = { sum->type->sample, sum->type->other, "" };
	size_t count = sum->type->is_main ? 3 : 2;

	for (size_t i = 0; i < count; i++) {
		struct profile_want want = sum->backends->want;

		if (i == 1 && !*names[i])
			continue;
		want.type = str_from(names[i]);
		profile_release(into);
		profile_init(into);
		error_clear(err);
		if (decode_profile(FORMAT_PPROF, plain, &want, into,
				   sum->backends->notes, err))
			return true;
		if (err->code != ERROR_NOT_FOUND)
			return false;
	}
	return false;
}

/* "process_cpu:cpu:nanoseconds:cpu:nanoseconds": the part of that number. */
static struct str part_of(const char *id, unsigned number)
{
	struct str rest = str_from(id);

	while (number--)
		rest = str_slice(rest, str_find(rest, STR(":")) + 1, rest.len);
	return str_slice(rest, 0, str_find(rest, STR(":")));
}

/* Those of several languages are added up and compared under one name and in
 * one unit; Node.js counts microseconds. */
static bool unify(const struct cloud_sum *sum, struct profile *p,
		  struct error *err)
{
	struct str unit = part_of(sum->type->id, 2);
	struct str own = profile_unit(p);
	int64_t ns = time_unit_ns(unit), own_ns = time_unit_ns(own);
	int64_t factor = ns > 0 ? own_ns / ns : 0;

	if (str_equal(unit, own))
		factor = 1;
	return factor == 0 ||
	       profile_restate(p, part_of(sum->type->id, 1), unit, factor, err);
}

static bool read(struct cloud_sum *sum, struct str bytes, struct profile *into,
		 struct error *err)
{
	struct str plain;
	struct buf storage;
	bool is_ok;

	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	plain = decode_plain(bytes, "the profile", &storage, err);
	is_ok = plain.ptr && decode(sum, plain, into, err) &&
		unify(sum, into, err);
	buf_release(&storage);
	return is_ok;
}

bool cloud_sum_add(struct cloud_sum *sum, struct str bytes,
		   const struct stored_profile *profile, struct error *err)
{
	struct profile *part;

	if (sum->count == 1 + PARTS && !add_up(sum, err))
		return false;
	part = part_new(err);
	if (!part)
		return false;
	if (!read(sum, bytes, part, err)) {
		part_free(part);
		return error_prefix(err, "Cloud Profiler: %.*s",
				    STR_ARGS(profile->name));
	}
	if (!part->duration_ns)
		part->duration_ns =
			sat_sub_i64(profile->end_ns, profile->start_ns);
	if (!part->time_ns)
		part->time_ns = profile->start_ns;
	sum->profiled_ns = sat_add_i64(sum->profiled_ns, part->duration_ns);
	sum->parts[sum->count++] = part;
	return true;
}

bool cloud_sum_finish(struct cloud_sum *sum, struct profile *into,
		      int64_t *profiled_ns, struct error *err)
{
	bool is_ok = merge(sum, into, err);

	*profiled_ns = sum->profiled_ns;
	parts_free(sum);
	return is_ok;
}
