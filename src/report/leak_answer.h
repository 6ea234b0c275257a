/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a service leaks, in words, and the functions that it may be. Knows no
 * options.
 */
#ifndef REPORT_LEAK_ANSWER_H
#define REPORT_LEAK_ANSWER_H

#include "investigate/leak.h"
#include "render/answer_writer.h"

struct leak_answer {
	const struct leak *leak;
	size_t limit; /* rows; 0: all */
	const struct notes *notes;
	/* Options that name servers and window; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer leak_writer; /* struct leak_answer */

/* The words for an error that leak_investigate() left without any; others stay
 * as they are. Always false. */
bool leak_explain(const struct leak *l, struct error *err);

#endif
