/* SPDX-License-Identifier: Apache-2.0
 *
 * Streaming JSON writer; takes care of commas, indentation and escaping
 * (escape_json()). Integers are exact; doubles use up to 17 significant digits,
 * independent of the locale; NaN and infinities become null.
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
#define JSONW_LIKE(template, args) /* checked on other systems */
#endif

struct jsonw {
	struct out *out;
	int indent; /* spaces per level; 0: all on one line */
	unsigned depth;
	bool has_items[LIMIT_JSON_DEPTH];
	bool is_after_key;
};

/* out is borrowed and records failures. */
void jsonw_init(struct jsonw *w, struct out *out, int indent);

void jsonw_object(struct jsonw *w);
void jsonw_object_end(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_array_end(struct jsonw *w);

/* Write the key of the next value, escaped. */
void jsonw_key(struct jsonw *w, const char *key);
void jsonw_key_str(struct jsonw *w, struct str key);
/* Writes the key, with value null if !is_known. Returns whether the caller has
 * to write the value. */
bool jsonw_key_known(struct jsonw *w, const char *key, bool is_known);

void jsonw_str(struct jsonw *w, struct str text);
void jsonw_text(struct jsonw *w, const char *text); /* NULL gives null */
void jsonw_i64(struct jsonw *w, int64_t value);
/* Writes value / 1000 exactly, with three decimals: ns as us. */
void jsonw_thousandths(struct jsonw *w, int64_t value);
/* Rounds to max_decimals places and drops trailing zeros; negative: writes the
 * fewest digits that read back as the same double. */
void jsonw_f64(struct jsonw *w, double value, int max_decimals);
void jsonw_bool(struct jsonw *w, bool value);
/* Writes text that is JSON already. */
void jsonw_raw(struct jsonw *w, struct str json);
void jsonw_null(struct jsonw *w);

/* Write a key and its value. */
void jsonw_pair_text(struct jsonw *w, const char *key, const char *text);
void jsonw_pair_str(struct jsonw *w, const char *key, struct str text);
/* Empty means unknown and gives null. */
void jsonw_pair_known_str(struct jsonw *w, const char *key, struct str text);
void jsonw_pair_i64(struct jsonw *w, const char *key, int64_t value);
/* Negative means unknown and gives null. */
void jsonw_pair_known(struct jsonw *w, const char *key, int64_t value);
void jsonw_pair_f64(struct jsonw *w, const char *key, double value,
		    int max_decimals);
void jsonw_pair_bool(struct jsonw *w, const char *key, bool value);

/* RFC 3339, UTC. */
void jsonw_pair_time(struct jsonw *w, const char *key, int64_t time_ns);

/* Writes values and keys by a template, JSON with fewer quotes:
 *
 *	jsonw_addf(w, "{kind:page, 'x y':[%zu, %.3f], name:%-.*s, fires:%i",
 *		   count, share, STR_WHOLE(name), does_fire);
 *
 * A word before a colon is a key; other words are strings, unless they are a
 * number, true, false or null. Words with characters other than letters,
 * digits, "_.$-" and the like are single-quoted. Commas only help the reader.
 * What one call opens another may close. Conversions, whose arguments the
 * compiler checks:
 *
 *	%s      string; NULL gives null. Also as a key
 *	%.*s    a str, by STR_WHOLE(). Also as a key. %*s: null when its
 *	        ptr is NULL
 *	%d %jd  an int, an int64_t; %+jd is a time in ns as RFC 3339, UTC
 *	%u %zu  an unsigned int, a size_t
 *	%.3f    a double, as by jsonw_f64(); %g: with all its digits
 *	%i      an int or bool, as true or false
 *
 * With a minus, unknown values give null: empty strs, negative numbers, and 0
 * of unsigned ones. */
void jsonw_addf(struct jsonw *w, const char *template, ...) JSONW_LIKE(2, 3);

#endif
