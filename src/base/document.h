/* SPDX-License-Identifier: Apache-2.0
 *
 * Small JSON documents as trees, by jansson: tokens, errors of servers,
 * messages of assistants, snapshots, state. Traces and profiles may be too
 * large for a tree and are read as a stream (base/json.h).
 *
 * What is no JSON to the letter is refused: a member that stands there twice,
 * bytes that are no UTF-8, more behind it. So is what is too large or too deep.
 * Memory is overwritten when freed, since some documents hold secrets.
 */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* A value of a document, or all of it. Every function takes NULL, a value that
 * is not there. */
struct document;

/* To be freed. NULL: ERROR_FORMAT, ERROR_LIMIT or ERROR_MEMORY, with a message
 * that has no text of the document. */
struct document *document_read(struct str text, struct error *err) MUST_CHECK;

/* The same of a text that may be as large as this. */
struct document *document_read_within(struct str text, size_t most_bytes,
				      struct error *err) MUST_CHECK;

/* As document_read(); another value than an object is ERROR_FORMAT. */
struct document *document_read_object(struct str text,
				      struct error *err) MUST_CHECK;
void document_free(struct document *d);

/* The results of these are borrowed from the document. */

bool document_is_object(const struct document *d);
bool document_is_list(const struct document *d);
bool document_is_text(const struct document *d);
bool document_is_number(const struct document *d);
bool document_is_null(const struct document *d); /* or not there */

/* An object's member; NULL: there is none. */
const struct document *document_get(const struct document *d, const char *key);

/* A list's elements. */
size_t document_count(const struct document *d);
const struct document *document_at(const struct document *d, size_t index);

/* An object's members, in the order of the text: true while there is one more.
 * *place is NULL before the first. */
bool document_next(const struct document *d, void **place, struct str *key,
		   const struct document **value);

/* A string's text, "" of other values; of an object's member. */
struct str document_text(const struct document *d);
struct str document_text_at(const struct document *d, const char *key);

/* A whole number, or a text that is one. 0 of null; false of others. */
bool document_i64(const struct document *d, int64_t *out) MUST_CHECK;

/* A number. 0 of null; false of others. */
bool document_f64(const struct document *d, double *out) MUST_CHECK;

bool document_is_true(const struct document *d);
bool document_is_false(const struct document *d);

/* As JSON on one line, appended, without text for NULL; the buffer tells whether
 * there was room. */
void document_write(const struct document *d, struct buf *out);

#endif
