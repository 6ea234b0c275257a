/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cloud_sum.h"

#include "base/mem.h"
#include "base/num.h"
#include "cli/cloud_types.h"
#include "model/profile_merge.h"

/* Added up at once: each time the sum is copied, so that more at a time cost
 * less; those of 10 s are small. */
#define PARTS 32

struct cloud_sum {
	struct context *ctx;
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

struct cloud_sum *cloud_sum_new(struct context *ctx, struct str type_id,
				struct error *err)
{
	struct cloud_sum *sum = mem_calloc(1, sizeof *sum);

	if (!sum) {
		error_memory(err, "a profile");
		return NULL;
	}
	sum->ctx = ctx;
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
	return profile_merge(into, parts, sum->count, &sum->ctx->notes, err);
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
	struct profile_want want = sum->ctx->want;

	want.type = str_from(sum->type->sample);
	if (decode_profile(FORMAT_PPROF, plain, &want, into, &sum->ctx->notes,
			   err))
		return true;
	if (err->code != ERROR_NOT_FOUND || !sum->type->is_main)
		return false;
	profile_release(into);
	profile_init(into);
	error_clear(err);
	want.type = STR("");
	return decode_profile(FORMAT_PPROF, plain, &want, into,
			      &sum->ctx->notes, err);
}

static bool read(struct cloud_sum *sum, struct str bytes, struct profile *into,
		 struct error *err)
{
	struct str plain;
	struct buf storage;
	bool is_ok;

	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	plain = decode_plain(bytes, "the profile", &storage, err);
	is_ok = plain.ptr && decode(sum, plain, into, err);
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
