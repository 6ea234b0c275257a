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

#include "base/limits.h"
#include "base/out.h"
#include "base/str.h"

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

void jsonw_str(struct jsonw *w, struct str text);
void jsonw_text(struct jsonw *w, const char *text); /* NULL gives null */
void jsonw_i64(struct jsonw *w, int64_t value);
/* Thousandths as a number with three decimals, exactly: ns as us. */
void jsonw_thousandths(struct jsonw *w, int64_t value);
/* Rounded to max_decimals places, without final zeros; a negative number of
 * them gives the fewest digits that read back as the same double. */
void jsonw_f64(struct jsonw *w, double value, int max_decimals);
void jsonw_bool(struct jsonw *w, bool value);
/* What is JSON already, as it is. */
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

#endif
