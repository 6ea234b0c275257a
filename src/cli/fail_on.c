/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fail_on.h"

#include "base/num.h"
#include "base/suggest.h"
#include "wire/redact.h"

/* In the order of enum gate_kind. */
static const char *const names[GATE_COUNT] = { "total", "function", "new",
					       "latency" };

/* Nothing grows a thousandfold unnoticed. */
#define MOST_PERCENT 100000

static bool fail_name(struct str name, struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, name);
	for (int g = 0; g < GATE_COUNT; g++)
		suggestion_offer(&near, names[g]);
	return error_set(err, ERROR_USAGE,
			 "'%s' can have no limit%s%s%s (total, function, "
			 "new or latency can)",
			 text_quote(name).text,
			 near.best[0] ? "; did you mean " : "", near.best,
			 near.best[0] ? "?" : "");
}

/* "function>5%" */
static bool parse_limit(struct str text, struct gate_limits *out,
			struct error *err)
{
	size_t at = str_find(text, STR(">"));
	struct str name, value;
	double percent;
	int g = 0;

	if (at == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "'%s' is not of the form NAME>PERCENT%%, such "
				 "as function>5%%",
				 text_quote(text).text);
	name = str_trim(str_slice(text, 0, at));
	value = str_trim(str_slice(text, at + 1, text.len));
	while (g < GATE_COUNT && !str_equal(name, str_from(names[g])))
		g++;
	if (g == GATE_COUNT)
		return fail_name(name, err);
	if (str_ends(value, STR("%")))
		value.len--;
	if (!parse_f64(str_trim(value), &percent) || percent < 0 ||
	    percent > MOST_PERCENT)
		return error_set(err, ERROR_USAGE,
				 "'%s' is no limit of %s: percents from 0 to "
				 "%d",
				 text_quote(value).text, names[g],
				 MOST_PERCENT);
	if (out->limit[g] >= 0)
		return error_set(err, ERROR_USAGE, "%s has two limits",
				 names[g]);
	out->limit[g] = percent / 100;
	return true;
}

bool fail_on_parse(const char *text, struct gate_limits *out,
		   struct error *err)
{
	struct str rest = str_from(text);

	for (int g = 0; g < GATE_COUNT; g++)
		out->limit[g] = -1;
	for (;;) {
		size_t comma = str_find(rest, STR(","));
		size_t end = comma == SIZE_MAX ? rest.len : comma;

		if (!parse_limit(str_trim(str_slice(rest, 0, end)), out, err))
			return false;
		if (comma == SIZE_MAX)
			return true;
		rest = str_slice(rest, comma + 1, rest.len);
	}
}
