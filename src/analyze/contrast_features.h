/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a span may tell slow requests from fast ones: private to
 * contrast*.c.
 */
#ifndef ANALYZE_CONTRAST_FEATURES_H
#define ANALYZE_CONTRAST_FEATURES_H

#include "analyze/contrasts.h"

/* Not known of a request: no such span, or its process does not tell. */
#define FEATURE_UNKNOWN UINT32_MAX

struct contrast_feature {
	enum contrast_of of;
	uint32_t operation;
	uint32_t key; /* of CONTRAST_OF_ATTRIBUTE */
};

static inline struct contrast_feature feature_of(const struct contrast *c)
{
	return (struct contrast_feature){ c->of, c->operation, c->key };
}

/* Its value: a symbol, 0 where an attribute is lacking. span may be NULL. */
uint32_t feature_value(const struct history *h,
		       const struct contrast_feature *f,
		       const struct history_span *span);

/* Numbers in their order: a larger one is larger as an integer, too. False for
 * what is no number, or has no end. */
bool feature_number(const struct history *h, uint32_t value, int64_t *ordered);
double feature_number_back(int64_t ordered);

/* Whether a span bears what the contrast tells: 1, 0, -1 not known. */
int feature_bears(const struct history *h, const struct contrast *c,
		  const struct history_span *span);
int feature_text_bears(const struct history *h, const struct contrast *c,
		       struct str value);

#endif
