/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_profiles.h"

#include <inttypes.h>
#include <string.h>

#include "backend/backends.h"
#include "backend/google/google_error.h"
#include "backend/source.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "decode/cloud_profiles_json.h"
#include "model/profile_list.h"
#include "wire/cache.h"
#include "wire/http.h"
#include "wire/http_message.h"
#include "wire/url.h"

/* Drops the data of unwanted profiles from a page of Cloud Profiler's list
 * while it is received. A page has 1,000 profiles of which about ten are
 * wanted; the data of the others would be a hundred MiB. */

/* Depth of a profile's members in {"profiles":[{. */
#define PROFILE_DEPTH 3u

static void sieve_begin(void *context)
{
	struct cloud_sieve *s = context;

	s->depth = 0;
	s->is_string = s->is_escaped = s->is_dropped = false;
	s->key = CLOUD_KEY_OTHER;
	s->len = s->name_len = 0;
}

static struct str text_of(const struct cloud_sieve *s)
{
	return (struct str){ s->text, s->len };
}

static void sieve_take_mark(struct cloud_sieve *s, char c)
{
	switch (c) {
	case '"':
		s->is_string = s->is_plain = true;
		s->is_dropped =
			s->depth == PROFILE_DEPTH &&
			s->key == CLOUD_KEY_BYTES && s->name_len &&
			!s->is_wanted(s->context,
				      (struct str){ s->name, s->name_len });
		s->len = 0;
		return;
	case '{':
	case '[':
		s->depth++;
		if (s->depth == PROFILE_DEPTH)
			s->name_len = 0;
		break;
	case '}':
	case ']':
		s->depth -= s->depth > 0;
		break;
	case ':':
		if (str_equal(text_of(s), STR("name")))
			s->key = CLOUD_KEY_NAME;
		else if (str_equal(text_of(s), STR("profileBytes")))
			s->key = CLOUD_KEY_BYTES;
		else
			s->key = CLOUD_KEY_OTHER;
		return;
	case ',':
		break;
	default:
		return;
	}
	s->key = CLOUD_KEY_OTHER;
}

/* Processes a byte within a string. */
static void sieve_take_text(struct cloud_sieve *s, char c)
{
	if (s->is_escaped) {
		s->is_escaped = false;
		return;
	}
	if (c == '"') {
		/* The next byte shows whether it is a key. */
		s->is_string = s->is_dropped = false;
		if (s->depth == PROFILE_DEPTH && s->key == CLOUD_KEY_NAME) {
			s->name_len = s->is_plain ? s->len : 0;
			memcpy(s->name, s->text, s->name_len);
		}
		return;
	}
	if (c == '\\') {
		s->is_escaped = true;
		s->is_plain = false;
	} else if (s->len == sizeof s->text) {
		s->is_plain = false;
	} else {
		s->text[s->len++] = c;
	}
}

/* Drops bytes from `at` on, to the closing quote if it is there. */
static size_t sieve_drop(struct cloud_sieve *s, struct str bytes, size_t at)
{
	while (s->is_dropped && at < bytes.len) {
		const char *from = bytes.ptr + at, *end;
		size_t len = bytes.len - at;

		/* Skip to its end or to an escape. */
		if (!s->is_escaped) {
			end = memchr(from, '"', len);
			len = end ? (size_t)(end - from) : len;
			end = memchr(from, '\\', len);
			at += end ? (size_t)(end - from) : len;
		}
		if (at < bytes.len)
			sieve_take_text(s, bytes.ptr[at++]);
	}
	return at;
}

static void sieve_pass(void *context, struct str bytes, struct buf *kept)
{
	struct cloud_sieve *s = context;
	size_t from = 0, at = 0;

	while (at < bytes.len) {
		if (s->is_dropped) {
			at = sieve_drop(s, bytes, at);
			from = s->is_dropped ? at : at - 1; /* the quote */
		} else if (s->is_string) {
			sieve_take_text(s, bytes.ptr[at++]);
		} else {
			sieve_take_mark(s, bytes.ptr[at++]);
			if (s->is_dropped)
				buf_add_str(kept,
					    str_slice(bytes, from, at - from));
		}
	}
	if (!s->is_dropped)
		buf_add_str(kept, str_slice(bytes, from, bytes.len));
}

void cloud_sieve_init(struct cloud_sieve *s,
		      bool (*is_wanted)(void *context, struct str name),
		      void *context)
{
	*s = (struct cloud_sieve){ .sieve = { sieve_begin, sieve_pass, s },
				   .is_wanted = is_wanted,
				   .context = context };
}

/* Cloud Profiler, by the one method of its API that reads: ListProfiles
 * (google/devtools/cloudprofiler/v2, ExportService). It returns all profiles of
 * a project in pages, in no documented order, without filters. Queries are
 * therefore answered from its list. */

#define SUBJECT "Cloud Profiler"

/* The server's maximum. */
#define PAGE_SIZE 1000

/* Maximum length: page tokens are percent-encoded, three bytes for one. */
#define PATH_BYTES (4 * LIMIT_PAGE_TOKEN_BYTES)

/* The requested fields of a page. */
enum cloud_fields {
	CLOUD_FIELDS_LIST,  /* all but the profiles' bytes */
	CLOUD_FIELDS_BYTES, /* names and bytes */
};

static const char *const fields_of[] = {
	[CLOUD_FIELDS_LIST] = "nextPageToken,skippedProfiles,profiles(name,"
			      "profileType,deployment(target,labels),duration,"
			      "labels,startTime)",
	[CLOUD_FIELDS_BYTES] = "nextPageToken,profiles(name,profileBytes)",
};

/* Requests the page of this token; an empty one is the first page. */
static bool cloud_profiles_request(const struct endpoint *endpoint,
				   struct str token, enum cloud_fields fields,
				   struct http_request *request,
				   struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_addf(&path, "/v2/projects/%s/profiles?pageSize=%d&fields=",
		 endpoint->project, PAGE_SIZE);
	url_encode(&path, str_from(fields_of[fields]));
	if (token.len) {
		buf_add_text(&path, "&pageToken=");
		url_encode(&path, token);
	}
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

/* Evaluates a page. ANSWER_TRY_NEXT: the server refuses the page (400), perhaps
 * because its token was issued with other fields: err has the reason. */
static enum answer cloud_profiles_answer(const struct endpoint *endpoint,
					 const struct http_response *response,
					 struct error *err)
{
	static const struct answer_form form = {
		.keys = { "profiles", "nextPageToken", "skippedProfiles" },
		.may_be_empty = true,
	};

	if (answer_has_form(response, &form))
		return ANSWER_OK;
	if (response->status == 200 && !body_is_html(response)) {
		error_set(err, ERROR_FORMAT,
			  SUBJECT ": answers 200, but with no list of profiles");
		return ANSWER_ERROR;
	}
	google_fail(&google_profiler_api, SUBJECT, endpoint, response, err);
	return response->status == 400 ? ANSWER_TRY_NEXT : ANSWER_ERROR;
}

struct cloud_profiles {
	struct profile_list list;
	struct arena arena;
	struct map by_token;
	struct str tokens[LIMIT_LIST_PAGES]; /* of each page, the first empty */
	uint32_t page_count;
	bool is_listed;
	bool is_failed; /* the error is kept, so that the list is requested only
			 * once */
	struct error why;
	/* The server refused a page token that was issued with other fields. */
	bool is_token_bound;
	int64_t skipped;
	uint32_t nameless;
	struct profile_cache *kept; /* by earlier runs, and for later ones */
	struct error lost;          /* why the cache is of no use */
};

void cloud_profiles_free(void *room)
{
	struct cloud_profiles *cloud = room;

	profile_cache_close(cloud->kept);
	profile_list_release(&cloud->list);
	arena_release(&cloud->arena);
	mem_free(cloud);
}

static struct cloud_profiles *cloud_get(struct side *side, struct error *err)
{
	struct cloud_profiles *c = side->room;

	if (c)
		return c;
	c = mem_calloc(1, sizeof *c);
	if (!c) {
		error_memory(err, "the list of profiles");
		return NULL;
	}
	arena_init(&c->arena, LIMIT_PROFILE_LIST_BYTES);
	map_init(&c->by_token, &c->arena);
	if (!profile_list_init(&c->list, err)) {
		cloud_profiles_free(c);
		return NULL;
	}
	side->room = c;
	return c;
}

bool cloud_profiles_keep(struct side *side, const char *folder,
			 const char *scope)
{
	struct error err;
	struct cloud_profiles *c = cloud_get(side, &err);

	if (c)
		c->kept = profile_cache_open(folder, scope, side->endpoint.url,
					     &c->lost);
	return c && c->kept;
}

const struct error *cloud_profiles_lost(const struct side *side)
{
	const struct cloud_profiles *c = side->room;

	return c && c->lost.code ? &c->lost : NULL;
}

/* ---- the list ---- */

/* Adds a page token; a repeated one would cause an endless loop. */
static bool page_follow(struct cloud_profiles *c, struct str token,
			struct error *err)
{
	uint32_t index = c->page_count, known;

	token = arena_str(&c->arena, token);
	if (!token.ptr)
		return arena_fail(&c->arena, "the list of profiles", err);
	if (!map_insert(&c->by_token, token, index, &known))
		return arena_fail(&c->arena, "the list of profiles", err);
	if (known != index)
		return error_set(err, ERROR_FORMAT,
				 "Cloud Profiler: its pages form a loop: page "
				 "%" PRIu32 " leads back to page "
				 "%" PRIu32,
				 index, known + 1);
	c->tokens[c->page_count++] = token;
	return true;
}

static void note_cut(struct backends *b, const struct cloud_profiles *c)
{
	char count[COUNT_TEXT_BYTES];

	format_count(c->list.count, count);
	notes_add(b->notes,
		  "Cloud Profiler: only the first %s profiles of the project "
		  "were listed, on %" PRIu32 " pages; the rest may include "
					   "profiles of this service",
		  count, c->page_count);
}

/* *has_next: another page follows. A list past a limit ends there. */
static bool read_page(struct backends *b, struct cloud_profiles *c,
		      const struct http_response *response, bool *has_next,
		      struct error *err)
{
	struct cloud_page page;
	bool is_ok;

	cloud_page_init(&page);
	*has_next = false;
	is_ok = cloud_page_decode(buf_str(&response->body), c->page_count - 1,
				  &c->list, &page, err);
	c->skipped = sat_add_i64(c->skipped, page.skipped);
	c->nameless += page.nameless;
	if (b->channel.listed)
		b->channel.listed(c->list.count);
	if (!is_ok && err->code == ERROR_LIMIT && c->list.count) {
		note_cut(b, c);
		is_ok = true;
	} else if (!is_ok) {
		error_prefix(err, "Cloud Profiler");
	} else if (page.next_token.len && c->page_count == LIMIT_LIST_PAGES) {
		note_cut(b, c);
	} else if (page.next_token.len) {
		is_ok = page_follow(c, buf_str(&page.next_token), err);
		*has_next = is_ok;
	}
	cloud_page_release(&page);
	return is_ok;
}

/* Returns whether only this side fails: without its credentials the other can
 * still be queried. */
static bool is_refusal(const struct error *err)
{
	return err->code == ERROR_AUTH || err->code == ERROR_USAGE ||
	       err->code == ERROR_NETWORK;
}

/* Reports that time is up; the usual advice, to query less, does not help
 * here. */
static void tell_time_up(const struct cloud_profiles *c,
			 const struct http_response *response,
			 struct error *err)
{
	char count[COUNT_TEXT_BYTES];

	if (response->status || !c->list.count ||
	    !strstr(response->err.message, WIRE_SAYS_OUT_OF_TIME))
		return;
	format_count(c->list.count, count);
	error_set(err, ERROR_NETWORK,
		  "Cloud Profiler: the run's time was up when %s profiles were "
		  "listed; the list covers the whole project, however short "
		  "the window: raise --timeout, or repeat the command with "
		  "--cache, which continues from there",
		  count);
}

/* Fetches one page. On false *is_fatal: the run cannot go on. */
static bool list_page(struct backends *b, struct cloud_profiles *c,
		      bool *has_next, bool *is_fatal, struct error *err)
{
	const struct endpoint *e = &b->profiles.endpoint;
	struct http_request request = { 0 };
	struct http_response response = { 0 };
	bool is_ok = cloud_profiles_request(e, c->tokens[c->page_count - 1],
					    CLOUD_FIELDS_LIST, &request, err) &&
		     backends_send(b, &request, &response, 1, err);

	*is_fatal = !is_ok && !is_refusal(err);
	if (is_ok) {
		is_ok = cloud_profiles_answer(e, &response, err) == ANSWER_OK;
		if (is_ok)
			is_ok = read_page(b, c, &response, has_next, err);
		else
			tell_time_up(c, &response, err);
	}
	http_request_release(&request);
	http_response_release(&response);
	return is_ok;
}

static void note_listed(struct backends *b, const struct cloud_profiles *c)
{
	if (c->skipped)
		notes_add(b->notes,
			  "Cloud Profiler skipped %" PRId64 " profile%s of its "
							    "list that it "
							    "could not read; a "
							    "second try may "
							    "return them",
			  c->skipped, &"s"[c->skipped == 1]);
	if (c->nameless)
		notes_add(b->notes,
			  "Cloud Profiler: %" PRIu32 " listed profile%s "
						     "without service or time "
						     "left out",
			  c->nameless, &"s"[c->nameless == 1]);
}

static bool list_all(struct backends *b, struct cloud_profiles *c,
		     bool *is_fatal, struct error *err)
{
	bool has_next = true;

	c->page_count = 0;
	if (!page_follow(c, STR(""), err))
		return false;
	while (has_next)
		if (!list_page(b, c, &has_next, is_fatal, err))
			return false;
	c->is_listed = true;
	note_listed(b, c);
	return true;
}

const struct profile_list *cloud_profiles_list(struct backends *b,
					       bool *is_fatal,
					       struct error *err)
{
	struct cloud_profiles *c = cloud_get(&b->profiles, err);

	*is_fatal = !c;
	if (!c)
		return NULL;
	if (!c->is_listed && !c->is_failed &&
	    !list_all(b, c, is_fatal, &c->why))
		c->is_failed = true;
	if (c->is_failed)
		*err = c->why;
	return c->is_failed ? NULL : &c->list;
}

/* ---- bytes ---- */

/* The state of a fetch: profiles still missing, and their receiver. */
struct fetching {
	struct backends *backends;
	struct cloud_profiles *cloud;
	bool *is_left; /* by index */
	uint32_t left_count;
	uint32_t unasked; /* of these, not requested for lack of budget */
	cloud_profile_take take;
	void *context;
};

static bool is_wanted(void *context, struct str name)
{
	const struct fetching *f = context;
	uint32_t index = profile_list_find(&f->cloud->list, name);

	return index != MAP_NONE && f->is_left[index];
}

/* Caches bytes; a failure only means that they are fetched again. */
static bool keep_bytes(struct fetching *f, struct str name, struct str bytes,
		       struct error *err)
{
	struct cloud_profiles *c = f->cloud;

	if (!c->kept || c->lost.code)
		return true;
	if (profile_cache_add(c->kept, name, bytes, &c->lost))
		return true;
	if (c->lost.code != ERROR_MEMORY)
		return true;
	*err = c->lost;
	return false;
}

/* Takes the profiles cached by earlier runs. */
static bool take_kept(struct fetching *f, struct error *err)
{
	const struct profile_list *list = &f->cloud->list;
	struct buf bytes;
	bool is_ok = true, is_good;

	buf_init(&bytes, LIMIT_BODY_WIRE_BYTES);
	for (uint32_t i = 0; is_ok && f->cloud->kept && i < list->count; i++) {
		buf_clear(&bytes);
		if (!f->is_left[i] ||
		    !profile_cache_find(f->cloud->kept, list->profiles[i].name,
					&bytes))
			continue;
		f->is_left[i] = false;
		f->left_count--;
		is_ok = f->take(f->context, i, buf_str(&bytes), &is_good, err);
	}
	buf_release(&bytes);
	return is_ok;
}

static bool take_bytes(void *context, struct str name, struct str bytes,
		       struct error *err)
{
	struct fetching *f = context;
	uint32_t index = profile_list_find(&f->cloud->list, name);
	bool is_good = true;

	f->is_left[index] = false;
	f->left_count--;
	if (!f->take(f->context, index, bytes, &is_good, err))
		return false;
	return !is_good || keep_bytes(f, name, bytes, err);
}

static bool read_bytes(struct fetching *f, const struct http_response *response,
		       struct cloud_page *page, struct error *err)
{
	const struct cloud_take take = { is_wanted, take_bytes, f };

	return cloud_page_take(buf_str(&response->body), &take, page, err) ||
	       error_prefix(err, "Cloud Profiler");
}

/* Limits memory: the profiles of a few pages are held at once, mostly of 10 to
 * 100 KiB each. */
#define PROFILES_AT_ONCE 400u

/* Finds the next pages, from *at on, with missing profiles: at least one, and
 * more if they have few. */
static size_t pages_left(const struct fetching *f, const uint32_t *wanted,
			 uint32_t *at, uint32_t pages[LIMIT_PARALLEL_REQUESTS])
{
	uint32_t profiles = 0;
	size_t n = 0;

	for (; *at < f->cloud->page_count && n < LIMIT_PARALLEL_REQUESTS;
	     (*at)++) {
		if (!wanted[*at])
			continue;
		if (n && profiles + wanted[*at] > PROFILES_AT_ONCE)
			break;
		profiles += wanted[*at];
		pages[n++] = *at;
	}
	return n;
}

static bool take_answer(struct fetching *f,
			const struct http_response *response, struct error *err)
{
	enum answer answer = cloud_profiles_answer(
		&f->backends->profiles.endpoint, response, err);
	struct cloud_page page;
	bool is_ok;

	if (answer != ANSWER_OK) {
		f->cloud->is_token_bound = answer == ANSWER_TRY_NEXT;
		return f->cloud->is_token_bound;
	}
	cloud_page_init(&page);
	is_ok = read_bytes(f, response, &page, err);
	cloud_page_release(&page);
	return is_ok;
}

static bool ask_pages(struct fetching *f, const uint32_t *pages, size_t n,
		      bool *is_fatal, struct error *err)
{
	struct http_request requests[LIMIT_PARALLEL_REQUESTS] = { 0 };
	struct http_response responses[LIMIT_PARALLEL_REQUESTS] = { 0 };
	struct cloud_sieve sieves[LIMIT_PARALLEL_REQUESTS];
	bool is_ok = true;

	for (size_t i = 0; is_ok && i < n; i++) {
		is_ok = cloud_profiles_request(&f->backends->profiles.endpoint,
					       f->cloud->tokens[pages[i]],
					       CLOUD_FIELDS_BYTES, &requests[i],
					       err);
		cloud_sieve_init(&sieves[i], is_wanted, f);
		requests[i].sieve = &sieves[i].sieve;
	}
	is_ok = is_ok &&
		backends_send(f->backends, requests, responses, n, err);
	*is_fatal = !is_ok && !is_refusal(err);
	for (size_t i = 0; i < n; i++) {
		is_ok = is_ok && take_answer(f, &responses[i], err);
		http_request_release(&requests[i]);
		http_response_release(&responses[i]);
	}
	return is_ok;
}

/* Returns how many pages may be fetched: some requests are reserved for
 * later. */
static size_t page_room(const struct backends *b)
{
	size_t left = b->client ? http_requests_left(b->client)
				: LIMIT_REQUESTS_PER_RUN;

	return left > 2 * LIMIT_ORDINARY_REQUESTS
		       ? left - LIMIT_ORDINARY_REQUESTS
		       : left / 2;
}

/* Selects pages evenly if there are too many: the list may be sorted by
 * time. */
static void thin_out(struct fetching *f, uint32_t wanted[LIMIT_LIST_PAGES])
{
	size_t room = page_room(f->backends), count = 0, seen = 0;

	for (size_t i = 0; i < f->cloud->page_count; i++)
		count += wanted[i] > 0;
	for (size_t i = 0; i < f->cloud->page_count && count > room; i++) {
		if (!wanted[i])
			continue;
		seen++;
		if (seen * room / count != (seen - 1) * room / count)
			continue;
		f->unasked += wanted[i];
		wanted[i] = 0;
	}
}

/* Fetches pages by the tokens of the list. */
static bool fetch_pages(struct fetching *f, bool *is_fatal, struct error *err)
{
	uint32_t pages[LIMIT_PARALLEL_REQUESTS], at = 0;
	uint32_t wanted[LIMIT_LIST_PAGES] = { 0 };
	size_t n;

	for (uint32_t i = 0; i < f->cloud->list.count; i++)
		wanted[f->cloud->list.profiles[i].page] += f->is_left[i];
	thin_out(f, wanted);
	while (!f->cloud->is_token_bound &&
	       (n = pages_left(f, wanted, &at, pages)) > 0)
		if (!ask_pages(f, pages, n, is_fatal, err))
			return false;
	return true;
}

/* Fetches from the first page on, by the tokens that come with the bytes, until
 * all profiles are there. */
static bool fetch_through(struct fetching *f, bool *is_fatal, struct error *err)
{
	const struct endpoint *e = &f->backends->profiles.endpoint;
	struct cloud_page page;
	size_t room = page_room(f->backends);
	bool is_ok = true;

	f->unasked = 0;
	cloud_page_init(&page);
	for (size_t i = 0; is_ok && f->left_count; i++) {
		struct http_request request = { 0 };
		struct http_response response = { 0 };
		struct cloud_sieve sieve;

		if (i == room) {
			f->unasked = f->left_count;
			break;
		}
		is_ok = cloud_profiles_request(e, buf_str(&page.next_token),
					       CLOUD_FIELDS_BYTES, &request,
					       err);
		cloud_sieve_init(&sieve, is_wanted, f);
		request.sieve = &sieve.sieve;
		is_ok = is_ok &&
			backends_send(f->backends, &request, &response, 1, err);
		*is_fatal = !is_ok && !is_refusal(err);
		buf_clear(&page.next_token);
		is_ok = is_ok &&
			cloud_profiles_answer(e, &response, err) == ANSWER_OK &&
			read_bytes(f, &response, &page, err);
		http_request_release(&request);
		http_response_release(&response);
		if (!page.next_token.len)
			break;
	}
	cloud_page_release(&page);
	return is_ok;
}

static void note_left(const struct fetching *f)
{
	uint32_t missing = f->left_count - f->unasked;

	if (f->unasked)
		notes_add(f->backends->notes,
			  "Cloud Profiler: %" PRIu32 " profile%s not fetched: "
						     "their pages would take "
						     "more than %u requests; "
						     "use a shorter window",
			  f->unasked, &"s"[f->unasked == 1],
			  LIMIT_REQUESTS_PER_RUN);
	if (missing)
		notes_add(f->backends->notes,
			  "Cloud Profiler: %" PRIu32 " listed profile%s "
						     "returned without data",
			  missing, &"s"[missing == 1]);
}

bool cloud_profiles_fetch(struct backends *b, const bool *wanted,
			  cloud_profile_take take, void *context,
			  bool *is_fatal, struct error *err)
{
	struct cloud_profiles *c = b->profiles.room;
	struct fetching f = {
		.backends = b, .cloud = c, .take = take, .context = context
	};
	bool is_ok;

	*is_fatal = true;
	f.is_left = mem_calloc((size_t)c->list.count + 1, sizeof *f.is_left);
	if (!f.is_left)
		return error_memory(err, "the profiles");
	*is_fatal = false;
	memcpy(f.is_left, wanted, c->list.count * sizeof *wanted);
	for (uint32_t i = 0; i < c->list.count; i++)
		f.left_count += wanted[i];
	is_ok = take_kept(&f, err) && fetch_pages(&f, is_fatal, err) &&
		(!c->is_token_bound || fetch_through(&f, is_fatal, err));
	mem_free(f.is_left);
	if (is_ok)
		note_left(&f);
	return is_ok;
}
