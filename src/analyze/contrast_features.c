/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrast_features.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

uint32_t feature_value(const struct history *h,
		       const struct contrast_feature *f,
		       const struct history_span *span)
{
	uint32_t value;

	if (!span)
		return FEATURE_UNKNOWN;
	if (f->of == CONTRAST_OF_ATTRIBUTE)
		return history_attr(h, span, f->key);
	value = f->of == CONTRAST_OF_VERSION ? span->version : span->instance;
	return value ? value : FEATURE_UNKNOWN;
}

/* Doubles are ordered as their bits are, negative ones the other way round. */
static bool ordered_of(struct str text, int64_t *ordered)
{
	double number;
	int64_t bits;

	if (!text.len || !parse_f64(text, &number) || !isfinite(number))
		return false;
	memcpy(&bits, &number, sizeof bits);
	*ordered = bits < 0 ? INT64_MIN - bits : bits;
	return true;
}

bool feature_number(const struct history *h, uint32_t value, int64_t *ordered)
{
	return ordered_of(history_text(h, value), ordered);
}

double feature_number_back(int64_t ordered)
{
	int64_t bits = ordered < 0 ? INT64_MIN - ordered : ordered;
	double number;

	memcpy(&number, &bits, sizeof number);
	return number;
}

static int is_beyond(const struct contrast *c, int64_t ordered)
{
	double number = feature_number_back(ordered);

	return c->kind == CONTRAST_MORE ? number >= c->cut : number <= c->cut;
}

int feature_bears(const struct history *h, const struct contrast *c,
		  const struct history_span *span)
{
	const struct contrast_feature f = feature_of(c);
	uint32_t value = feature_value(h, &f, span);
	int64_t ordered;

	if (value == FEATURE_UNKNOWN)
		return -1;
	if (c->kind == CONTRAST_VALUE)
		return value == c->value;
	return feature_number(h, value, &ordered) ? is_beyond(c, ordered) : -1;
}

int feature_text_bears(const struct history *h, const struct contrast *c,
		       struct str value)
{
	int64_t ordered;

	if (!value.ptr)
		return c->of == CONTRAST_OF_ATTRIBUTE &&
				       c->kind == CONTRAST_VALUE
			       ? 0
			       : -1;
	if (c->kind == CONTRAST_VALUE)
		return str_equal(value, history_text(h, c->value));
	return ordered_of(value, &ordered) ? is_beyond(c, ordered) : -1;
}
