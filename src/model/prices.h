/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine that a program runs on costs. None are built in, and those
 * of one place are taken together: a price in one currency does not go with one
 * in another.
 */
#ifndef MODEL_PRICES_H
#define MODEL_PRICES_H

/* The user's own; below 0: not known. */
struct cost_prices {
	double cpu;           /* of a second of a vCPU */
	double memory;        /* of a second of a GiB */
	double request;       /* of one */
	const char *currency; /* NULL: not known */
	const char *note;     /* of the user, about them; or NULL */
};

#endif
