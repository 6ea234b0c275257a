/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/prices.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/str.h"

/* Sanity limits: a larger price is probably in the wrong unit. */
#define PRICE_MOST 1e6
#define AMOUNT_MOST 1e15
#define CURRENCY_BYTES 16

/* Parses a number above 0: of requests, instances, vCPU. */
static bool amount_parse(const char *text, double *out, struct error *err)
{
	if (parse_f64(str_from(text), out) && *out > 0 && *out <= AMOUNT_MOST)
		return true;
	return error_set(err, ERROR_USAGE, "'%s' is not a number above 0",
			 value_quote(text).text);
}

/* Parses a number of 0 or more; has_time: per second, with "/h" per hour. */
static bool price_parse(const char *text, bool has_time, double *out,
			struct error *err)
{
	struct str number = str_from(text);
	double seconds = 1;

	if (has_time && str_ends(number, STR("/h"))) {
		number.len -= 2;
		seconds = 3600;
	} else if (has_time && str_ends(number, STR("/s"))) {
		number.len -= 2;
	}
	if (!parse_f64(number, out) || !(*out >= 0) || *out > PRICE_MOST)
		return error_set(err, ERROR_USAGE,
				 has_time ? "'%s' is not a price: a number of "
					    "your currency a second, or with "
					    "/h an hour"
					  : "'%s' is not a price: a number of "
					    "your currency",
				 value_quote(text).text);
	*out /= seconds;
	return true;
}

bool currency_check(const char *text, struct error *err)
{
	size_t len = strlen(text);
	bool is_good = len > 0 && len <= CURRENCY_BYTES;

	for (size_t i = 0; i < len; i++)
		is_good &= (unsigned char)text[i] > ' ' && text[i] != 127;
	return is_good || error_set(err, ERROR_USAGE,
				    "'%s' is not the name of a currency: up to "
				    "%d bytes without blanks",
				    value_quote(text).text, CURRENCY_BYTES);
}

double amount_of(const char *text)
{
	struct error ignored;
	double value;

	return text && amount_parse(text, &value, &ignored) ? value : 0;
}

bool amount_check(const char *text, struct error *err)
{
	double ignored;

	return amount_parse(text, &ignored, err);
}

static bool add_requests(struct request_counts *out, double *each,
			 struct str line, struct error *err)
{
	struct str number = str_trim(str_slice(line, 0, str_find(line, STR("#"))));

	if (!number.len)
		return true;
	if (!parse_f64(number, &each[out->count]) ||
	    !(each[out->count] > 0 && each[out->count] <= AMOUNT_MOST))
		return error_set(err, ERROR_USAGE,
				 "'%s' is not a number above 0",
				 text_quote(number).text);
	out->sum += each[out->count++];
	return true;
}

static bool count_lines(struct str rest, const char *path, struct arena *arena,
			struct request_counts *out, struct error *err)
{
	/* A line has at least a digit and a line feed, except the last. */
	double *each = arena_array(arena, rest.len / 2 + 1, sizeof *each);

	if (!each)
		return arena_fail(arena, "the requests", err);
	out->each = each;
	for (unsigned line = 1; rest.len; line++) {
		size_t end = str_find(rest, STR("\n"));

		if (!add_requests(out, each, str_slice(rest, 0, end), err))
			return error_prefix(err, "%s:%u", path, line);
		rest = end == SIZE_MAX ? STR("")
				       : str_slice(rest, end + 1, rest.len);
	}
	return out->count ||
	       error_set(err, ERROR_USAGE, "%s has no number in it", path);
}

bool requests_read(const char *option, const char *text, struct arena *arena,
		   struct request_counts *out, struct error *err)
{
	struct buf lines;
	double number;
	bool is_read;

	*out = (struct request_counts){ .count = 0 };
	if (!text)
		return true;
	buf_init(&lines, LIMIT_REQUESTS_FILE_BYTES);
	is_read = parse_f64(str_from(text), &number)
			  ? amount_check(text, err) &&
				    count_lines(str_from(text), option, arena,
						out, err)
			  : file_read(text, &lines, err) &&
				    count_lines(buf_str(&lines), text, arena,
						out, err);
	buf_release(&lines);
	return is_read || error_prefix(err, "%s", option);
}

bool price_check(const char *text, struct error *err)
{
	double ignored;

	return price_parse(text, true, &ignored, err);
}

bool price_request_check(const char *text, struct error *err)
{
	double ignored;

	return price_parse(text, false, &ignored, err);
}

/* Prices from options, the configuration, or a file; see model/prices.h. */

struct price_key {
	const char *name;
	size_t at; /* offset in struct price_texts */
	bool (*check)(const char *text, struct error *err);
};

static const struct price_key keys[] = {
	{ "cpu", offsetof(struct price_texts, cpu), price_check },
	{ "memory", offsetof(struct price_texts, memory), price_check },
	{ "request", offsetof(struct price_texts, request), price_request_check },
	{ "currency", offsetof(struct price_texts, currency), currency_check },
	{ "note", offsetof(struct price_texts, note), NULL },
};

static bool read_line(struct price_texts *t, struct str line, struct arena *arena,
		      struct error *err)
{
	size_t equals = str_find(line, STR("="));
	const struct price_key *key = NULL;
	struct str name, value;
	const char **at;

	if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
		return true;
	if (equals == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "neither KEY = VALUE nor a comment");
	name = str_trim(str_slice(line, 0, equals));
	value = str_trim(str_slice(line, equals + 1, line.len));
	for (size_t i = 0; i < COUNT_OF(keys) && !key; i++)
		if (str_equal(str_from(keys[i].name), name))
			key = &keys[i];
	if (!key)
		return error_set(err, ERROR_USAGE,
				 "unknown key '%s': there are cpu, memory, "
				 "request, currency and note",
				 text_quote(name).text);
	at = (const char **)(void *)((char *)t + key->at);
	if (*at)
		return error_set(err, ERROR_USAGE, "%s stands there twice",
				 key->name);
	*at = arena_str(arena, value).ptr;
	if (!*at)
		return arena_fail(arena, "the prices", err);
	return !key->check || key->check(*at, err);
}

static bool read_lines(struct price_texts *t, struct str rest, const char *path,
		       struct arena *arena, struct error *err)
{
	for (unsigned line = 1; rest.len; line++) {
		size_t end = str_find(rest, STR("\n"));
		struct str text = str_trim(str_slice(rest, 0, end));

		if (memchr(text.ptr, '\0', text.len))
			error_set(err, ERROR_USAGE, "this is no text");
		else if (read_line(t, text, arena, err))
			goto next;
		return error_prefix(err, "%s:%u", path, line);
	next:
		rest = end == SIZE_MAX ? STR("")
				       : str_slice(rest, end + 1, rest.len);
	}
	return true;
}

bool prices_read_file(struct price_texts *t, const char *path,
		      struct arena *arena, struct error *err)
{
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_PRICE_FILE_BYTES);
	done = file_read(path, &text, err) &&
	       read_lines(t, buf_str(&text), path, arena, err);
	buf_release(&text);
	return done;
}

bool prices_parse(const struct price_texts *t, struct cost_prices *out,
		  struct error *err)
{
	*out = (struct cost_prices){ .cpu = -1,
				     .memory = -1,
				     .request = -1,
				     .currency = t->currency,
				     .note = t->note };
	return (!t->cpu || price_parse(t->cpu, true, &out->cpu, err)) &&
	       (!t->memory ||
		price_parse(t->memory, true, &out->memory, err)) &&
	       (!t->request ||
		price_parse(t->request, false, &out->request, err));
}
