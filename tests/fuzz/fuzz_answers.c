/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of profile servers that are no profiles: names, types, series,
 * totals, snapshots, refusals; of Pyroscope and of Parca. The first byte is
 * the status, the second chooses the server.
 */
#include <string.h>

#include "backend/backends.h"
#include "backend/checkup.h"
#include "backend/jobs.h"
#include "backend/parca/parca.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "backend/rooms.h"
#include "base/limits.h"
#include "fuzz.h"

#define STEPS 10u

static const char *const labels[] = { "pod", "service_version" };

static const int statuses[] = { 200, 400, 401, 403, 404, 422, 429, 500, 503 };

typedef bool (*answer_reader)(struct backends *b, const struct http_response *r,
			      struct error *err);

static bool read_services(struct backends *b, const struct http_response *r,
			  struct error *err)
{
	struct name_list names = { 0 };

	return backends_profiles(b)->services_answer(b, r, &names, err);
}

/* Those of a Parca lead to further questions. */
static bool read_types(struct backends *b, const struct http_response *r,
		       struct error *err)
{
	struct name_list names = { 0 };

	return profile_pyroscope.types_answer(b, NULL, r, &names, err);
}

static bool read_series(struct backends *b, const struct http_response *r,
			struct error *err)
{
	const struct series_query query = {
		.labels = labels, .label_count = sizeof labels / sizeof *labels
	};
	struct series_list series = { 0 };

	if (backends_profiles(b)->asks_on)
		return parca_type_answer(b, 0, &query, r, &series, err);
	return backends_profiles(b)->series_answer(b, &query, r, &series, err);
}

static bool read_totals(struct backends *b, const struct http_response *r,
			struct error *err)
{
	struct totals_query query = {
		.type_id = "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
		.selector = "{}",
		.label = "service_name",
		.from_ms = 1700000000000,
		.step_ms = 60000,
		.step_count = STEPS,
	};
	struct totals totals = { 0 };

	if (!backends_profiles(b)->totals_answer(b, &query, r, &totals, err))
		return false;
	for (size_t i = 0; i < totals.count; i++)
		for (size_t k = 0; k < STEPS; k++)
			FUZZ_CHECK(totals.items[i].values[k] >= 0, "%zu %zu", i,
				   k);
	return true;
}

static bool read_snapshots(struct backends *b, const struct http_response *r,
			   struct error *err)
{
	int64_t count = 0;

	if (backends_profiles(b)->snapshots_answer(&b->profiles, r, &count,
						   err) != ANSWER_OK)
		return false;
	FUZZ_CHECK(count >= 0, "%lld", (long long)count);
	return true;
}

static bool read_facts(struct backends *b, const struct http_response *r,
		       struct error *err)
{
	const struct endpoint *e = &b->profiles.endpoint;
	struct parca_facts read = { 0 };

	return parca_facts_answer(e, PARCA_TYPES, r, b->arena, &read, err) &&
	       parca_facts_answer(e, PARCA_LABELS, r, b->arena, &read, err);
}

static const answer_reader readers[] = {
	read_services, read_types,     read_series,
	read_totals,   read_snapshots, read_facts,
};

/* What is read on the way to a message. */
static void read_status(const struct http_response *r)
{
	char text[STATUS_VERSION_BYTES];
	struct profile_stats stats;
	int64_t date_ns;

	if (status_version_read(r, text) ||
	    pyroscope_length_limit_read(r, text))
		FUZZ_CHECK(memchr(text, 0, sizeof text), "no end");
	if (pyroscope_stats_read(r, &stats))
		FUZZ_CHECK(stats.oldest_ns >= 0, "oldest");
	(void)status_date_read(r, &date_ns);
	(void)profile_pyroscope.window_limit_ns(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parca_type types[] = {
		{ STR("process_cpu:cpu:nanoseconds:cpu:nanoseconds"),
		  "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta", true },
		{ STR("memory:inuse_space:bytes:space:bytes"),
		  "memory:inuse_space:bytes:space:bytes", false },
	};
	struct parca_facts facts = {
		.service_label = "job",
		.has_service_label = true,
		.types = types,
		.type_count = sizeof types / sizeof *types,
	};
	struct backends b = {
		.profiles = { .endpoint = { .url = "http://localhost:4040",
					    .option_prefix = "--profiles" } },
	};
	struct http_response r = { .content_type = "application/json" };

	if (size < 2)
		return 0;
	r.status = statuses[(data[0] - (size_t)'0') %
			    (sizeof statuses / sizeof *statuses)];
	if (data[1] % 2)
		profiles_settle(&b.profiles, &profile_parca, &facts);
	buf_init(&r.body, LIMIT_BODY_PLAIN_BYTES);
	buf_add(&r.body, data + 2, size - 2);
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
		struct error err = { 0 };
		struct arena arena;

		arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
		b.arena = &arena;
		fuzz_check_outcome(readers[i](&b, &r, &err), &err);
		arena_release(&arena);
	}
	read_status(&r);
	buf_release(&r.body);
	return 0;
}
