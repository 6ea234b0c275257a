/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/price_words.h"

#include <string.h>

#include "base/num.h"
#include "wire/redact.h"

/* Nobody pays a million for a second; a slip of the units is more likely. */
#define PRICE_MOST 1e6
#define AMOUNT_MOST 1e15
#define CURRENCY_BYTES 16

bool amount_parse(const char *text, double *out, struct error *err)
{
	if (parse_f64(str_from(text), out) && *out > 0 && *out <= AMOUNT_MOST)
		return true;
	return error_set(err, ERROR_USAGE, "'%s' is not a number above 0",
			 value_quote(text).text);
}

bool price_parse(const char *text, bool has_time, double *out,
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
