/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a service leaks, in words, and the functions that it may be. Knows no
 * options.
 */
#ifndef REPORT_LEAK_ANSWER_H
#define REPORT_LEAK_ANSWER_H

#include "investigate/leak.h"
#include "render/answer_writer.h"
#include "render/units.h"

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

/* ---- words that its formats share ---- */

/* "levels off" for people, "levels_off" for programs. */
const char *leak_kind_word(enum growth_kind kind);
const char *leak_kind_name(enum growth_kind kind);

/* "memory", "objects", "goroutines"; "threads" for those who have none. */
const char *leak_subject_word(const struct leak_subject *s);

/* "40.1 MiB", "212"; and of tables in MiB, or their number. */
void leak_format_held(const struct leak_subject *s, double value,
		      char out[UNIT_TEXT_BYTES]);
void leak_format_number(const struct leak_subject *s, double value,
			bool has_sign, char out[UNIT_TEXT_BYTES]);

/* A leak's function; NULL: none is one. */
const struct leak_function *leak_function_of(const struct leak_subject *s);

/* What is told of a leak: of its function, when the process as a whole is too
 * restless to tell. */
const struct growth *leak_growth_told(const struct leak_subject *s);

/* What the first line is of: a leak, else memory, else what there is. */
const struct leak_subject *leak_leading(const struct leak *l);

/* leak_json.c, leak_html.c */
void leak_write_json(const void *answer, struct out *out);
void leak_write_html(const void *answer, struct out *out);

#endif
