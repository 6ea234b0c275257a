/* SPDX-License-Identifier: Apache-2.0 */
#include "altered.h"

#include "base/arena.h"
#include "decode/cloud_profiles_json.h"
#include "decode/decode.h"
#include "decode/formats.h"
#include "decode/history.h"
#include "trace_oracle.h"

#define TOLD_BYTES (4 * MIB)

static struct notes notes;

static void tell_text(struct buf *told, struct str text, const char *after)
{
	buf_add_str(told, text);
	buf_add_text(told, after);
}

/* ---- traces ---- */

/* Those of one kind in their order; kinds stand mixed as they came. */
static void tell_details(const struct trace *t, uint32_t first, uint32_t count,
			 struct buf *told)
{
	for (unsigned kind = DETAIL_ATTR; kind <= DETAIL_LINK_ATTR; kind++)
		for (uint32_t i = first; i < first + count; i++) {
			const struct detail *d = &t->details[i];

			if (d->kind != kind)
				continue;
			buf_addf(told, "  %u %lld ", kind,
				 (long long)d->time_ns);
			tell_text(told, trace_text(t, d->key), "=");
			tell_text(told, trace_text(t, d->value), "\n");
		}
}

static void tell_spans(const struct trace *t, struct buf *told)
{
	char *text = oracle_dump_model(t, 0);
	char id[33];

	trace_id_format(&t->id, id);
	buf_addf(told, "%s%s\n%s", id, t->is_partial ? " partial" : "", text);
	free(text);
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		const struct resource *r = &t->resources[s->resource];

		buf_addf(told, " %llx\n", (unsigned long long)s->span_id);
		tell_details(t, s->detail_first, s->detail_count, told);
		tell_details(t, r->detail_first, r->detail_count, told);
	}
}

static bool tell_trace(enum format format, struct str bytes, struct buf *told,
		       struct error *err)
{
	struct trace trace;
	bool is_read;

	notes_init(&notes);
	trace_init(&trace);
	trace.wants_details = true;
	is_read = decode_trace(format, bytes, NULL, &trace, &notes, err);
	if (is_read)
		tell_spans(&trace, told);
	trace_release(&trace);
	return is_read;
}

bool tell_otlp_json(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_OTLP_JSON, bytes, told, err);
}

bool tell_otlp_pb(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_OTLP_PB, bytes, told, err);
}

bool tell_tempo_pb(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_TEMPO_PB, bytes, told, err);
}

bool tell_jaeger(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_JAEGER_JSON, bytes, told, err);
}

bool tell_zipkin(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_ZIPKIN_JSON, bytes, told, err);
}

bool tell_chrome_spans(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_CHROME_SPANS, bytes, told, err);
}

bool tell_datadog(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_DATADOG_JSON, bytes, told, err);
}

bool tell_xray(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_XRAY_JSON, bytes, told, err);
}

bool tell_cloud_trace(struct str bytes, struct buf *told, struct error *err)
{
	return tell_trace(FORMAT_CLOUD_TRACE_JSON, bytes, told, err);
}

/* ---- searches ---- */

static void tell_hit(const struct hit *hit, struct buf *told)
{
	char id[33];

	trace_id_format(&hit->id, id);
	buf_addf(told, "%s %.*s %.*s, %.*s %.*s %lld+%lld %lld %u %u\n", id,
		 STR_ARGS(hit->root_service), STR_ARGS(hit->root_name),
		 STR_ARGS(hit->service), STR_ARGS(hit->name),
		 (long long)hit->start_ns, (long long)hit->trace_ns,
		 (long long)hit->span_ns, hit->span_count, hit->error_count);
}

static bool tell_hits(search_decoder *decode, struct str bytes,
		      struct buf *told, struct error *err)
{
	struct hit_want hit_want = {
		.has_span = true,
		.range = { 0, INT64_MAX },
	};
	struct hits hits;
	struct buf next_page;
	struct history_want want = {
		.hits = &hits,
		.hit_want = &hit_want,
		.next_page = &next_page,
	};
	bool is_read;

	hits_init(&hits);
	buf_init(&next_page, MIB);
	is_read = decode(bytes, NULL, &want, err) &&
		  buf_check(&next_page, "a page", err);
	for (size_t i = 0; is_read && i < hits.count; i++)
		tell_hit(&hits.items[i], told);
	if (is_read)
		buf_addf(told, "next %s\n", buf_text(&next_page));
	buf_release(&next_page);
	hits_release(&hits);
	return is_read;
}

static const struct operation operations[] = {
	{ { "shop", 4 }, { "GET /cart", 9 }, SPAN_KIND_SERVER },
	{ { "shop", 4 }, { "SELECT", 6 }, SPAN_KIND_CLIENT },
	{ { "shop", 4 }, { "GET /cart", 9 }, SPAN_KIND_INTERNAL },
};

static void tell_window(const struct history *h, struct buf *told)
{
	const struct history_window *w = &h->windows[0];
	char id[33];

	buf_addf(told, "%s\n", w->is_sample ? "sample" : "all");
	for (uint32_t i = 0; i < w->trace_count; i++) {
		trace_id_format(&w->traces[i].id, id);
		buf_addf(told, "%s %lld+%lld\n", id,
			 (long long)w->traces[i].start_ns,
			 (long long)w->traces[i].duration_ns);
	}
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];

		buf_addf(told, "%u %u %llx %llx %lld+%lld ", s->operation,
			 s->trace, (unsigned long long)s->span_id,
			 (unsigned long long)s->profile_id,
			 (long long)s->start_ns, (long long)s->duration_ns);
		tell_text(told, history_text(h, s->instance), " ");
		tell_text(told, history_text(h, s->version),
			  s->is_error ? " error\n" : "\n");
	}
}

static bool tell_history(search_decoder *decode, struct str bytes,
			 struct buf *told, struct error *err)
{
	struct history_want want = {
		.trace_limit = 40,
		.root_service = STR("shop"),
	};
	struct history h;
	bool is_read;

	history_init(&h, operations, sizeof operations / sizeof *operations);
	h.window_count = 1;
	h.windows[0].range = (struct time_range){ 0, INT64_MAX };
	is_read = decode(bytes, &h, &want, err);
	assert_int_equal(is_read, h.windows[0].is_answered);
	if (is_read)
		tell_window(&h, told);
	history_release(&h);
	return is_read;
}

bool tell_tempo_hits(struct str bytes, struct buf *told, struct error *err)
{
	return tell_hits(decode_tempo_search_json, bytes, told, err);
}

bool tell_tempo_history(struct str bytes, struct buf *told, struct error *err)
{
	return tell_history(decode_tempo_search_json, bytes, told, err);
}

bool tell_tempo_pb_hits(struct str bytes, struct buf *told, struct error *err)
{
	return tell_hits(decode_tempo_search_pb, bytes, told, err);
}

bool tell_tempo_pb_history(struct str bytes, struct buf *told,
			   struct error *err)
{
	return tell_history(decode_tempo_search_pb, bytes, told, err);
}

bool tell_jaeger_hits(struct str bytes, struct buf *told, struct error *err)
{
	return tell_hits(decode_jaeger_search, bytes, told, err);
}

bool tell_jaeger_history(struct str bytes, struct buf *told, struct error *err)
{
	return tell_history(decode_jaeger_search, bytes, told, err);
}

bool tell_legacy_hits(struct str bytes, struct buf *told, struct error *err)
{
	return tell_hits(decode_jaeger_search_legacy, bytes, told, err);
}

bool tell_legacy_history(struct str bytes, struct buf *told, struct error *err)
{
	return tell_history(decode_jaeger_search_legacy, bytes, told, err);
}

bool tell_cloud_hits(struct str bytes, struct buf *told, struct error *err)
{
	return tell_hits(decode_cloud_trace_search, bytes, told, err);
}

bool tell_cloud_history(struct str bytes, struct buf *told, struct error *err)
{
	return tell_history(decode_cloud_trace_search, bytes, told, err);
}

/* ---- counts ---- */

#define STEPS 4u

static bool tell_counts(bool is_tempo, struct str bytes, struct buf *told,
			struct error *err)
{
	int64_t counts[STEPS] = { -1, -1, -1, -1 };
	struct step_counts steps = {
		.from_ns = 1700000000 * NS_PER_S,
		.step_ns = 60 * NS_PER_S,
		.counts = counts,
		.step_count = STEPS,
	};
	uint32_t trace_count = 0;

	if (!(is_tempo
		      ? decode_tempo_counts(bytes, steps.step_ns, &steps, err)
		      : decode_jaeger_counts(bytes, &steps, &trace_count, err)))
		return false;
	for (unsigned i = 0; i < STEPS; i++)
		buf_addf(told, "%lld\n", (long long)counts[i]);
	buf_addf(told, "of %u\n", trace_count);
	return true;
}

bool tell_tempo_counts(struct str bytes, struct buf *told, struct error *err)
{
	return tell_counts(true, bytes, told, err);
}

bool tell_jaeger_counts(struct str bytes, struct buf *told, struct error *err)
{
	return tell_counts(false, bytes, told, err);
}

bool tell_histogram(struct str bytes, struct buf *told, struct error *err)
{
	struct duration_buckets buckets;

	if (!decode_tempo_histogram(bytes, &buckets, err))
		return false;
	for (unsigned i = 0; i < DURATION_BUCKETS; i++)
		if (buckets.counts[i])
			buf_addf(told, "%u %lld\n", i,
				 (long long)buckets.counts[i]);
	buf_addf(told, "of %lld\n", (long long)buckets.total);
	return true;
}

/* ---- lists of profiles ---- */

static void tell_stored(const struct profile_list *list, struct buf *told)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct stored_profile *p = &list->profiles[i];
		const struct stored_series *s = &list->series[p->series];

		tell_text(told, p->name, " ");
		tell_text(told, stored_series_service(list, s), " ");
		buf_addf(told, "%u %lld-%lld ", s->type, (long long)p->start_ns,
			 (long long)p->end_ns);
		tell_text(told, stored_series_label(list, s, STR("zone")), " ");
		tell_text(told, stored_series_label(list, s, STR("version")),
			  "\n");
	}
}

bool tell_cloud_page(struct str bytes, struct buf *told, struct error *err)
{
	struct profile_list list;
	struct cloud_page page;
	bool is_read;

	cloud_page_init(&page);
	is_read = profile_list_init(&list, err) &&
		  cloud_page_decode(bytes, 0, &list, &page, err);
	if (is_read) {
		tell_stored(&list, told);
		buf_addf(told, "%u %u %lld %s\n", page.profile_count,
			 page.nameless, (long long)page.skipped,
			 buf_text(&page.next_token));
	}
	cloud_page_release(&page);
	profile_list_release(&list);
	return is_read;
}

static bool take_all(void *context, struct str name)
{
	(void)context;
	return name.len > 0;
}

static bool take_bytes(void *context, struct str name, struct str bytes,
		       struct error *err)
{
	(void)err;
	buf_addf(context, "%.*s: %.*s\n", STR_ARGS(name), STR_ARGS(bytes));
	return true;
}

bool tell_cloud_take(struct str bytes, struct buf *told, struct error *err)
{
	struct cloud_take take = { take_all, take_bytes, told };
	struct cloud_page page;
	bool is_read;

	cloud_page_init(&page);
	is_read = cloud_page_take(bytes, &take, &page, err);
	cloud_page_release(&page);
	return is_read;
}

/* ---- profiles ---- */

static void tell_frame(const struct profile *p, uint32_t frame,
		       struct buf *told)
{
	uint32_t function = p->frames[frame].function;

	tell_text(told, function_name(p, function), " ");
	tell_text(told, function_file(p, function), " ");
	tell_text(told, function_mapping(p, function), "");
	buf_addf(told, ":%u;", p->frames[frame].line);
}

static void tell_stacks(const struct profile *p, struct buf *told)
{
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		for (uint32_t k = 0; k < s->frame_count; k++)
			tell_frame(p, p->frame_ids[s->frame_first + k], told);
		buf_addf(told, " %lld\n", (long long)s->value);
	}
	tell_text(told, profile_type_name(p), " ");
	tell_text(told, profile_unit(p), " ");
	buf_addf(told, "of %lld, %lld ns from %lld\n", (long long)p->total,
		 (long long)p->duration_ns, (long long)p->time_ns);
}

static bool tell_wanted(enum format format, struct profile_want want,
			struct str bytes, struct buf *told, struct error *err)
{
	struct profile profile;
	bool is_read;

	notes_init(&notes);
	profile_init(&profile);
	is_read = decode_profile(format, bytes, &want, &profile, &notes, err);
	if (is_read) {
		assert_true(profile_check(&profile, err));
		tell_stacks(&profile, told);
	}
	profile_release(&profile);
	return is_read;
}

static bool tell_profile(enum format format, struct str bytes, struct buf *told,
			 struct error *err)
{
	struct profile_want want = { .detail = PROFILE_DETAIL_PLACES };

	return tell_wanted(format, want, bytes, told, err);
}

bool tell_labelled(struct str bytes, struct buf *told, struct error *err)
{
	struct profile_want want = {
		.labels = label_filter_new("key:val", NULL, err),
	};
	bool is_read;

	if (!want.labels)
		return false;
	is_read = tell_wanted(FORMAT_PPROF, want, bytes, told, err);
	label_filter_free(want.labels);
	return is_read;
}

bool tell_pprof(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_PPROF, bytes, told, err);
}

bool tell_otlp_profiles(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_OTLP_PROFILES_PB, bytes, told, err);
}

bool tell_pyroscope(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_PYROSCOPE_TREE_PB, bytes, told, err);
}

bool tell_flame_json(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, bytes, told, err);
}

bool tell_speedscope(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_SPEEDSCOPE, bytes, told, err);
}

bool tell_chrome(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_CHROME_TRACE, bytes, told, err);
}

bool tell_v8(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_V8_PROFILE, bytes, told, err);
}

bool tell_folded(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_FOLDED, bytes, told, err);
}

bool tell_perf(struct str bytes, struct buf *told, struct error *err)
{
	return tell_profile(FORMAT_PERF_SCRIPT, bytes, told, err);
}

/* ---- outcomes ---- */

void told_read(struct told *t, teller tell, struct str bytes)
{
	error_clear(&t->err);
	buf_init(&t->text, TOLD_BYTES);
	t->is_read = tell(bytes, &t->text, &t->err);
	assert_int_equal(t->text.state, BUF_OK);
	if (t->is_read != (t->err.code == ERROR_NONE) ||
	    (!t->is_read && !t->err.message[0]))
		fail_msg("read %d, error %d %s: %.*s", t->is_read,
			 (int)t->err.code, t->err.message, STR_ARGS(bytes));
}

void told_release(struct told *t)
{
	buf_release(&t->text);
}

bool told_equal(const struct told *a, const struct told *b)
{
	return a->is_read == b->is_read && a->err.code == b->err.code &&
	       str_equal(buf_str(&a->text), buf_str(&b->text));
}

/* The text is kept before memory runs out, which must not fail it. */
static bool read_starving(struct told *t, teller tell, struct str bytes, long n,
			  bool is_once)
{
	bool was_refused;

	error_clear(&t->err);
	buf_init(&t->text, TOLD_BYTES);
	assert_non_null(buf_reserve(&t->text, 64 * KIB));
	arena_set_unshared(true);
	if (is_once)
		starve_once_after(n);
	else
		starve_after(n);
	t->is_read = tell(bytes, &t->text, &t->err);
	was_refused = stop_starving();
	arena_set_unshared(false);
	return was_refused;
}

static void expect_told(const char *name, teller tell, struct str bytes,
			const struct told *whole, bool is_once)
{
	bool was_refused = true;

	for (long n = 0; was_refused; n++) {
		struct told t;

		assert_true(n < 5000);
		was_refused = read_starving(&t, tell, bytes, n, is_once);
		if (t.is_read ? !told_equal(&t, whole)
			      : t.err.code != ERROR_MEMORY)
			fail_msg("%s, allocation %ld%s: %d, %d %s\n%s", name, n,
				 is_once ? " once" : "", t.is_read,
				 (int)t.err.code, t.err.message,
				 buf_text(&t.text));
		told_release(&t);
	}
}

void expect_starving_told(const char *name, teller tell, struct str bytes)
{
	struct told whole;

	told_read(&whole, tell, bytes);
	assert_true(whole.is_read);
	expect_told(name, tell, bytes, &whole, true);
	expect_told(name, tell, bytes, &whole, false);
	told_release(&whole);
}
