/* SPDX-License-Identifier: Apache-2.0 */
#include "base/document.h"

#include <jansson.h>
#include <pthread.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

/* When out of memory, jansson 2.14 drops bytes of a string that it cannot grow,
 * and continues. */
static _Thread_local bool is_memory_lacking;

static void *alloc_watched(size_t size)
{
	void *ptr = mem_wiped_alloc(size);

	is_memory_lacking |= !ptr;
	return ptr;
}

static void set_functions(void)
{
	json_set_alloc_funcs(alloc_watched, mem_wiped_free);
}

/* jansson parses and frees recursively; its own limit is 2,048 levels. */
static bool check_depth(struct str text, struct error *err)
{
	bool is_string = false;
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '"')
			is_string = !is_string;
		else if (is_string)
			i += c == '\\';
		else if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth -= depth > 0;
		if (depth > LIMIT_JSON_DEPTH)
			return error_set(err, ERROR_LIMIT,
					 "byte %zu: nested deeper than the "
					 "limit of %d levels",
					 i, LIMIT_JSON_DEPTH);
	}
	return true;
}

/* jansson's own messages quote the document. */
static const char *error_words(enum json_error_code code)
{
	switch (code) {
	case json_error_premature_end_of_input:
		return "the JSON text ends too early";
	case json_error_end_of_input_expected:
		return "more stands behind it";
	case json_error_invalid_utf8:
		return "a byte that is no UTF-8";
	case json_error_duplicate_key:
		return "a member stands there twice";
	case json_error_numeric_overflow:
		return "a number is too large";
	case json_error_null_byte_in_key:
	case json_error_null_character:
		return "a name with a NUL";
	default:
		return "it is not valid JSON";
	}
}

/* struct document is an alias of json_t. */
static const json_t *json_of(const struct document *d)
{
	return (const json_t *)d;
}

static const struct document *document_of(const json_t *json)
{
	return (const struct document *)json;
}

struct document *document_read_within(struct str text, size_t most_bytes,
				      struct error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	json_error_t why;
	json_t *root;

	pthread_once(&once, set_functions);
	if (text.len > most_bytes) {
		error_set(err, ERROR_LIMIT, "it has more than %zu bytes",
			  most_bytes);
		return NULL;
	}
	if (!check_depth(text, err))
		return NULL;
	is_memory_lacking = false;
	root = json_loadb(text.len ? text.ptr : "", text.len,
			  JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
				  JSON_ALLOW_NUL,
			  &why);
	if (is_memory_lacking) {
		json_decref(root);
		root = NULL;
		error_memory(err, "a JSON document");
	} else if (!root) {
		error_set(err, ERROR_FORMAT, "byte %d: %s", why.position,
			  error_words(json_error_code(&why)));
	}
	return (struct document *)root;
}

struct document *document_read(struct str text, struct error *err)
{
	return document_read_within(text, LIMIT_DOCUMENT_BYTES, err);
}

struct document *document_read_object(struct str text, struct error *err)
{
	struct document *d = document_read(text, err);

	if (!d || document_is_object(d))
		return d;
	error_set(err, ERROR_FORMAT, "it is no JSON object");
	document_free(d);
	return NULL;
}

void document_free(struct document *d)
{
	json_decref((json_t *)d);
}

bool document_is_object(const struct document *d)
{
	return json_is_object(json_of(d));
}

bool document_is_list(const struct document *d)
{
	return json_is_array(json_of(d));
}

bool document_is_text(const struct document *d)
{
	return json_is_string(json_of(d));
}

bool document_is_number(const struct document *d)
{
	return json_is_number(json_of(d));
}

bool document_is_null(const struct document *d)
{
	return !d || json_is_null(json_of(d));
}

const struct document *document_get(const struct document *d, const char *key)
{
	return document_of(json_object_get(json_of(d), key));
}

size_t document_count(const struct document *d)
{
	return json_array_size(json_of(d));
}

const struct document *document_at(const struct document *d, size_t index)
{
	return document_of(json_array_get(json_of(d), index));
}

bool document_next(const struct document *d, void **place, struct str *key,
		   const struct document **value)
{
	/* Only read. */
	json_t *object = (json_t *)(uintptr_t)d;

	*place = *place ? json_object_iter_next(object, *place)
			: json_object_iter(object);
	if (!*place)
		return false;
	/* No key contains NUL. */
	*key = str_from(json_object_iter_key(*place));
	*value = document_of(json_object_iter_value(*place));
	return true;
}

struct str document_text(const struct document *d)
{
	const json_t *json = json_of(d);

	if (!json_is_string(json))
		return STR("");
	return (struct str){ json_string_value(json),
			     json_string_length(json) };
}

struct str document_text_at(const struct document *d, const char *key)
{
	return document_text(document_get(d, key));
}

bool document_i64(const struct document *d, int64_t *out)
{
	const json_t *json = json_of(d);

	*out = json_integer_value(json);
	if (json_is_string(json))
		return parse_i64(document_text(d), out);
	if (json_is_real(json)) {
		*out = sat_from_f64(json_real_value(json));
		return !compare_f64((double)*out, json_real_value(json));
	}
	return json_is_integer(json) || document_is_null(d);
}

bool document_f64(const struct document *d, double *out)
{
	*out = json_number_value(json_of(d));
	return json_is_number(json_of(d)) || document_is_null(d);
}

bool document_is_true(const struct document *d)
{
	return json_is_true(json_of(d));
}

bool document_is_false(const struct document *d)
{
	return json_is_false(json_of(d));
}

static int add_piece(const char *piece, size_t size, void *out)
{
	buf_add(out, piece, size);
	return 0;
}

/* Enough digits for numbers written by people, few enough to hide binary
 * rounding. */
#define REAL_DIGITS 15

void document_write(const struct document *d, struct buf *out)
{
	if (d && json_dump_callback(json_of(d), add_piece, out,
				    JSON_ENCODE_ANY | JSON_COMPACT |
					    JSON_REAL_PRECISION(REAL_DIGITS)))
		out->state = BUF_OUT_OF_MEMORY;
}
