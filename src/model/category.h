/* SPDX-License-Identifier: Apache-2.0
 *
 * What a function is for: the team's own code, or what other people's code
 * and the machine do on its behalf. Which function is of which kind is the
 * affair of analyze/.
 */
#ifndef MODEL_CATEGORY_H
#define MODEL_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum code_kind {
	CODE_APPLICATION = 0,
	CODE_DATABASE,    /* drivers, mappers and clients of data stores */
	CODE_HTTP_CLIENT, /* outgoing calls: HTTP, gRPC */
	CODE_SERIALISATION,
	CODE_LOCK,     /* taking, and waiting for, what another one holds */
	CODE_GC_ALLOC, /* garbage collection and allocation */
	CODE_RUNTIME,  /* scheduler, interpreter, JIT compiler, libc */
	CODE_KERNEL,   /* system calls and what runs beneath them */
	CODE_IDLE,     /* waits for work, events or time */
	CODE_LIBRARY,  /* third party, none of the above */
	CODE_STDLIB,
	CODE_UNKNOWN, /* addresses, "[unknown]", what a server cut off */
	CODE_KIND_COUNT
};

/* "http_client": as in rule files. Static. */
const char *code_kind_name(enum code_kind kind);

/* False when there is no kind of this name. */
bool code_kind_parse(struct str name, enum code_kind *kind);

/* A profile's value by kind, in the profile's unit. Every stack counts once,
 * so the values add up to the total, saturating. All 0: not worked out. */
struct category_shares {
	int64_t value[CODE_KIND_COUNT];
	int64_t total;
};

/* The kind's part of the total, 0..1; 0 of nothing. */
double kind_share(const struct category_shares *s, enum code_kind kind);

#endif
