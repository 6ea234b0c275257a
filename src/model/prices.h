/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices of compute resources, for costs. There are no built-in prices, and
 * those of different sources are not combined, as currencies may differ.
 */
#ifndef MODEL_PRICES_H
#define MODEL_PRICES_H

/* Set by the user; negative: unknown. */
struct cost_prices {
	double cpu;           /* per vCPU second */
	double memory;        /* per GiB second */
	double request;       /* per request */
	const char *currency; /* NULL: unknown */
	const char *note;     /* the user's remark on them, or NULL */
};

#endif
