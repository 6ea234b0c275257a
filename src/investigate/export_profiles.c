/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/export.h"

#include <string.h>
#include <sys/stat.h>

#include "backend/export_state.h"
#include "base/ascii.h"
#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"

/* Profiles that lie in memory together, packed, on their way. */
#define AT_ONCE 16u

struct sending {
	struct export *export;
	struct http_request requests[AT_ONCE];
	struct http_response responses[AT_ONCE];
	struct export_key keys[AT_ONCE];
	int64_t starts_ns[AT_ONCE];
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
static bool judge(struct sending *s, size_t i, struct error *err)
{
	struct export *e = s->export;
	int64_t rejected;

	switch (e->to->receiver->answer(&e->to->endpoint, &s->responses[i],
					&rejected, err)) {
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

static bool flush(struct sending *s, struct error *err)
{
	struct export *e = s->export;
	bool is_ok = !s->count || backends_send(e->backends, s->requests,
						s->responses, s->count, err);
	bool is_answered = is_ok;

	for (size_t i = 0; i < s->count; i++) {
		struct error why;

		if (is_answered && !judge(s, i, &why)) {
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

	if (s->count == AT_ONCE && !flush(s, err))
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
	return s->export->to->path ? write_file(s->export, w, err)
				   : send(s, w, err);
}

bool export_profiles(struct export *e, struct error *err)
{
	const struct profile_backend *from =
		e->path_count ? backend_files.profiles
			      : backends_profiles(e->backends);
	struct whole_query query = { .service = e->service,
				     .range = e->window,
				     .paths = e->paths,
				     .path_count = e->path_count };
	struct sending *s = mem_calloc(1, sizeof *s);
	struct whole_taker taker = { wants, take, s };
	struct error late;
	bool is_ok;

	if (!s)
		return error_memory(err, "profiles");
	s->export = e;
	is_ok = from->each(e->backends, &query, &taker, err);
	/* What waits is sent, whatever happened behind it. */
	if (!flush(s, &late) && is_ok) {
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
