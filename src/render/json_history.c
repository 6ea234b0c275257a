/* SPDX-License-Identifier: Apache-2.0
 *
 * "history" of tracefind-json(5): the requests that the investigation saw.
 */
#include "render/formats.h"
#include "render/json_parts.h"

static const char *role_name(enum request_role role)
{
	static const char *const names[REQUEST_ROLES] = {
		[REQUESTS_NOW] = "now",
		[REQUESTS_PREVIOUS] = "previous",
		[REQUESTS_THIRD_HOUR] = "20m",
		[REQUESTS_TWO_THIRDS] = "40m",
		[REQUESTS_HOUR] = "1h",
		[REQUESTS_THREE_HOURS] = "3h",
		[REQUESTS_DAY] = "1d",
		[REQUESTS_WEEK] = "7d",
	};

	return names[role];
}

static void write_example(struct jsonw *w, const struct request_example *e)
{
	char id[33];

	trace_id_format(&e->trace_id, id);
	jsonw_object(w);
	jsonw_pair_text(w, "trace_id", id);
	jsonw_pair_text(w, "window", role_name(e->role));
	jsonw_pair_time(w, "start", e->start_ns);
	jsonw_pair_i64(w, "duration_ns", e->duration_ns);
	jsonw_object_end(w);
}

static void write_window(struct jsonw *w, const struct request_window *window)
{
	jsonw_object(w);
	jsonw_pair_text(w, "window", role_name(window->role));
	json_range(w, window->range);
	jsonw_pair_i64(w, "requests", window->count);
	jsonw_pair_known(w, "p50_ns", window->p50_ns);
	jsonw_pair_bool(w, "baseline", window->is_baseline);
	jsonw_pair_bool(w, "sampled", window->is_sample);
	jsonw_object_end(w);
}

static void write_bucket(struct jsonw *w, const struct request_bucket *b)
{
	jsonw_object(w);
	jsonw_pair_i64(w, "from_ns", b->from_ns);
	jsonw_pair_i64(w, "to_ns", b->to_ns);
	jsonw_pair_i64(w, "now", b->now_count);
	jsonw_pair_i64(w, "slow", b->slow_count);
	jsonw_pair_i64(w, "baseline", b->baseline_count);
	jsonw_pair_i64(w, "selected", b->selected_count);
	jsonw_key(w, "examples");
	jsonw_array(w);
	for (size_t i = 0; i < b->example_count; i++)
		write_example(w, &b->examples[i]);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void write_slot(struct jsonw *w, const struct request_slot *slot)
{
	jsonw_object(w);
	jsonw_pair_text(w, "window", role_name(slot->role));
	json_range(w, slot->range);
	jsonw_pair_i64(w, "requests", slot->count);
	jsonw_pair_i64(w, "slow", slot->slow_count);
	jsonw_pair_i64(w, "errors", slot->error_count);
	jsonw_pair_i64(w, "shortest_ns", slot->shortest_ns);
	jsonw_pair_i64(w, "p50_ns", slot->p50_ns);
	jsonw_key(w, "longest");
	write_example(w, &slot->longest);
	jsonw_object_end(w);
}

static void write_lists(struct jsonw *w, const struct request_history *h)
{
	jsonw_key(w, "windows");
	jsonw_array(w);
	for (size_t i = 0; i < h->window_count; i++)
		write_window(w, &h->windows[i]);
	jsonw_array_end(w);
	jsonw_key(w, "durations");
	jsonw_array(w);
	for (size_t i = 0; i < h->bucket_count; i++)
		write_bucket(w, &h->buckets[i]);
	jsonw_array_end(w);
	jsonw_key(w, "over_time");
	jsonw_array(w);
	for (size_t i = 0; i < h->slot_count; i++)
		write_slot(w, &h->slots[i]);
	jsonw_array_end(w);
}

void json_history(struct jsonw *w, const struct request_history *h)
{
	jsonw_key(w, "history");
	if (!h) {
		jsonw_null(w);
		return;
	}
	jsonw_object(w);
	jsonw_pair_str(w, "service", h->service);
	jsonw_pair_str(w, "operation", h->name);
	jsonw_pair_i64(w, "duration_ns", h->this_duration_ns);
	jsonw_pair_known(w, "slow_from_ns",
			 h->threshold_ns ? h->threshold_ns : -1);
	if (h->onset_ns)
		jsonw_pair_time(w, "slow_since", h->onset_ns);
	else
		jsonw_pair_null(w, "slow_since");
	write_lists(w, h);
	jsonw_object_end(w);
}
