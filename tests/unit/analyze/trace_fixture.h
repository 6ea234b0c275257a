/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces from a few lines of text, for tests. A line is one span:
 *
 *   id parent service kind name start_ms end_ms [key=value | error | ...]
 *
 * id and parent are hex (0: no parent); kind is I, S, C, P or K (consumer);
 * times are decimal milliseconds after FIXTURE_BASE_NS; an end of "-" was
 * never received. Double quotes keep blanks: "SELECT a". "error",
 * "error=text" and "follows" set flags, "@key=value" is a resource attribute,
 * "link=TRACE:SPAN" a link to a span (hex) of the trace whose id is the one
 * byte TRACE followed by zeros; that of the fixture is fixture_id, else 01.
 */
#ifndef TESTS_ANALYZE_TRACE_FIXTURE_H
#define TESTS_ANALYZE_TRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/timefmt.h"
#include "model/trace.h"

#define FIXTURE_BASE_NS ((int64_t)1700000000000000000)
#define FIXTURE_LINES 512
#define FIXTURE_TOKENS 24

static inline int64_t fixture_ms(double ms)
{
	return (int64_t)(ms * 1e6 + (ms < 0 ? -0.5 : 0.5));
}

static inline struct str fixture_token(struct str *rest, char end)
{
	size_t start = 0, at;
	bool is_quoted = false;
	struct str token;

	while (start < rest->len && rest->ptr[start] == ' ')
		start++;
	for (at = start; at < rest->len; at++) {
		if (rest->ptr[at] == '"')
			is_quoted = !is_quoted;
		else if (rest->ptr[at] == end && !is_quoted)
			break;
	}
	token = str_slice(*rest, start, at - start);
	*rest = str_slice(*rest, at + (at < rest->len), rest->len);
	return token;
}

/* Without the quotes around the whole or around a value. */
static inline struct str fixture_unquote(struct str text)
{
	if (text.len >= 2 && text.ptr[0] == '"')
		return str_slice(text, 1, text.len - 2);
	return text;
}

static inline void fixture_attr(struct trace_build *b, struct str token,
				size_t skip)
{
	struct error err = { 0 };
	size_t eq = str_find(token, STR("="));

	assert_true(eq != SIZE_MAX);
	assert_true(trace_build_attr(
		b, str_slice(token, skip, eq - skip),
		fixture_unquote(str_slice(token, eq + 1, token.len)), &err));
}

static inline uint8_t fixture_kind(struct str token)
{
	static const char letters[] = "ISCPK";
	const char *found = strchr(letters, token.ptr[0]);

	assert_non_null(found);
	return (uint8_t)(found - letters);
}

static inline uint64_t fixture_time(struct str token)
{
	double ms;

	if (str_equal(token, STR("-")))
		return 0;
	assert_true(parse_f64(token, &ms));
	return (uint64_t)(FIXTURE_BASE_NS + fixture_ms(ms));
}

static inline void fixture_resource(struct trace_build *b, struct str *tokens,
				    size_t count, uint32_t *resource)
{
	struct error err = { 0 };

	trace_build_attrs_begin(b);
	assert_true(trace_build_attr(b, STR("service.name"),
				     fixture_unquote(tokens[2]), &err));
	for (size_t i = 7; i < count; i++) {
		if (tokens[i].ptr[0] == '@')
			fixture_attr(b, tokens[i], 1);
	}
	assert_true(trace_build_resource(b, resource, &err));
}

static uint8_t fixture_id = 1;

static inline void fixture_link(struct trace_build *b, struct str token)
{
	struct trace_id id = { { 0 } };
	struct error err = { 0 };
	uint64_t trace, span;

	assert_true(parse_hex_u64(str_slice(token, 5, 2), &trace));
	assert_true(parse_hex_u64(str_slice(token, 8, token.len), &span));
	id.bytes[0] = (uint8_t)trace;
	assert_true(trace_build_link_end(b, &id, span, &err));
}

static inline void fixture_flag(struct trace_build *b, struct span_input *in,
				struct str token)
{
	struct error err = { 0 };

	if (str_equal(token, STR("follows"))) {
		in->flags |= SPAN_IS_FOLLOWS_FROM;
	} else if (str_starts(token, STR("link="))) {
		fixture_link(b, token);
	} else if (str_equal(token, STR("error"))) {
		in->flags |= SPAN_IS_ERROR;
	} else if (str_starts(token, STR("error="))) {
		in->flags |= SPAN_IS_ERROR;
		assert_true(trace_build_text(
			b, fixture_unquote(str_slice(token, 6, token.len)),
			&in->status_message, &err));
	} else if (token.ptr[0] != '@') {
		fixture_attr(b, token, 0);
	}
}

static inline void fixture_line(struct trace_build *b, struct str line)
{
	struct str tokens[FIXTURE_TOKENS];
	struct span_input in = { .trace_id = { { fixture_id } } };
	struct error err = { 0 };
	size_t count = 0;

	while (line.len && count < FIXTURE_TOKENS) {
		tokens[count] = fixture_token(&line, ' ');
		count += tokens[count].len > 0;
	}
	if (!count)
		return;
	assert_in_range(count, 7, FIXTURE_TOKENS - 1);
	assert_true(parse_hex_u64(tokens[0], &in.span_id));
	assert_true(parse_hex_u64(tokens[1], &in.parent_id));
	in.kind = fixture_kind(tokens[3]);
	in.start_unix_ns = fixture_time(tokens[5]);
	in.end_unix_ns = fixture_time(tokens[6]);
	fixture_resource(b, tokens, count, &in.resource);
	assert_true(trace_build_text(b, fixture_unquote(tokens[4]), &in.name,
				     &err));
	trace_build_attrs_begin(b);
	for (size_t i = 7; i < count; i++)
		fixture_flag(b, &in, tokens[i]);
	assert_true(trace_build_span(b, &in, &err));
}

/* Lines in the order that the seed gives; 0 leaves them alone. */
static inline void fixture_trace_shuffled(struct trace *t, const char *text,
					  unsigned seed)
{
	struct str lines[FIXTURE_LINES];
	struct str rest = str_from(text);
	struct error err = { 0 };
	struct trace_build *b;
	size_t count = 0;

	while (rest.len) {
		assert_true(count < FIXTURE_LINES);
		lines[count++] = fixture_token(&rest, '\n');
	}
	for (size_t i = count; seed && i > 1; i--) {
		size_t other = (seed = seed * 1103515245u + 12345u) / 65536 % i;
		struct str swap = lines[i - 1];

		lines[i - 1] = lines[other];
		lines[other] = swap;
	}
	trace_init(t);
	t->wants_attrs = true;
	b = trace_build_new(t, NULL, &err);
	assert_non_null(b);
	for (size_t i = 0; i < count; i++)
		fixture_line(b, lines[i]);
	assert_true(trace_build_finish(b, &err));
	trace_build_free(b);
}

static inline void fixture_trace(struct trace *t, const char *text)
{
	fixture_trace_shuffled(t, text, 0);
}

/* The only span with this id. */
static inline uint32_t fixture_span(const struct trace *t, uint64_t span_id)
{
	uint32_t span = trace_find_span(t, span_id);

	assert_int_not_equal(span, SPAN_NONE);
	return span;
}

#endif
