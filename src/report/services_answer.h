/* SPDX-License-Identifier: Apache-2.0
 *
 * How the services that sent profiles are listed. Knows no options.
 */
#ifndef REPORT_SERVICES_ANSWER_H
#define REPORT_SERVICES_ANSWER_H

#include "investigate/services.h"
#include "render/answer_writer.h"

struct services_answer {
	const struct services *services;
	size_t limit;        /* rows for people; 0: all */
	bool is_limit_given; /* so programs get no more, either */
	const struct notes *notes;
	/* Options that name servers and window; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer services_writer; /* struct services_answer */

/* Why there are none; names: what there is instead of the service wanted.
 * Always false, ERROR_NOT_FOUND. */
bool services_explain_none(const struct services *s,
			   const struct name_list *names, struct error *err);

#endif
