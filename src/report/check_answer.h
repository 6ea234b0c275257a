/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check` found, in words and in the forms that pipelines read. Knows no
 * options.
 */
#ifndef REPORT_CHECK_ANSWER_H
#define REPORT_CHECK_ANSWER_H

#include "investigate/check.h"
#include "render/answer_writer.h"

/* Where a hit is shown in the repository. */
struct check_place {
	struct str path; /* relative, '/' between folders */
	uint32_t line;   /* 1 and more */
	bool is_known;   /* else where functions of no known file are shown */
};

struct check_answer {
	const struct check *check;
	const struct result *result;
	const struct notes *notes;
	const struct check_place *places; /* of each hit of the gates */
	bool is_lack_accepted;            /* too little data is no failure */
	/* A command to go on with; NULL ptr: none. */
	struct str next;
};

/* struct check_answer. Also junit, sarif and github. */
extern const struct answer_writer check_writer;

#endif
