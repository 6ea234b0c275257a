/* SPDX-License-Identifier: Apache-2.0
 *
 * Small documents with every member that decoders read.
 */
#ifndef TESTS_ALTERED_DOCUMENTS_H
#define TESTS_ALTERED_DOCUMENTS_H

#include "altered.h"

/* ' stands for ". Ends with a row without a name. */
struct json_subject {
	const char *name;
	teller tell;
	const char *text;
	bool is_exact;     /* null is a value, and members have an order */
	bool refuses_null; /* where a value should be */
};

extern const struct json_subject json_subjects[];

#endif
