/* SPDX-License-Identifier: Apache-2.0
 *
 * What an export has copied and what it has not, and why. Knows no options.
 */
#ifndef REPORT_EXPORT_ANSWER_H
#define REPORT_EXPORT_ANSWER_H

#include "investigate/export.h"
#include "render/answer_writer.h"

struct export_side {
	const struct export *export; /* NULL: there was none of this kind */
	struct str from;             /* "Cloud Trace shop-prod" */
	const char *state;           /* the file; NULL: none */
};

struct export_answer {
	struct export_side traces, profiles;
	const struct notes *notes;
};

extern const struct answer_writer export_writer; /* struct export_answer */

/* Whether not all that is in the window came over whole. */
bool export_is_partial(const struct export_answer *a);

/* Whether there was anything to export. */
bool export_has_found(const struct export_answer *a);

/* Of an export after which there is nothing at the other end: why. True where
 * there is something. */
bool export_explain(const struct export_answer *a, struct error *err);

#endif
