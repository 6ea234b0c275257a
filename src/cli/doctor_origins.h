/* SPDX-License-Identifier: Apache-2.0
 *
 * Where what doctor asks about was set, and with which options it is asked
 * again: for its answers and its advice.
 */
#ifndef CLI_DOCTOR_ORIGINS_H
#define CLI_DOCTOR_ORIGINS_H

#include "cli/context.h"
#include "doctor/doctor.h"

/* Fills the origins of addresses and tenants, and the options given. */
bool doctor_question_origins(struct doctor_question *q, struct context *ctx,
			     struct error *err) MUST_CHECK;

#endif
