/* SPDX-License-Identifier: Apache-2.0
 *
 * Selectors in the syntax of Prometheus, '{version="1.0",zone!~"eu-.*"}':
 * written for servers, and parsed and matched against labels for servers that
 * do not select.
 */
#ifndef BACKEND_SELECTOR_H
#define BACKEND_SELECTOR_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct selector;

/* Parses a selector. Returns NULL with ERROR_USAGE and the position of the
 * mistake if text is not valid. */
struct selector *selector_parse(struct str text, struct error *err) MUST_CHECK;
void selector_free(struct selector *selector);

/* Returns the value of a label, "" if there is none. */
typedef struct str (*selector_value)(void *context, struct str label);

/* Returns in *is_match whether every matcher holds; patterns (=~, !~) match
 * whole values. Fails if a pattern takes too long. */
bool selector_matches(const struct selector *selector, selector_value value,
		      void *context, bool *is_match,
		      struct error *err) MUST_CHECK;

/* Appends one matcher of '{label="value",...}' to out, which is empty or ends
 * with an unclosed list; end with selector_close(). Values are escaped as
 * PromQL strings, names with dots quoted. */
void selector_add(struct buf *out, struct str label, struct str value);
/* The same with another operator: "!=", "=~" or "!~". */
void selector_match(struct buf *out, struct str label, const char *op,
		    struct str value);
void selector_close(struct buf *out);

/* Sets out to '{service_name="x"}', or to '{}' if service is NULL. In the
 * arena, with a terminating NUL byte. */
bool selector_of_service(struct arena *arena, const char *service,
			 struct str *out, struct error *err) MUST_CHECK;

#endif
