/* SPDX-License-Identifier: Apache-2.0
 *
 * Files instead of a server of profiles: whoever asks names them, and they
 * answer by themselves. Two are read side by side. Knows no server.
 */
#ifndef BACKEND_FILES_ANSWERS_H
#define BACKEND_FILES_ANSWERS_H

#include "backend/jobs.h"
#include "backend/profile_backend.h"

extern const struct profile_backend profile_files;

#endif
