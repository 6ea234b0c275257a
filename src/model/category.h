/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of code: the application's own, or what libraries, the runtime and the
 * kernel do for it. analyze/ classifies functions.
 */
#ifndef MODEL_CATEGORY_H
#define MODEL_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum code_kind {
	CODE_APPLICATION = 0,
	CODE_DATABASE,    /* drivers, ORMs and clients of data stores */
	CODE_HTTP_CLIENT, /* outgoing calls: HTTP, gRPC */
	CODE_SERIALISATION,
	CODE_LOCK,     /* acquiring locks and waiting for them */
	CODE_GC_ALLOC, /* garbage collection and allocation */
	CODE_RUNTIME,  /* scheduler, interpreter, JIT compiler, libc */
	CODE_KERNEL,   /* system calls and below */
	CODE_IDLE,     /* waiting for work, events or timers */
	CODE_LIBRARY,  /* third party, none of the above */
	CODE_STDLIB,
	CODE_UNKNOWN, /* addresses, "[unknown]", truncated by a server */
	CODE_KIND_COUNT
};

/* Returns "http_client" and the like, as in rule files. Static. */
const char *code_kind_name(enum code_kind kind);

/* Returns false for an unknown name. */
bool code_kind_parse(struct str name, enum code_kind *kind);

/* A profile's value by kind, in the profile's unit. Every stack counts once, so
 * the values add up to the total (saturating). All 0: not computed. */
struct category_shares {
	int64_t value[CODE_KIND_COUNT];
	int64_t total;
};

/* Returns the kind's share of the total, 0..1; 0 if the total is 0. */
double kind_share(const struct category_shares *s, enum code_kind kind);

#endif
