/* SPDX-License-Identifier: Apache-2.0
 *
 * Pyroscope, by its query service (querier.v1): profiles in protobuf, names
 * and sums in JSON. What it is to the rest of backend/.
 */
#ifndef BACKEND_PYROSCOPE_H
#define BACKEND_PYROSCOPE_H

#include "backend/profile_backend.h"
#include "backend/receiver.h"

extern const struct profile_backend profile_pyroscope;

/* Pyroscope as it takes profiles in (push/v1/push.proto). */

extern const struct receiver receiver_pyroscope;

#endif
