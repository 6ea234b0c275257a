/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of trace searches and counts. The first byte chooses the decoder.
 */
#include "base/limits.h"
#include "decode/history.h"
#include "decode/formats.h"
#include "fuzz.h"

#define STEPS 30u

static search_decoder *const decoders[] = {
	decode_tempo_search_json,  decode_tempo_search_pb,
	decode_jaeger_search,      decode_jaeger_search_legacy,
	decode_cloud_trace_search,
};

static void check_window(const struct history *h)
{
	const struct history_window *w = &h->windows[0];

	for (uint32_t i = 0; i < w->span_count; i++) {
		FUZZ_CHECK(w->spans[i].trace < w->trace_count, "span %u", i);
		FUZZ_CHECK(w->spans[i].operation < h->operation_count,
			   "span %u", i);
		FUZZ_CHECK(w->spans[i].duration_ns >= 0, "span %u", i);
	}
}

static void read_window(search_decoder *decode, struct str bytes)
{
	const struct operation operations[] = {
		{ STR("api_server"), STR("POST /login"), SPAN_KIND_SERVER },
		{ STR("user-db"), STR("UserRepository.FindByEmail"),
		  SPAN_KIND_INTERNAL },
		{ STR("auth"), STR("POST /authenticate"), SPAN_KIND_SERVER },
	};
	struct history_want want = { .trace_limit = 100 };
	struct error err = { 0 };
	struct history h;
	struct buf next;
	bool is_done;

	buf_init(&next, LIMIT_PAGE_TOKEN_BYTES);
	if (bytes.len % 2)
		want.next_page = &next;
	history_init(&h, operations, sizeof operations / sizeof *operations);
	h.window_count = 1;
	h.windows[0].range = (struct time_range){ 0, INT64_MAX };
	h.windows[0].slow_operation = OPERATION_NONE;
	is_done = decode(bytes, &h, &want, &err);
	fuzz_check_outcome(is_done, &err);
	FUZZ_CHECK(is_done == h.windows[0].is_answered, "done %d", is_done);
	check_window(&h);
	history_release(&h);
	buf_release(&next);
}

static void read_hits(search_decoder *decode, struct str bytes)
{
	struct hit_want hit_want = { .range = { 0, INT64_MAX } };
	struct history_want want = { .trace_limit = 100,
				     .hit_want = &hit_want };
	struct error err = { 0 };
	struct hits hits;
	struct history h;
	struct buf next;

	buf_init(&next, LIMIT_PAGE_TOKEN_BYTES);
	hits_init(&hits);
	want.hits = &hits;
	want.next_page = &next;
	history_init(&h, NULL, 0);
	fuzz_check_outcome(decode(bytes, &h, &want, &err), &err);
	history_release(&h);
	hits_release(&hits);
	buf_release(&next);
}

static void read_counts(struct str bytes)
{
	int64_t counts[STEPS] = { 0 };
	struct step_counts steps = { 0, 1000000000, counts, STEPS };
	struct duration_buckets buckets = { 0 };
	struct error err = { 0 };
	uint32_t trace_count = 0;

	fuzz_check_outcome(decode_tempo_counts(bytes, 1000000000, &steps, &err),
			   &err);
	err = (struct error){ 0 };
	fuzz_check_outcome(
		decode_jaeger_counts(bytes, &steps, &trace_count, &err), &err);
	err = (struct error){ 0 };
	fuzz_check_outcome(decode_tempo_histogram(bytes, &buckets, &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t count = sizeof decoders / sizeof *decoders;
	struct str bytes = fuzz_str(data, size);
	size_t choice;

	if (size == 0)
		return 0;
	choice = (data[0] - (size_t)'0') % (count + 1);
	bytes = str_slice(bytes, 1, size);
	if (choice == count) {
		read_counts(bytes);
		return 0;
	}
	read_window(decoders[choice], bytes);
	read_hits(decoders[choice], bytes);
	return 0;
}
