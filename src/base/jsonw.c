/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/timefmt.h"

void jsonw_init(struct jsonw *w, struct out *out, int indent)
{
	memset(w, 0, sizeof *w);
	w->out = out;
	w->indent = indent;
}

static void break_line(struct jsonw *w)
{
	if (w->indent <= 0)
		return;
	out_char(w->out, '\n');
	out_repeat(w->out, " ", w->depth * (unsigned)w->indent);
}

/* Writing deeper than the reader would take is our own mistake; the levels
 * past the limit then share their comma. */
static bool *current_has_items(struct jsonw *w)
{
	unsigned last = LIMIT_JSON_DEPTH - 1;

	return &w->has_items[w->depth < last ? w->depth : last];
}

/* The comma and the line break that a new item or key needs. */
static void separate(struct jsonw *w)
{
	bool *has_items = current_has_items(w);
	bool is_in_line = w->is_after_key || w->depth == 0;

	w->is_after_key = false;
	if (is_in_line)
		return;
	if (*has_items)
		out_char(w->out, ',');
	break_line(w);
	*has_items = true;
}

static void open_level(struct jsonw *w, char bracket)
{
	separate(w);
	out_char(w->out, bracket);
	w->depth++;
	*current_has_items(w) = false;
}

static void close_level(struct jsonw *w, char bracket)
{
	bool had_items = *current_has_items(w);

	w->depth--;
	if (had_items)
		break_line(w);
	out_char(w->out, bracket);
}

void jsonw_object(struct jsonw *w)
{
	open_level(w, '{');
}

void jsonw_object_end(struct jsonw *w)
{
	close_level(w, '}');
}

void jsonw_array(struct jsonw *w)
{
	open_level(w, '[');
}

void jsonw_array_end(struct jsonw *w)
{
	close_level(w, ']');
}

static void write_quoted(struct jsonw *w, struct str text)
{
	out_char(w->out, '"');
	escape_json(w->out, text);
	out_char(w->out, '"');
}

void jsonw_key(struct jsonw *w, const char *key)
{
	jsonw_key_str(w, str_from(key));
}

void jsonw_key_str(struct jsonw *w, struct str key)
{
	separate(w);
	write_quoted(w, key);
	out_text(w->out, w->indent > 0 ? ": " : ":");
	w->is_after_key = true;
}

void jsonw_str(struct jsonw *w, struct str text)
{
	separate(w);
	write_quoted(w, text);
}

void jsonw_text(struct jsonw *w, const char *text)
{
	if (text)
		jsonw_str(w, str_from(text));
	else
		jsonw_null(w);
}

void jsonw_i64(struct jsonw *w, int64_t value)
{
	separate(w);
	out_int(w->out, value);
}

void jsonw_thousandths(struct jsonw *w, int64_t value)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	separate(w);
	outf(w->out, "%s%" PRIu64 ".%03u", value < 0 ? "-" : "", size / 1000,
	     (unsigned)(size % 1000));
}

/* Whatever the locale puts between the digits becomes a point. */
static void undo_locale(char *text)
{
	size_t start = strspn(text, "-0123456789");
	size_t width = strcspn(text + start, "0123456789eE");

	if (!width)
		return;
	text[start] = '.';
	memmove(text + start + 1, text + start + width,
		strlen(text + start + width) + 1);
}

static void cut_zeros(char *text)
{
	size_t len = strlen(text);

	if (!strchr(text, '.'))
		return;
	while (text[len - 1] == '0')
		len--;
	if (text[len - 1] == '.')
		len--;
	text[len] = '\0';
}

/* The fewest digits that read back as the same number. */
static void format_exact(double value, char *text, size_t size)
{
	for (int digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(text, size, "%.*g", digits, value);
		undo_locale(text);
		if (parse_f64(str_from(text), &back) && !(back < value) &&
		    !(back > value))
			return;
	}
}

void jsonw_f64(struct jsonw *w, double value, int max_decimals)
{
	char text[64];

	if (!isfinite(value)) {
		jsonw_null(w);
		return;
	}
	/* From 2^53 on a double has no decimals left to round. */
	if (max_decimals >= 0 && fabs(value) < 9007199254740992.0) {
		snprintf(text, sizeof text, "%.*f",
			 max_decimals < 17 ? max_decimals : 17, value);
		undo_locale(text);
		cut_zeros(text);
	} else {
		format_exact(value, text, sizeof text);
	}
	separate(w);
	out_text(w->out, strcmp(text, "-0") ? text : "0");
}

void jsonw_bool(struct jsonw *w, bool value)
{
	separate(w);
	out_text(w->out, value ? "true" : "false");
}

void jsonw_raw(struct jsonw *w, struct str json)
{
	separate(w);
	out_str(w->out, json);
}

void jsonw_null(struct jsonw *w)
{
	separate(w);
	out_text(w->out, "null");
}

void jsonw_pair_text(struct jsonw *w, const char *key, const char *text)
{
	jsonw_key(w, key);
	jsonw_text(w, text);
}

void jsonw_pair_str(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key(w, key);
	jsonw_str(w, text);
}

void jsonw_pair_known_str(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key(w, key);
	if (text.len)
		jsonw_str(w, text);
	else
		jsonw_null(w);
}

void jsonw_pair_i64(struct jsonw *w, const char *key, int64_t value)
{
	jsonw_key(w, key);
	jsonw_i64(w, value);
}

void jsonw_pair_known(struct jsonw *w, const char *key, int64_t value)
{
	jsonw_key(w, key);
	if (value < 0)
		jsonw_null(w);
	else
		jsonw_i64(w, value);
}

void jsonw_pair_f64(struct jsonw *w, const char *key, double value,
		    int max_decimals)
{
	jsonw_key(w, key);
	jsonw_f64(w, value, max_decimals);
}

void jsonw_pair_bool(struct jsonw *w, const char *key, bool value)
{
	jsonw_key(w, key);
	jsonw_bool(w, value);
}

void jsonw_pair_null(struct jsonw *w, const char *key)
{
	jsonw_key(w, key);
	jsonw_null(w);
}

void jsonw_pair_time(struct jsonw *w, const char *key, int64_t time_ns)
{
	char text[TIME_RFC3339_BYTES];

	format_rfc3339(time_ns, text);
	jsonw_pair_text(w, key, text);
}
