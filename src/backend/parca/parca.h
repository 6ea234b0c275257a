/* SPDX-License-Identifier: Apache-2.0
 *
 * Parca, by the JSON form of its query service (parca/query/v1alpha1, GET
 * below /api/profiles). It knows nothing of spans, names services by a label
 * of the user's choice, and has two kinds of the same type: "delta", which is
 * of an interval, and totals since a process began. What it is to the rest of
 * backend/.
 */
#ifndef BACKEND_PARCA_H
#define BACKEND_PARCA_H

#include "backend/profile_backend.h"

extern const struct profile_backend profile_parca;

#endif
