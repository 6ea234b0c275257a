/* SPDX-License-Identifier: Apache-2.0
 *
 * Streaming JSON writer: keeps commas, indentation and escaping
 * (escape_json) right. Integers are exact; doubles use up to 17 significant
 * digits, no locale; NaN and infinities become null.
 */
#ifndef BASE_JSONW_H
#define BASE_JSONW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/str.h"
#include "base/system.h"

#ifdef SYSTEM_INT64_IS_INTMAX
#define JSONW_LIKE(template, args) PRINTF_LIKE(template, args)
#else
#define JSONW_LIKE(template, args) /* builds on other systems check them */
#endif

struct jsonw {
	struct out *out;
	int indent; /* blanks a level; 0: all on one line */
	unsigned depth;
	bool has_items[LIMIT_JSON_DEPTH];
	bool is_after_key;
};

/* out is borrowed and keeps the failures. */
void jsonw_init(struct jsonw *w, struct out *out, int indent);

void jsonw_object(struct jsonw *w);
void jsonw_object_end(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_array_end(struct jsonw *w);

/* The next value's name; trusted text of ours or foreign, both escaped. */
void jsonw_key(struct jsonw *w, const char *key);
void jsonw_key_str(struct jsonw *w, struct str key);
/* Returns whether its value is to be written; null stands for what is not
 * known. */
bool jsonw_key_known(struct jsonw *w, const char *key, bool is_known);

void jsonw_str(struct jsonw *w, struct str text);
void jsonw_text(struct jsonw *w, const char *text); /* NULL gives null */
void jsonw_i64(struct jsonw *w, int64_t value);
/* Thousandths as a number with three decimals, exactly: ns as us. */
void jsonw_thousandths(struct jsonw *w, int64_t value);
/* Rounded to max_decimals places, without final zeros; a negative number of
 * them gives the fewest digits that read back as the same double. */
void jsonw_f64(struct jsonw *w, double value, int max_decimals);
void jsonw_bool(struct jsonw *w, bool value);
/* Writes what is JSON already, as it is. */
void jsonw_raw(struct jsonw *w, struct str json);
void jsonw_null(struct jsonw *w);

/* A key and its value. */
void jsonw_pair_text(struct jsonw *w, const char *key, const char *text);
void jsonw_pair_str(struct jsonw *w, const char *key, struct str text);
/* Empty means not known and gives null. */
void jsonw_pair_known_str(struct jsonw *w, const char *key, struct str text);
void jsonw_pair_i64(struct jsonw *w, const char *key, int64_t value);
/* Negative means not known and gives null. */
void jsonw_pair_known(struct jsonw *w, const char *key, int64_t value);
void jsonw_pair_f64(struct jsonw *w, const char *key, double value,
		    int max_decimals);
void jsonw_pair_bool(struct jsonw *w, const char *key, bool value);
void jsonw_pair_null(struct jsonw *w, const char *key);
/* RFC 3339, UTC. */
void jsonw_pair_time(struct jsonw *w, const char *key, int64_t time_ns);

/* Values and keys by a template, JSON with less quotes:
 *
 *	jsonw_addf(w, "{kind:page, 'x y':[%zu, %.3f], name:%-.*s, fires:%i",
 *		   count, share, STR_WHOLE(name), does_fire);
 *
 * A word is a key before a colon, else text, unless it is a number, true, false
 * or null; words with other characters than letters, digits, "_.$-" and the like
 * stand between single quotes. Commas are for the reader alone. What is opened
 * may be closed by another call. Slots, whose arguments the compiler checks:
 *
 *	%s      text; NULL gives null. Also a key
 *	%.*s    a str, by STR_WHOLE(). Also a key. %*s: null when its
 *	        ptr is NULL
 *	%d %jd  an int, an int64_t; %+jd is a time in ns as RFC 3339, UTC
 *	%u %zu  an unsigned int, a size_t
 *	%.3f    a double, as by jsonw_f64(); %g: with all digits that it has
 *	%i      an int or bool, as true or false
 *
 * With a minus what is not known is null: empty strs, negative numbers, of
 * unsigned ones 0. */
void jsonw_addf(struct jsonw *w, const char *template, ...) JSONW_LIKE(2, 3);

#endif
