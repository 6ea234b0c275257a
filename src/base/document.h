/* SPDX-License-Identifier: Apache-2.0
 *
 * Small JSON documents as trees, by jansson: tokens, server errors, assistant
 * messages, snapshots, state. Traces and profiles may be too large for a tree
 * and are read as a stream (base/json.h).
 *
 * Parsing is strict: duplicate keys, invalid UTF-8 and trailing data are
 * refused, as is input over the size or depth limit. Memory is overwritten when
 * freed, since some documents hold secrets.
 */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* A value within a document, or its root. All functions accept NULL, which
 * stands for an absent value. */
struct document;

/* The caller frees the result. Returns NULL on ERROR_FORMAT, ERROR_LIMIT or
 * ERROR_MEMORY; the message quotes nothing from the document. */
struct document *document_read(struct str text, struct error *err) MUST_CHECK;

/* Same, with another size limit. */
struct document *document_read_within(struct str text, size_t most_bytes,
				      struct error *err) MUST_CHECK;

/* Same as document_read(), but a root that is not an object is ERROR_FORMAT. */
struct document *document_read_object(struct str text,
				      struct error *err) MUST_CHECK;
void document_free(struct document *d);

/* Results of the following are borrowed from the document. */

bool document_is_object(const struct document *d);
bool document_is_list(const struct document *d);
bool document_is_text(const struct document *d);
bool document_is_number(const struct document *d);
bool document_is_null(const struct document *d); /* or absent */

/* Returns a member of an object, NULL if absent. */
const struct document *document_get(const struct document *d, const char *key);

/* Elements of a list. */
size_t document_count(const struct document *d);
const struct document *document_at(const struct document *d, size_t index);

/* Iterates over the members of an object in document order; *place starts as
 * NULL. Returns false after the last. */
bool document_next(const struct document *d, void **place, struct str *key,
		   const struct document **value);

/* Return the text of a string (of a member), "" for other values. */
struct str document_text(const struct document *d);
struct str document_text_at(const struct document *d, const char *key);

/* Reads an integer, or a string holding one. null gives 0; returns false for
 * other values. */
bool document_i64(const struct document *d, int64_t *out) MUST_CHECK;

/* Reads a number. null gives 0; returns false for other values. */
bool document_f64(const struct document *d, double *out) MUST_CHECK;

bool document_is_true(const struct document *d);
bool document_is_false(const struct document *d);

/* Appends the value as JSON on one line; nothing for NULL. Check the buffer
 * afterwards. */
void document_write(const struct document *d, struct buf *out);

#endif
