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

/* Windows that are still to be asked for: halves of halves, down to the
 * shortest. */
#define PENDING 64u
#define SHORTEST_NS NS_PER_MS
/* A server that gives pages without end is not asked for ever. */
#define PAGES_MOST 2000u

/* Traces that are fetched side by side and lie in memory together. */
#define AT_ONCE 8u

/* ---- which there are ---- */

struct listed {
	struct export *export;
	struct hits *hits;
	unsigned attempt;
	struct time_range pending[PENDING]; /* the earliest last */
	size_t count;
};

/* Ids of a window are listed first: some 300 bytes each. */
#define EXPORT_TRACES 200000u

/* All pages of a range. *is_full: there may be more in it. */
static bool ask_range(struct listed *l, struct time_range range, bool *is_full,
		      struct error *err)
{
	struct backends *b = l->export->backends;
	struct find_query query = {
		.service = str_from(l->export->service),
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
				? hits_fetch(b, &query, &l->attempt, l->hits,
					     &next, err)
				: arena_fail(b->arena, "a page", err);
	} while (is_ok && next.len && ++pages < PAGES_MOST &&
		 l->hits->count < EXPORT_TRACES);
	*is_full = next.len || (!backends_trace_traits(b)->page_of_spans &&
				l->hits->answer_count >= query.trace_limit);
	buf_release(&next);
	/* A server knows nothing of so short a time yet. */
	if (!is_ok && err->code == ERROR_NOT_FOUND) {
		*is_full = false;
		error_clear(err);
		return true;
	}
	return is_ok;
}

/* A server that gives the first so many, in no order, is asked for shorter and
 * shorter windows. */
static void split(struct listed *l, struct time_range range)
{
	int64_t middle_ns = range.from_ns + (range.to_ns - range.from_ns) / 2;

	if (middle_ns - range.from_ns < SHORTEST_NS || l->count + 2 > PENDING) {
		l->export->counts.is_cut = true;
		return;
	}
	l->pending[l->count++] = (struct time_range){ middle_ns, range.to_ns };
	l->pending[l->count++] =
		(struct time_range){ range.from_ns, middle_ns };
}

static int by_start(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return memcmp(x->id.bytes, y->id.bytes, sizeof x->id.bytes);
}

static bool list_traces(struct export *e, struct hits *hits, struct error *err)
{
	struct listed l = {
		.export = e, .hits = hits, .pending = { e->window }, .count = 1
	};

	while (l.count) {
		struct time_range range = l.pending[--l.count];
		bool is_full;

		if (hits->count >= EXPORT_TRACES) {
			e->counts.is_cut = true;
			break;
		}
		if (!ask_range(&l, range, &is_full, err))
			return false;
		if (is_full)
			split(&l, range);
	}
	if (hits->count)
		qsort(hits->items, hits->count, sizeof *hits->items, by_start);
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

static void refuse(struct batch *b, size_t i, const struct error *why)
{
	if (b->fates[i] != FATE_REFUSED)
		export_count_refusal(&b->export->counts, why);
	b->fates[i] = FATE_REFUSED;
}

/* False: nothing more need be sent. */
static bool judge(struct batch *b, size_t request, struct error *err)
{
	struct export *e = b->export;
	const struct part *part = &b->parts[request];
	const struct receiver *to = e->to->receiver;
	int64_t rejected;
	enum receipt receipt = to->answer(to, &e->to->endpoint,
					  &b->responses[request], &rejected,
					  err);

	/* What takes none of it has not taken it. */
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
		refuse(b, part->owner, err);
		return true;
	case RECEIPT_NONE:
		break;
	}
	return false;
}

/* Flushes a batch; of what came through before the end comes, it is known that
 * it did. */
static bool flush(struct batch *b, struct error *err)
{
	bool is_ok = !b->request_count ||
		     backends_send(b->export->backends, b->requests,
				   b->responses, b->request_count, err);
	bool is_answered = is_ok;

	for (size_t i = 0; i < b->request_count; i++) {
		struct error why;

		if (is_answered && !judge(b, i, &why)) {
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

static bool take_part(void *context, struct str part, uint32_t span_count,
		      struct error *err)
{
	struct batch *b = context;
	struct export *e = b->export;

	if (e->file) {
		e->counts.spans += span_count;
		out_str(e->file, part);
		return true;
	}
	if (b->request_count == LIMIT_BATCH && !flush(b, err))
		return false;
	b->parts[b->request_count] = (struct part){ b->owner, span_count };
	b->parts_left[b->owner]++;
	return e->to->receiver->traces_request(
		&e->to->endpoint, part, &b->requests[b->request_count++], err);
}

/* The most of a trace that goes into one request, before it is packed. New
 * Relic takes 1 MB, Datadog 3.2 MB; a span may pass it. */
#define EXPORT_PART_BYTES ((size_t)900000)

static bool pack_trace(struct batch *b, size_t i, const struct trace *t,
		       struct error *err)
{
	b->owner = i;
	if (!b->export->encode(t, EXPORT_PART_BYTES, take_part, b,
			       &b->export->counts.findings, err))
		return false;
	if (b->fates[i] == FATE_OPEN)
		b->fates[i] = FATE_SENT;
	b->export->counts.incomplete +=
		t->is_partial || t->oddities.is_cut_by_server;
	return true;
}

/* Packs a trace; what of an answer cannot be read is reported of that trace;
 * where there is none, the others would not come either. */
static bool pack(struct batch *b, size_t i, struct error *err)
{
	const struct job *job = &b->jobs[i].job;
	const struct trace *t = &b->traces[i];

	if (!job->has_answer && job->err.code != ERROR_FORMAT &&
	    job->err.code != ERROR_LIMIT) {
		*err = job->err;
		return false;
	}
	if (!job->has_answer) {
		refuse(b, i, &job->err);
		return true;
	}
	if (!t->span_count) {
		b->fates[i] = FATE_GONE;
		return true;
	}
	return pack_trace(b, i, t, err);
}

static bool fetch(struct batch *b, struct error *err)
{
	struct job *jobs[AT_ONCE];

	for (size_t i = 0; i < b->count; i++) {
		trace_init(&b->traces[i]);
		b->traces[i].wants_details = true;
		trace_job_init(&b->jobs[i], &b->ids[i], &b->traces[i]);
		jobs[i] = &b->jobs[i].job;
	}
	return jobs_run(b->export->backends, jobs, b->count, err);
}

static struct export_key key_of(const struct hit *hit)
{
	struct export_key key;

	memcpy(key.bytes, hit->id.bytes, sizeof key.bytes);
	return key;
}

static bool count_fates(struct batch *b, struct error *err)
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
static bool end_batch(struct batch *b, bool is_ok, struct error *err)
{
	struct error late;

	if (is_ok)
		is_ok = flush(b, err);
	for (size_t i = 0; i < b->request_count; i++)
		http_request_release(&b->requests[i]);
	b->request_count = 0;
	if (!count_fates(b, &late) && is_ok) {
		*err = late;
		is_ok = false;
	}
	b->count = 0;
	return is_ok;
}

static bool run_batch(struct batch *b, struct error *err)
{
	bool is_ok = fetch(b, err);

	for (size_t i = 0; i < b->count; i++) {
		is_ok = is_ok && pack(b, i, err);
		trace_release(&b->traces[i]);
	}
	return end_batch(b, is_ok, err);
}

static bool is_in_batch(const struct batch *b, const struct export_key *key)
{
	size_t i = 0;

	while (i < b->count &&
	       memcmp(b->keys[i].bytes, key->bytes, sizeof key->bytes))
		i++;
	return i < b->count;
}

/* Into the batch, unless it was sent, or is in it already. */
static bool add(struct batch *b, const struct trace_id *id, int64_t start_ns,
		struct export_key key)
{
	struct export *e = b->export;

	if ((e->state && export_state_has(e->state, &key)) ||
	    is_in_batch(b, &key)) {
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

static bool send_traces(struct export *e, const struct hits *hits,
			struct batch *b, struct error *err)
{
	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->items[i];

		add(b, &hit->id, hit->start_ns, key_of(hit));
		if (!b->count || (b->count < AT_ONCE && i + 1 < hits->count))
			continue;
		if (!run_batch(b, err))
			return false;
		if (e->progress)
			e->progress(i + 1, hits->count);
	}
	return true;
}

static bool export_listed(struct export *e, struct batch *b, struct error *err)
{
	struct hits hits;
	bool is_ok;

	hits_init(&hits);
	is_ok = backends_probe_traces(e->backends, err) &&
		list_traces(e, &hits, err) && send_traces(e, &hits, b, err);
	hits_release(&hits);
	return is_ok;
}

/* ---- those in files ---- */

static bool passes_through(const struct trace *t, const char *service)
{
	for (uint32_t i = 0; i < t->span_count; i++)
		if (str_equal(span_service(t, i), str_from(service)))
			return true;
	return false;
}

/* Another file may have more of the same trace. */
static struct export_key key_of_trace(const struct trace *t)
{
	struct buf text;
	struct export_key key;

	buf_init(&text, LIMIT_URL_BYTES);
	buf_add(&text, t->id.bytes, sizeof t->id.bytes);
	buf_addf(&text, " %u %lld %lld", t->span_count, (long long)t->start_ns,
		 (long long)t->end_ns);
	key = export_key_of_text(buf_str(&text));
	buf_release(&text);
	return key;
}

static bool take_trace(void *context, const struct trace *t, struct error *err)
{
	struct batch *b = context;
	struct export *e = b->export;

	if (e->service && !passes_through(t, e->service))
		return true;
	e->counts.found++;
	if (!add(b, &t->id, t->start_ns, key_of_trace(t)))
		return true;
	if (!pack_trace(b, b->count - 1, t, err))
		b->is_stopped = !end_batch(b, false, err);
	else if (b->count == AT_ONCE)
		b->is_stopped = !end_batch(b, true, err);
	return !b->is_stopped;
}

/* A file that cannot be read is told, and the others are sent. */
static bool export_file(struct batch *b, const char *path, struct error *err)
{
	struct export_counts *counts = &b->export->counts;
	struct notes notes;
	struct error why;
	struct input in;

	notes_init(&notes);
	if (input_open_trace(&in, path, &why) &&
	    input_each_trace(&in, take_trace, b, &notes, &why)) {
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

static bool export_files(struct export *e, struct batch *b, struct error *err)
{
	for (size_t i = 0; i < e->path_count; i++) {
		if (!export_file(b, e->paths[i], err))
			return false;
		if (e->progress)
			e->progress(i + 1, e->path_count);
	}
	return end_batch(b, true, err);
}

static bool export_traces(struct export *e, struct error *err)
{
	struct error late;
	struct batch *b = mem_calloc(1, sizeof *b);
	bool is_ok = b || error_memory(err, "traces");

	if (is_ok) {
		b->export = e;
		is_ok = e->path_count ? export_files(e, b, err)
				      : export_listed(e, b, err);
	}
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

static struct str service_of(const struct whole_profile *w)
{
	for (size_t i = 0; i < w->label_count; i++)
		if (str_equal(w->labels[i].name, STR("service_name")))
			return w->labels[i].value;
	return STR("profile");
}

static void add_name(struct buf *path, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		buf_add_char(path,
			     ascii_is_alnum(text.ptr[i]) || text.ptr[i] == '-'
				     ? text.ptr[i]
				     : '_');
}

/* "FOLDER/data-service-process_cpu-2026-11-21T101400Z-8c1f03a2.pb.gz": the same
 * each time. */
static void path_of(const struct export *e, const struct whole_profile *w,
		    struct buf *path)
{
	struct export_key key = export_key_of_text(w->name);
	char time[TIME_RFC3339_BYTES], hex[33];

	format_rfc3339(w->start_ns, time);
	hex_encode(key.bytes, sizeof key.bytes, hex);
	buf_init(path, LIMIT_PATH_BYTES);
	buf_addf(path, "%s/", e->to->path);
	add_name(path, str_slice(service_of(w), 0, 100));
	buf_add_char(path, '-');
	add_name(path, str_slice(w->kind, 0, 50));
	buf_addf(path, "-%.13s%.2s%.2sZ-%.8s.pb.gz", time, time + 14, time + 17,
		 hex);
}

static bool write_bytes(const char *path, struct str bytes, struct error *err)
{
	struct outfile f;

	if (!outfile_open(&f, path, 0666, err))
		return false;
	out_str(&f.out, bytes);
	return outfile_commit(&f, err);
}

static bool write_file(struct export *e, const struct whole_profile *w,
		       struct error *err)
{
	struct buf path, packed;
	bool is_ok;

	path_of(e, w, &path);
	buf_init(&packed, LIMIT_BODY_WIRE_BYTES);
	is_ok = buf_check(&path, "a name", err) &&
		(gz_is(w->bytes) || gz_deflate(w->bytes, &packed, err)) &&
		write_bytes(buf_text(&path),
			    gz_is(w->bytes) ? w->bytes : buf_str(&packed), err);
	e->counts.sent += is_ok;
	buf_release(&path);
	buf_release(&packed);
	return is_ok;
}

static bool has_file(const struct export *e, const struct whole_profile *w)
{
	struct stat st;
	struct buf path;
	bool is_there;

	path_of(e, w, &path);
	is_there = path.state == BUF_OK && !stat(buf_text(&path), &st);
	buf_release(&path);
	return is_there;
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

static bool send(struct sending *s, const struct whole_profile *w,
		 struct error *err)
{
	struct export *e = s->export;

	if (s->count == PROFILES_AT_ONCE && !flush_profiles(s, err))
		return false;
	s->keys[s->count] = export_key_of_text(w->name);
	s->starts_ns[s->count] = w->start_ns;
	return e->to->receiver->profile_request(&e->to->endpoint, w,
						&s->requests[s->count++], err);
}

/* ---- one by one ---- */

static bool wants(void *context, const struct whole_profile *w)
{
	struct sending *s = context;
	struct export *e = s->export;
	struct export_key key = export_key_of_text(w->name);
	bool is_known = e->to->path
				? has_file(e, w)
				: e->state && export_state_has(e->state, &key);

	e->counts.found++;
	e->counts.known += is_known;
	return !is_known;
}

static bool take(void *context, const struct whole_profile *w,
		 const struct error *why, struct error *err)
{
	struct sending *s = context;
	struct export_counts *counts = &s->export->counts;

	if (why && why->code == ERROR_NOT_FOUND) {
		counts->gone++;
		return true;
	}
	if (why) {
		/* It was not asked about. */
		counts->found++;
		counts->refused++;
		export_count_refusal(counts, why);
		return true;
	}
	counts->narrowed += w->is_narrowed;
	return s->export->to->path ? write_file(s->export, w, err)
				   : send(s, w, err);
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
	struct whole_taker taker = { wants, take, s };
	struct error late;
	bool is_ok;

	if (!s)
		return error_memory(err, "profiles");
	s->export = e;
	is_ok = from->each(e->backends, &query, &taker, err);
	/* What waits is sent, whatever happened behind it. */
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

/* Returns the address of a server, whatever kind it is. */
static struct str place_of(const struct side *s)
{
	return str_from(s->endpoint.project ? s->endpoint.project
					    : s->endpoint.url);
}

static bool default_state(struct export *e, const char *what, struct str from,
			  struct error *err)
{
	struct arena *arena = e->backends->arena;
	struct export_key key;
	struct buf text;
	char hex[33];

	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "%.*s %.*s", STR_ARGS(from), STR_ARGS(e->to->name));
	key = export_key_of_text(buf_str(&text));
	buf_release(&text);
	hex_encode(key.bytes, sizeof key.bytes, hex);
	e->state_path = arena_printf(arena, "%s/export-%s-%.16s",
				     e->state_folder, what, hex)
				.ptr;
	return e->state_path || arena_fail(arena, "the state", err);
}

/* files: who they are of, if they are any. */
static bool open_state(struct export *e, const char *what,
		       const struct side *side, struct str files,
		       struct error *err)
{
	struct str from = e->path_count ? files : place_of(side);

	if (!e->to->receiver || !e->keeps_state)
		return true;
	if (!e->state_path && !default_state(e, what, from, err))
		return false;
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
	/* Before the first of them goes out. */
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
