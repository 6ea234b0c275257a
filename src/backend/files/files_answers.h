/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked for of files instead of a server, answered from them. Two are
 * read side by side.
 */
#ifndef BACKEND_FILES_ANSWERS_H
#define BACKEND_FILES_ANSWERS_H

#include "backend/jobs.h"

/* Answers all jobs for profiles that name files; the others stay as they are.
 * The second file of a batch is read for the type that the first one has, and
 * not at all when that could not be read. */
void files_answers(struct backends *b, struct job *const *jobs, size_t n);

#endif
