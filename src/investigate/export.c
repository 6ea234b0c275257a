/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/export_state.h"
#include "backend/fetch_trace.h"
#include "backend/input.h"
#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"

/* Windows still to be queried: repeatedly halved, down to the shortest. */
#define PENDING 64u
#define SHORTEST_NS NS_PER_MS
/* Limits servers that return pages endlessly. */
#define PAGES_MOST 2000u

/* Traces that are fetched side by side and lie in memory together. */
#define AT_ONCE 8u

/* ---- which there are ---- */

/* Ids of a window are listed first: some 300 bytes each. */
#define EXPORT_TRACES 200000u

/* All pages of a range. *is_full: there may be more in it. */
static bool ask_range(struct export *e, struct hits *hits, unsigned *attempt,
		      struct time_range range, bool *is_full, struct error *err)
{
	struct backends *b = e->backends;
	struct find_query query = {
		.service = str_from(e->service),
		.range = range,
		.trace_limit = backends_trace_traits(b)->search_most,
	};
	unsigned pages = 0;
	struct buf next;
	bool is_ok;

	if (backends_trace_traits(b)->page_of_spans)
		query.trace_limit =
			find_is_by_span(&query)
				? backends_trace_traits(b)->page_of_spans
				: backends_trace_traits(b)->page_of_roots;
	buf_init(&next, LIMIT_URL_BYTES);
	do {
		query.page_token = arena_str(b->arena, buf_str(&next));
		buf_clear(&next);
		is_ok = query.page_token.ptr
				? hits_fetch(b, &query, attempt, hits, &next,
					     err)
				: arena_fail(b->arena, "a page", err);
	} while (is_ok && next.len && ++pages < PAGES_MOST &&
		 hits->count < EXPORT_TRACES);
	*is_full = next.len || (!backends_trace_traits(b)->page_of_spans &&
				hits->answer_count >= query.trace_limit);
	buf_release(&next);
	/* The server has no data yet for such a recent window. */
	if (!is_ok && err->code == ERROR_NOT_FOUND) {
		*is_full = false;
		error_clear(err);
		return true;
	}
	return is_ok;
}

static int hit_compare(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return memcmp(x->id.bytes, y->id.bytes, sizeof x->id.bytes);
}

/* Servers that return only the first N, in no order, are queried with shorter
 * and shorter windows. */
static bool list_traces(struct export *e, struct hits *hits, struct error *err)
{
	struct time_range pending[PENDING] = { e->window }; /* earliest last */
	size_t count = 1;
	unsigned attempt = 0;

	while (count) {
		struct time_range range = pending[--count];
		int64_t half_ns = (range.to_ns - range.from_ns) / 2;
		int64_t middle_ns = range.from_ns + half_ns;
		bool is_full;

		if (hits->count >= EXPORT_TRACES) {
			e->counts.is_cut = true;
			break;
		}
		if (!ask_range(e, hits, &attempt, range, &is_full, err))
			return false;
		if (!is_full)
			continue;
		if (half_ns < SHORTEST_NS || count + 2 > PENDING) {
			e->counts.is_cut = true;
			continue;
		}
		pending[count++] =
			(struct time_range){ middle_ns, range.to_ns };
		pending[count++] =
			(struct time_range){ range.from_ns, middle_ns };
	}
	if (hits->count)
		qsort(hits->items, hits->count, sizeof *hits->items,
		      hit_compare);
	e->counts.found = hits->count;
	return true;
}

/* ---- a few at once ---- */

enum fate { FATE_OPEN = 0, FATE_SENT, FATE_GONE, FATE_REFUSED };

/* A part that waits to be sent, and whose it is. */
struct part {
	size_t owner;
	uint32_t span_count;
};

struct batch {
	struct export *export;
	struct export_key keys[AT_ONCE];
	struct trace_id ids[AT_ONCE];
	int64_t starts_ns[AT_ONCE];
	struct trace_job jobs[AT_ONCE];
	struct trace traces[AT_ONCE];
	enum fate fates[AT_ONCE];
	size_t parts_left[AT_ONCE]; /* not taken yet */
	size_t count;
	struct part parts[LIMIT_BATCH];
	struct http_request requests[LIMIT_BATCH];
	struct http_response responses[LIMIT_BATCH];
	size_t request_count;
	size_t owner; /* of the trace that is being packed */
	bool is_stopped; /* no further file need be read */
};

static void export_count_refusal(struct export_counts *counts,
				 const struct error *why)
{
	for (size_t i = 0; i < counts->reason_count; i++)
		if (!strcmp(counts->reasons[i].text, why->message)) {
			counts->reasons[i].count++;
			return;
		}
	if (counts->reason_count == EXPORT_REASONS) {
		counts->other_reasons++;
		return;
	}
	memcpy(counts->reasons[counts->reason_count].text, why->message,
	       sizeof why->message);
	counts->reasons[counts->reason_count++].count = 1;
}

/* The most of a trace that goes into one request, before it is packed. New
 * Relic takes 1 MB, Datadog 3.2 MB; a span may pass it. */
#define EXPORT_PART_BYTES ((size_t)900000)

static void batch_refuse(struct batch *b, size_t i, const struct error *why)
{
	if (b->fates[i] != FATE_REFUSED)
		export_count_refusal(&b->export->counts, why);
	b->fates[i] = FATE_REFUSED;
}

/* False: nothing more need be sent. */
static bool batch_judge(struct batch *b, size_t request, struct error *err)
{
	struct export *e = b->export;
	const struct part *part = &b->parts[request];
	const struct receiver *to = e->to->receiver;
	int64_t rejected;
	enum receipt receipt = to->answer(to, &e->to->endpoint,
					  &b->responses[request], &rejected,
					  err);

	/* Rejecting all of a request is a refusal. */
	if (receipt == RECEIPT_PART && rejected >= (int64_t)part->span_count)
		receipt = RECEIPT_REFUSED;
	switch (receipt) {
	case RECEIPT_PART:
	case RECEIPT_TAKEN:
		if (receipt == RECEIPT_PART) {
			e->counts.rejected_spans += (uint64_t)rejected;
			export_count_refusal(&e->counts, err);
		}
		e->counts.spans += part->span_count;
		b->parts_left[part->owner]--;
		return true;
	case RECEIPT_REFUSED:
		batch_refuse(b, part->owner, err);
		return true;
	case RECEIPT_NONE:
		break;
	}
	return false;
}

/* Flushes a batch; of what came through before the end comes, it is known that
 * it did. */
static bool batch_flush(struct batch *b, struct error *err)
{
	bool is_ok = !b->request_count ||
		     backends_send(b->export->backends, b->requests,
				   b->responses, b->request_count, err);
	bool is_answered = is_ok;

	for (size_t i = 0; i < b->request_count; i++) {
		struct error why;

		if (is_answered && !batch_judge(b, i, &why)) {
			if (is_ok)
				*err = why;
			is_ok = false;
		}
		http_request_release(&b->requests[i]);
		http_response_release(&b->responses[i]);
	}
	memset(b->requests, 0, sizeof b->requests);
	memset(b->responses, 0, sizeof b->responses);
	b->request_count = 0;
	return is_ok;
}

static bool batch_take_part(void *context, struct str part, uint32_t span_count,
			    struct error *err)
{
	struct batch *b = context;
	struct export *e = b->export;

	if (e->file) {
		e->counts.spans += span_count;
		out_str(e->file, part);
		return true;
	}
	if (b->request_count == LIMIT_BATCH && !batch_flush(b, err))
		return false;
	b->parts[b->request_count] = (struct part){ b->owner, span_count };
	b->parts_left[b->owner]++;
	return e->to->receiver->traces_request(
		&e->to->endpoint, part, &b->requests[b->request_count++], err);
}

/* The most of a trace that goes into one request, before it is packed. New
 * Relic takes 1 MB, Datadog 3.2 MB; a span may pass it. */
#define EXPORT_PART_BYTES ((size_t)900000)

static bool batch_pack(struct batch *b, size_t i, const struct trace *t,
		       struct error *err)
{
	b->owner = i;
	if (!b->export->encode(t, EXPORT_PART_BYTES, batch_take_part, b,
			       &b->export->counts.findings, err))
		return false;
	if (b->fates[i] == FATE_OPEN)
		b->fates[i] = FATE_SENT;
	b->export->counts.incomplete +=
		t->is_partial || t->oddities.is_cut_by_server;
	return true;
}

static bool batch_count(struct batch *b, struct error *err)
{
	struct export *e = b->export;

	for (size_t i = 0; i < b->count; i++) {
		e->counts.gone += b->fates[i] == FATE_GONE;
		e->counts.refused += b->fates[i] == FATE_REFUSED;
		if (b->fates[i] != FATE_SENT || b->parts_left[i])
			continue;
		e->counts.sent++;
		if (e->state && !export_state_add(e->state, &b->keys[i],
						  b->starts_ns[i], err))
			return false;
	}
	return !e->state || export_state_save(e->state, false, err);
}

/* Sends what is packed, and keeps what came of it. */
static bool batch_end(struct batch *b, bool is_ok, struct error *err)
{
	struct error late;

	if (is_ok)
		is_ok = batch_flush(b, err);
	for (size_t i = 0; i < b->request_count; i++)
		http_request_release(&b->requests[i]);
	b->request_count = 0;
	if (!batch_count(b, &late) && is_ok) {
		*err = late;
		is_ok = false;
	}
	b->count = 0;
	return is_ok;
}

/* Fetches, packs and sends the traces. What of an answer cannot be read is
 * reported of that trace; where there is none, the others would not come
 * either. */
static bool batch_run(struct batch *b, struct error *err)
{
	struct job *jobs[AT_ONCE];
	bool is_ok;

	for (size_t i = 0; i < b->count; i++) {
		trace_init(&b->traces[i]);
		b->traces[i].wants_details = true;
		trace_job_init(&b->jobs[i], &b->ids[i], &b->traces[i]);
		jobs[i] = &b->jobs[i].job;
	}
	is_ok = jobs_run(b->export->backends, jobs, b->count, err);
	for (size_t i = 0; i < b->count; i++) {
		const struct job *job = jobs[i];

		if (is_ok && !job->has_answer) {
			is_ok = job->err.code == ERROR_FORMAT ||
				job->err.code == ERROR_LIMIT;
			if (is_ok)
				batch_refuse(b, i, &job->err);
			else
				*err = job->err;
		} else if (is_ok && !b->traces[i].span_count) {
			b->fates[i] = FATE_GONE;
		} else if (is_ok) {
			is_ok = batch_pack(b, i, &b->traces[i], err);
		}
		trace_release(&b->traces[i]);
	}
	return batch_end(b, is_ok, err);
}

/* Into the batch, unless it was sent, or is in it already. */
static bool batch_add(struct batch *b, const struct trace_id *id,
		      int64_t start_ns, struct export_key key)
{
	struct export *e = b->export;
	size_t i = 0;

	while (i < b->count &&
	       memcmp(b->keys[i].bytes, key.bytes, sizeof key.bytes))
		i++;
	if (i < b->count ||
	    (e->state && export_state_has(e->state, &key))) {
		e->counts.known++;
		return false;
	}
	b->ids[b->count] = *id;
	b->starts_ns[b->count] = start_ns;
	b->keys[b->count] = key;
	b->fates[b->count] = FATE_OPEN;
	b->parts_left[b->count] = 0;
	b->count++;
	return true;
}

static bool export_listed(struct export *e, struct batch *b, struct error *err)
{
	struct hits hits;
	bool is_ok;

	hits_init(&hits);
	is_ok = backends_probe_traces(e->backends, err) &&
		list_traces(e, &hits, err);
	for (size_t i = 0; is_ok && i < hits.count; i++) {
		const struct hit *hit = &hits.items[i];
		struct export_key key;

		memcpy(key.bytes, hit->id.bytes, sizeof key.bytes);
		batch_add(b, &hit->id, hit->start_ns, key);
		if (!b->count || (b->count < AT_ONCE && i + 1 < hits.count))
			continue;
		is_ok = batch_run(b, err);
		if (is_ok && e->progress)
			e->progress(i + 1, hits.count);
	}
	hits_release(&hits);
	return is_ok;
}

/* ---- those in files ---- */

static bool batch_take(void *context, const struct trace *t, struct error *err)
{
	struct batch *b = context;
	struct export *e = b->export;
	bool is_wanted = !e->service;
	struct export_key key;
	struct buf text;

	for (uint32_t i = 0; i < t->span_count && !is_wanted; i++)
		is_wanted = str_equal(span_service(t, i), str_from(e->service));
	if (!is_wanted)
		return true;
	e->counts.found++;
	/* Another file may have more of the same trace. */
	buf_init(&text, LIMIT_URL_BYTES);
	buf_add(&text, t->id.bytes, sizeof t->id.bytes);
	buf_addf(&text, " %u %lld %lld", t->span_count, (long long)t->start_ns,
		 (long long)t->end_ns);
	key = export_key_of_text(buf_str(&text));
	buf_release(&text);
	if (!batch_add(b, &t->id, t->start_ns, key))
		return true;
	if (!batch_pack(b, b->count - 1, t, err))
		b->is_stopped = !batch_end(b, false, err);
	else if (b->count == AT_ONCE)
		b->is_stopped = !batch_end(b, true, err);
	return !b->is_stopped;
}

/* An unreadable file is reported, and the others are sent. */
static bool export_file(struct batch *b, const char *path, struct error *err)
{
	struct export_counts *counts = &b->export->counts;
	struct notes notes;
	struct error why;
	struct input in;

	notes_init(&notes);
	if (input_open_trace(&in, path, &why) &&
	    input_each_trace(&in, batch_take, b, &notes, &why)) {
		input_release(&in);
		return true;
	}
	input_release(&in);
	if (b->is_stopped || why.code == ERROR_MEMORY) {
		*err = why;
		return false;
	}
	counts->refused++;
	export_count_refusal(counts, &why);
	return true;
}

static bool export_traces(struct export *e, struct error *err)
{
	struct error late;
	struct batch *b = mem_calloc(1, sizeof *b);
	bool is_ok = b || error_memory(err, "traces");

	if (is_ok)
		b->export = e;
	for (size_t i = 0; is_ok && i < e->path_count; i++) {
		is_ok = export_file(b, e->paths[i], err);
		if (is_ok && e->progress)
			e->progress(i + 1, e->path_count);
	}
	if (is_ok)
		is_ok = e->path_count ? batch_end(b, true, err)
				      : export_listed(e, b, err);
	if (e->state && !export_state_save(e->state, true, &late) && is_ok) {
		*err = late;
		is_ok = false;
	}
	mem_free(b);
	return is_ok;
}

/* Profiles that lie in memory together, packed, on their way. */
#define PROFILES_AT_ONCE 16u

struct sending {
	struct export *export;
	struct http_request requests[PROFILES_AT_ONCE];
	struct http_response responses[PROFILES_AT_ONCE];
	struct export_key keys[PROFILES_AT_ONCE];
	int64_t starts_ns[PROFILES_AT_ONCE];
	size_t count;
};

/* ---- into a folder ---- */

static void path_add(struct buf *path, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		buf_add_char(path,
			     ascii_is_alnum(text.ptr[i]) || text.ptr[i] == '-'
				     ? text.ptr[i]
				     : '_');
}

/* "FOLDER/data-service-process_cpu-2026-11-21T101400Z-8c1f03a2.pb.gz": the same
 * each time. */
static void profile_path(const struct export *e, const struct whole_profile *w,
			 struct buf *path)
{
	struct export_key key = export_key_of_text(w->name);
	struct str service = STR("profile");
	char time[TIME_RFC3339_BYTES], hex[33];

	for (size_t i = w->label_count; i--;)
		if (str_equal(w->labels[i].name, STR("service_name")))
			service = w->labels[i].value;

	format_rfc3339(w->start_ns, time);
	hex_encode(key.bytes, sizeof key.bytes, hex);
	buf_init(path, LIMIT_PATH_BYTES);
	buf_addf(path, "%s/", e->to->path);
	path_add(path, str_slice(service, 0, 100));
	buf_add_char(path, '-');
	path_add(path, str_slice(w->kind, 0, 50));
	buf_addf(path, "-%.13s%.2s%.2sZ-%.8s.pb.gz", time, time + 14, time + 17,
		 hex);
}

static bool write_file(struct export *e, const struct whole_profile *w,
		       struct error *err)
{
	struct buf path, packed;
	struct outfile f;
	bool is_ok;

	profile_path(e, w, &path);
	buf_init(&packed, LIMIT_BODY_WIRE_BYTES);
	is_ok = buf_check(&path, "a name", err) &&
		(gz_is(w->bytes) || gz_deflate(w->bytes, &packed, err)) &&
		outfile_open(&f, buf_text(&path), 0666, err);
	if (is_ok) {
		out_str(&f.out, gz_is(w->bytes) ? w->bytes : buf_str(&packed));
		is_ok = outfile_commit(&f, err);
	}
	e->counts.sent += is_ok;
	buf_release(&path);
	buf_release(&packed);
	return is_ok;
}

/* ---- to a receiver ---- */

/* False: nothing more need be sent. */
static bool judge_profiles(struct sending *s, size_t i, struct error *err)
{
	struct export *e = s->export;
	const struct receiver *to = e->to->receiver;
	int64_t rejected;

	switch (to->answer(to, &e->to->endpoint, &s->responses[i], &rejected,
			   err)) {
	case RECEIPT_TAKEN:
		e->counts.sent++;
		return !e->state || export_state_add(e->state, &s->keys[i],
						     s->starts_ns[i], err);
	case RECEIPT_PART:
	case RECEIPT_REFUSED:
		e->counts.refused++;
		export_count_refusal(&e->counts, err);
		return true;
	case RECEIPT_NONE:
		break;
	}
	return false;
}

static bool flush_profiles(struct sending *s, struct error *err)
{
	struct export *e = s->export;
	bool is_ok = !s->count || backends_send(e->backends, s->requests,
						s->responses, s->count, err);
	bool is_answered = is_ok;

	for (size_t i = 0; i < s->count; i++) {
		struct error why;

		if (is_answered && !judge_profiles(s, i, &why)) {
			if (is_ok)
				*err = why;
			is_ok = false;
		}
		http_request_release(&s->requests[i]);
		http_response_release(&s->responses[i]);
	}
	memset(s->requests, 0, sizeof s->requests);
	memset(s->responses, 0, sizeof s->responses);
	s->count = 0;
	if (e->progress)
		e->progress(e->counts.sent + e->counts.known +
				    e->counts.refused + e->counts.gone,
			    e->counts.found);
	return is_ok && (!e->state || export_state_save(e->state, false, err));
}

/* ---- one by one ---- */

static bool sending_wants(void *context, const struct whole_profile *w)
{
	struct sending *s = context;
	struct export *e = s->export;
	struct export_key key = export_key_of_text(w->name);
	bool is_known = !e->to->path && e->state &&
			export_state_has(e->state, &key);
	struct stat st;
	struct buf path;

	if (e->to->path) {
		profile_path(e, w, &path);
		is_known = path.state == BUF_OK && !stat(buf_text(&path), &st);
		buf_release(&path);
	}
	e->counts.found++;
	e->counts.known += is_known;
	return !is_known;
}

static bool sending_take(void *context, const struct whole_profile *w,
			 const struct error *why, struct error *err)
{
	struct sending *s = context;
	struct export *e = s->export;
	struct export_counts *counts = &e->counts;

	if (why && why->code == ERROR_NOT_FOUND) {
		counts->gone++;
		return true;
	}
	if (why) {
		/* Not in the query. */
		counts->found++;
		counts->refused++;
		export_count_refusal(counts, why);
		return true;
	}
	counts->narrowed += w->is_narrowed;
	if (e->to->path)
		return write_file(e, w, err);
	if (s->count == PROFILES_AT_ONCE && !flush_profiles(s, err))
		return false;
	s->keys[s->count] = export_key_of_text(w->name);
	s->starts_ns[s->count] = w->start_ns;
	return e->to->receiver->profile_request(&e->to->endpoint, w,
						&s->requests[s->count++], err);
}

static bool export_profiles(struct export *e, struct error *err)
{
	const struct profile_backend *from =
		e->path_count ? backend_files.profiles
			      : backends_profiles(e->backends);
	struct whole_query query = { .service = e->service,
				     .range = e->window,
				     .paths = e->paths,
				     .path_count = e->path_count,
				     .is_for_sums = e->to->receiver != NULL };
	struct sending *s = mem_calloc(1, sizeof *s);
	struct whole_taker taker = { sending_wants, sending_take, s };
	struct error late;
	bool is_ok;

	if (!s)
		return error_memory(err, "profiles");
	s->export = e;
	is_ok = from->each(e->backends, &query, &taker, err);
	/* Pending profiles are sent, whatever happened after them. */
	if (!flush_profiles(s, &late) && is_ok) {
		*err = late;
		is_ok = false;
	}
	if (e->state && !export_state_save(e->state, true, &late) && is_ok) {
		*err = late;
		is_ok = false;
	}
	mem_free(s);
	return is_ok;
}

/* ---- where from, and where to ---- */

/* files: who they are of, if they are any. */
static bool open_state(struct export *e, const char *what,
		       const struct side *side, struct str files,
		       struct error *err)
{
	const struct endpoint *server = &side->endpoint;
	struct str from = e->path_count ? files
			  : server->project ? str_from(server->project)
					    : str_from(server->url);

	struct export_key key;
	struct buf text;
	char hex[33];

	if (!e->to->receiver || !e->keeps_state)
		return true;
	if (!e->state_path) {
		buf_init(&text, LIMIT_URL_BYTES);
		buf_addf(&text, "%.*s %.*s", STR_ARGS(from),
			 STR_ARGS(e->to->name));
		key = export_key_of_text(buf_str(&text));
		buf_release(&text);
		hex_encode(key.bytes, sizeof key.bytes, hex);
		e->state_path =
			arena_printf(e->backends->arena, "%s/export-%s-%.16s",
				     e->state_folder, what, hex)
				.ptr;
		if (!e->state_path)
			return arena_fail(e->backends->arena, "the state", err);
	}
	e->state = export_state_open(e->state_path, what, from, e->to->name,
				     err);
	return e->state || error_prefix(err, "--state");
}

static bool run_traces(struct export *e, struct error *err)
{
	struct outfile f;
	bool done;

	if (!e->path_count && !backends_probe_traces(e->backends, err))
		return false;
	/* Check all before sending the first. */
	for (size_t i = 0; i < e->path_count; i++)
		if (!input_check(e->paths[i], err))
			return false;
	if (!open_state(e, "traces", &e->backends->traces, STR("files"), err))
		return false;
	if (e->to->receiver)
		return export_traces(e, err);
	if (!outfile_open(&f, e->to->path, 0666, err))
		return error_prefix(err, "--to-traces");
	e->file = &f.out;
	done = export_traces(e, err);
	if (done && e->counts.sent)
		return outfile_commit(&f, err);
	outfile_abort(&f);
	return done;
}

bool export_run(struct export *e, bool is_of_profiles, struct error *err)
{
	bool done;

	if (is_of_profiles && e->to->path)
		outfile_sweep(e->to->path);
	done = is_of_profiles
		       ? open_state(e, "profiles", &e->backends->profiles,
				    str_from(e->service), err) &&
				 export_profiles(e, err)
		       : run_traces(e, err);
	export_state_free(e->state);
	e->state = NULL;
	return done;
}
