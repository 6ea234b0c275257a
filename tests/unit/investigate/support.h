/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of investigate/ share.
 */
#ifndef TEST_INVESTIGATE_SUPPORT_H
#define TEST_INVESTIGATE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/trace.h"

/* A trace of one span, whose resource (index 0) has these attributes: key,
 * value, ..., NULL. Release it. */
static inline void trace_of(struct trace *trace, const char *const *attrs)
{
	struct span_input span = { .trace_id = { { 1 } },
				   .span_id = 1,
				   .start_unix_ns = 1,
				   .end_unix_ns = 2 };
	struct trace_build *build;
	struct error err;

	trace_init(trace);
	build = trace_build_new(trace, NULL, &err);
	assert_non_null(build);
	trace_build_attrs_begin(build);
	for (size_t i = 0; attrs && attrs[i]; i += 2)
		assert_true(trace_build_attr(build, str_from(attrs[i]),
					     str_from(attrs[i + 1]), &err));
	assert_true(trace_build_resource(build, &span.resource, &err));
	trace_build_attrs_begin(build);
	assert_true(trace_build_span(build, &span, &err));
	assert_true(trace_build_finish(build, &err));
	trace_build_free(build);
}

#endif
