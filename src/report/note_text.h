/* SPDX-License-Identifier: Apache-2.0
 *
 * What weakens an answer, in words: the notes of an investigation.
 */
#ifndef REPORT_NOTE_TEXT_H
#define REPORT_NOTE_TEXT_H

#include "investigate/facts.h"

/* For struct investigation: adds the note's sentence. */
void note_text_add(const struct note *note, struct notes *notes);

#endif
