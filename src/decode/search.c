/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of searches: what the readers of formats hand over, gathered.
 */
#include "decode/formats.h"
#include "decode/taker.h"

static bool read_answer(span_reader *read, struct str bytes, struct taker *to,
			struct error *err)
{
	struct feed *feed = feed_new(bytes, err);
	bool is_read;

	if (!feed)
		return false;
	taker_init(to);
	is_read = read(feed, to, err);
	taker_release(to);
	feed_free(feed);
	return is_read;
}

bool decode_search(span_reader *read, struct str bytes, struct history *h,
		   const struct history_want *want, struct error *err)
{
	struct gather gather;
	struct taker to = { .gather = &gather };

	gather_init(&gather, h, want);
	return gather_finish(&gather, read_answer(read, bytes, &to, err), err);
}

bool decode_jaeger_search(struct str bytes, struct history *h,
			  const struct history_want *want, struct error *err)
{
	return decode_search(decode_otlp_json, bytes, h, want, err);
}

bool decode_jaeger_search_legacy(struct str bytes, struct history *h,
				 const struct history_want *want,
				 struct error *err)
{
	return decode_search(decode_jaeger_json, bytes, h, want, err);
}

bool decode_cloud_trace_search(struct str bytes, struct history *h,
			       const struct history_want *want,
			       struct error *err)
{
	return decode_search(decode_cloud_trace_json, bytes, h, want, err);
}

bool decode_cloud_trace_services(struct str bytes, struct service_watch *watch,
				 struct error *err)
{
	struct taker to = { .watch = watch };

	return read_answer(decode_cloud_trace_json, bytes, &to, err);
}
