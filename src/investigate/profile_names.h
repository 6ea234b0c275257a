/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces and profiles name the same service differently: agents put the
 * namespace in front, some the word "ebpf" too, old ones ".cpu" behind. Which
 * names a process of a trace may go by, and which of those that exist is
 * meant. Nothing here asks a server.
 */
#ifndef INVESTIGATE_PROFILE_NAMES_H
#define INVESTIGATE_PROFILE_NAMES_H

#include "backend/source.h"
#include "base/arena.h"
#include "base/buf.h"
#include "model/trace.h"

#define NAME_CANDIDATES_MAX 16
#define NAME_DOUBTS_MAX 4
#define NAME_SPACES_MAX 4

/* Best first, each once; the first is the traced name itself. */
struct name_candidates {
	struct str names[NAME_CANDIDATES_MAX];
	const char *how[NAME_CANDIDATES_MAX]; /* "namespace/name" ... */
	size_t count;
	/* Namespaces and environments of the process. */
	struct str spaces[NAME_SPACES_MAX];
	size_t space_count;
};

/* From the resource's attributes; trace may be NULL. Names live in the
 * arena. */
bool name_candidates_init(struct name_candidates *c, const struct trace *trace,
			  uint32_t resource, struct str service,
			  struct arena *arena, struct error *err) MUST_CHECK;

/* Adds what Cloud Profiler may call the process: its deployment's target is the
 * service of Cloud Run or App Engine, the container of Kubernetes, or a name
 * that the code gives, in lower case (letters of ASCII, digits, "-", "_", ".").
 */
bool name_candidates_add_targets(struct name_candidates *c,
				 const struct trace *trace, uint32_t resource,
				 struct arena *arena,
				 struct error *err) MUST_CHECK;

/* A regular expression (RE2, anchored by the server) for all candidates, in
 * any case, the first also behind a prefix that ends in '/', and each with
 * ".cpu" behind. */
void name_pattern(const struct name_candidates *c, struct buf *out);

struct name_choice {
	struct str name; /* one of those present; NULL ptr: none */
	const char *how; /* "exact", "namespace/name", "case", "suffix" ... */
	/* Equally good ones, of which none is believed. */
	struct str doubts[NAME_DOUBTS_MAX];
	size_t doubt_count;
};

/* Exact in the order of the candidates, then but for case, then behind a
 * prefix, then without ".cpu"; last with a namespace of the process, or a
 * usual word for an environment, before or behind it ("prod-cart", "cart.dev",
 * which name_pattern() does not find). */
void name_choose(const struct name_candidates *c,
		 const struct name_list *present, struct name_choice *out);

#endif
