/* SPDX-License-Identifier: Apache-2.0
 *
 * Pyroscope as it takes profiles in (push/v1/push.proto).
 */
#ifndef BACKEND_PYROSCOPE_STATUS_H
#define BACKEND_PYROSCOPE_STATUS_H

#include "backend/receiver.h"

extern const struct receiver receiver_pyroscope;

#endif
