/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http_receive.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "wire/redact.h"

/* Not more room than this on the word of a server. */
#define EXPECTED_MAX_BYTES (4 * MIB)

/* With the byte behind its end. */
#define ERROR_CAP_BYTES (LIMIT_ERROR_BODY_BYTES + 1)

/* A refusal may hold what it was sent, a small answer a token. */
static void release_body(struct buf *body)
{
	if (body->cap <= ERROR_CAP_BYTES)
		buf_wipe(body);
	buf_release(body);
}

void receive_init(struct receive *r, struct http_response *response,
		  const struct http_sieve *sieve)
{
	size_t limit = LIMIT_BODY_PLAIN_BYTES;

	*r = (struct receive){ .response = response, .sieve = sieve };
	if (sieve)
		sieve->begin(sieve->context);
	release_body(&response->body);
	*response = (struct http_response){ .tries = response->tries };
	buf_init(&response->body, limit);
	buf_init(&r->packed, LIMIT_BODY_WIRE_BYTES);
	buf_init(&r->piece, limit);
}

void receive_release(struct receive *r)
{
	gz_stream_free(r->gz);
	r->gz = NULL;
	release_body(&r->packed);
	buf_release(&r->piece);
}

static void copy_text(char *out, size_t size, struct str text)
{
	size_t len = utf8_floor(text.ptr, text.len, size - 1);

	if (len > size - 1)
		len = size - 1;
	memcpy(out, text.ptr, len);
	out[len] = '\0';
	/* A NUL inside would be a shorter text to us than to the server. */
	for (size_t i = 0; i < len; i++)
		if (out[i] == '\0')
			out[i] = ' ';
}

static void lower_text(char *text)
{
	for (; *text; text++)
		*text = ascii_lower(*text);
}

static void set_content_type(struct http_response *response, struct str value)
{
	size_t end = str_find(value, STR(";"));

	copy_text(response->content_type, sizeof response->content_type,
		  str_trim(str_slice(value, 0, end)));
	lower_text(response->content_type);
}

static void set_location(struct http_response *response, struct str value)
{
	struct buf shown;

	buf_init(&shown, LIMIT_HEADER_BYTES * 4);
	/* At once, and wiped: it may repeat what was sent. */
	if (!buf_reserve(&shown, value.len * 3 + 1))
		return;
	url_redact(&shown, value);
	copy_text(response->location, sizeof response->location,
		  buf_str(&shown));
	buf_wipe(&shown);
	buf_release(&shown);
}

/* A status line begins an answer; one of 1xx was only interim. */
static bool start_anew(struct receive *r, struct str line, struct error *err)
{
	size_t blank = str_find(line, STR(" "));
	struct http_response *response = r->response;
	uint64_t status = 0;

	if (blank == SIZE_MAX ||
	    !parse_u64(str_slice(line, blank + 1, 3), &status))
		return error_set(err, ERROR_NETWORK,
				 "the answer begins with a status that cannot "
				 "be read: is it an http server?");
	response->status = (int)status;
	response->content_type[0] = '\0';
	response->location[0] = '\0';
	response->server_date[0] = '\0';
	response->metadata_flavor[0] = '\0';
	r->content_encoding[0] = '\0';
	r->retry_after[0] = '\0';
	r->is_head_whole = false;
	r->has_length = false;
	r->is_chunked = false;
	if (status != 206)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "the answer is a part (206), though all was asked "
			 "for: does a proxy on the way keep parts?");
}

/* The library takes the number in front and the last of several; who guesses
 * may take half an answer for all of it (RFC 9112, 6.3). */
static bool set_length(struct receive *r, struct str value, struct error *err)
{
	uint64_t bytes;
	size_t comma;

	for (;;) {
		comma = str_find(value, STR(","));
		if (!parse_u64(str_trim(str_slice(value, 0, comma)), &bytes) ||
		    (r->has_length && bytes != r->length_bytes))
			return error_set(err, ERROR_FORMAT,
					 "the answer's Content-Length makes no "
					 "sense, so that it may be cut");
		r->has_length = true;
		r->length_bytes = bytes;
		if (comma == SIZE_MAX)
			return true;
		value = str_slice(value, comma + 1, value.len);
	}
}

/* Others the library would undo unseen and uncounted. */
static bool set_transfer(struct receive *r, struct str value, struct error *err)
{
	if (str_equal_nocase(value, STR("identity")))
		return true;
	if (!str_equal_nocase(value, STR("chunked")) || r->is_chunked)
		return error_set(err, ERROR_FORMAT,
				 "the answer is sent as \"%.*s\", though only "
				 "chunks can be read",
				 value.len > 40 ? 40 : (int)value.len,
				 value.ptr);
	r->is_chunked = true;
	return true;
}

static void keep_header(struct receive *r, struct str name, struct str value)
{
	struct http_response *response = r->response;

	if (str_equal_nocase(name, STR("content-type")))
		set_content_type(response, value);
	else if (str_equal_nocase(name, STR("location")))
		set_location(response, value);
	else if (str_equal_nocase(name, STR("date")))
		copy_text(response->server_date, sizeof response->server_date,
			  value);
	else if (str_equal_nocase(name, STR("metadata-flavor")))
		copy_text(response->metadata_flavor,
			  sizeof response->metadata_flavor, value);
	else if (str_equal_nocase(name, STR("retry-after")))
		copy_text(r->retry_after, sizeof r->retry_after, value);
	else if (str_equal_nocase(name, STR("content-encoding")) && value.len)
		copy_text(r->content_encoding, sizeof r->content_encoding,
			  value);
}

bool receive_header(struct receive *r, struct str line, struct error *err)
{
	struct str name = header_name(line), value = header_value(line);
	bool is_interim = r->response->status < 200;

	r->header_bytes += line.len;
	if (r->header_bytes > LIMIT_HEADER_BYTES)
		return error_set(err, ERROR_LIMIT,
				 "the answer's headers are larger than %zu KiB",
				 LIMIT_HEADER_BYTES / KIB);
	if (line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t') &&
	    ++r->fold_count > LIMIT_HEADER_FOLDS)
		return error_set(
			err, ERROR_LIMIT,
			"the answer has a header of more than %u lines",
			LIMIT_HEADER_FOLDS);
	/* What stands behind chunks changes nothing any more. */
	if (r->is_head_whole && !is_interim)
		return true;
	if (str_starts(line, STR("HTTP/")))
		return start_anew(r, str_trim(line), err);
	if (str_trim(line).len == 0)
		r->is_head_whole = true;
	if (str_equal_nocase(name, STR("content-length")))
		return set_length(r, value, err);
	if (str_equal_nocase(name, STR("transfer-encoding")))
		return set_transfer(r, value, err);
	keep_header(r, name, value);
	return true;
}

static bool is_gzip(struct str encoding)
{
	return str_equal_nocase(encoding, STR("gzip")) ||
	       str_equal_nocase(encoding, STR("x-gzip"));
}

/* Growing by and by, each of several bodies moves, and is copied. */
static bool make_room(const struct receive *r, struct buf *body,
		      struct error *err)
{
	uint64_t bytes = r->has_length ? r->length_bytes : 0;

	if (bytes > EXPECTED_MAX_BYTES)
		bytes = EXPECTED_MAX_BYTES;
	return buf_reserve(body, (size_t)bytes) ||
	       error_memory(err, "an answer");
}

static bool begin_body(struct receive *r, struct error *err)
{
	struct str encoding = str_from(r->content_encoding);
	bool is_kept = http_is_success(r->response) && !r->sieve;

	/* Only now are status and encoding certain. */
	r->is_body_begun = true;
	if (!http_is_success(r->response)) {
		r->response->body.max_bytes = LIMIT_ERROR_BODY_BYTES;
		/* At once: growing would leave copies of what it repeats. */
		if (!buf_reserve(&r->response->body, LIMIT_ERROR_BODY_BYTES))
			return error_memory(err, "an answer");
	}
	if (encoding.len == 0 || str_equal_nocase(encoding, STR("identity")))
		return !is_kept || make_room(r, &r->response->body, err);
	/* At once is three times as fast as by and by. */
	r->is_packed = is_kept && is_gzip(encoding);
	if (r->is_packed)
		return make_room(r, &r->packed, err);
	if (is_gzip(encoding) || str_equal_nocase(encoding, STR("deflate"))) {
		r->gz = gz_stream_new(r->sieve ? LIMIT_SIEVED_BYTES
					       : r->response->body.max_bytes,
				      err);
		return r->gz != NULL;
	}
	return error_set(err, ERROR_FORMAT,
			 "the answer is packed as \"%.*s\", though only gzip "
			 "was offered",
			 STR_ARGS(encoding));
}

/* Of an error page the beginning is enough, whatever comes after. */
static bool take_error_page(struct receive *r, struct str bytes)
{
	struct buf *body = &r->response->body;
	struct error ignored;

	if (r->gz) {
		if (!gz_stream_feed(r->gz, bytes, body, &ignored))
			r->is_enough = true;
	} else {
		size_t room = body->max_bytes - body->len;

		buf_add_str(body, str_slice(bytes, 0, room));
		r->is_enough = bytes.len >= room;
	}
	return !r->is_enough;
}

static bool over_plain(struct error *err)
{
	return error_set(err, ERROR_LIMIT,
			 "the answer is larger than %zu MiB unpacked: ask for "
			 "less (a shorter window)",
			 LIMIT_BODY_PLAIN_BYTES / MIB);
}

static bool check_body(const struct buf *body, struct error *err)
{
	return body->state != BUF_OVER_LIMIT
		       ? buf_check(body, "the answer", err)
		       : over_plain(err);
}

static bool sieve_body(struct receive *r, struct str bytes, struct error *err)
{
	if (r->gz) {
		buf_clear(&r->piece);
		if (!gz_stream_feed(r->gz, bytes, &r->piece, err))
			return false;
		bytes = buf_str(&r->piece);
	}
	r->sieve->pass(r->sieve->context, bytes, &r->response->body);
	return check_body(&r->response->body, err);
}

bool receive_body(struct receive *r, struct str bytes, struct error *err)
{
	struct buf *body = &r->response->body;
	size_t limit = r->sieve ? LIMIT_SIEVED_BYTES : LIMIT_BODY_WIRE_BYTES;

	r->response->wire_bytes += (int64_t)bytes.len;
	if (!r->is_body_begun && !begin_body(r, err))
		return false;
	if (!http_is_success(r->response))
		return take_error_page(r, bytes);
	if (r->response->wire_bytes > (int64_t)limit)
		return error_set(err, ERROR_LIMIT,
				 "the answer is larger than %zu MiB: ask for "
				 "less (a shorter window)",
				 limit / MIB);
	if (r->sieve)
		return sieve_body(r, bytes, err);
	if (r->gz)
		return gz_stream_feed(r->gz, bytes, body, err);
	if (r->is_packed) {
		buf_add_str(&r->packed, bytes);
		return buf_check(&r->packed, "the answer", err);
	}
	buf_add_str(body, bytes);
	return check_body(body, err);
}

/* Good as far as it goes: the rest was lost on the way. */
static bool is_cut(struct str packed)
{
	struct error ignored;
	struct gz_stream *gz = gz_stream_new(LIMIT_BODY_PLAIN_BYTES, &ignored);
	struct buf plain;
	bool is_good;

	if (!gz)
		return false;
	buf_init(&plain, LIMIT_BODY_PLAIN_BYTES);
	is_good = gz_stream_feed(gz, packed, &plain, &ignored) &&
		  !gz_stream_finish(gz, &ignored);
	release_body(&plain);
	gz_stream_free(gz);
	return is_good;
}

static bool unpack(struct receive *r, struct error *err)
{
	if (gz_inflate(buf_str(&r->packed), "content", &r->response->body, err))
		return true;
	r->is_cut = err->code == ERROR_FORMAT && is_cut(buf_str(&r->packed));
	return false;
}

/* JSON and text are read to their end, or are of no use; the messages of
 * protobuf may be cut between two fields and nobody sees it. */
static bool tells_its_end(const struct receive *r)
{
	const struct http_response *response = r->response;
	struct str body = buf_str(&response->body);

	return r->sieve || r->is_packed || r->gz ||
	       str_starts(body, STR("{")) || str_starts(body, STR("[")) ||
	       str_starts(str_from(response->content_type), STR("text/"));
}

/* An answer that ends with its connection looks the same when it is cut. */
static bool check_end(struct receive *r, struct error *err)
{
	const struct http_response *response = r->response;

	if (!http_is_success(response) || response->status == 204 ||
	    r->has_length || r->is_chunked)
		return true;
	r->is_cut = response->wire_bytes == 0;
	if (!r->is_cut && tells_its_end(r))
		return true;
	return error_set(err, ERROR_NETWORK,
			 "nothing tells whether the answer is whole (%lld "
			 "bytes without Content-Length): does a proxy on the "
			 "way speak HTTP/1.0?",
			 (long long)response->wire_bytes);
}

bool receive_finish(struct receive *r, struct error *err)
{
	if (!r->is_head_whole) {
		r->is_cut = true;
		return error_set(err, ERROR_NETWORK,
				 "the answer ends in its head");
	}
	if (!check_end(r, err))
		return false;
	if (r->is_packed)
		return unpack(r, err);
	if (!r->gz || !http_is_success(r->response))
		return true;
	r->is_cut = !gz_stream_finish(r->gz, err);
	return !r->is_cut;
}
