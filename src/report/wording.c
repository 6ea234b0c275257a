/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/timefmt.h"

void wording_add(struct buf *out, struct str text, size_t max_bytes)
{
	if (text.len <= max_bytes) {
		buf_add_str(out, text);
		return;
	}
	buf_add(out, text.ptr, utf8_floor(text.ptr, text.len, max_bytes));
	buf_add_text(out, "...");
}

void wording_add_duration(struct buf *out, int64_t duration_ns)
{
	char text[24];

	format_duration(duration_ns, text);
	buf_add_text(out, text);
}

void wording_add_ns(struct buf *out, double duration_ns)
{
	wording_add_duration(out, sat_from_f64(fmax(0, duration_ns)));
}

void wording_add_span(struct buf *out, const struct trace *t, uint32_t span)
{
	struct str service = span_service(t, span);
	struct str name = span_name(t, span);

	wording_add(out, service, WORDING_TEXT_BYTES);
	if (service.len)
		buf_add_char(out, ' ');
	wording_add(out, name.len ? name : STR("(no name)"),
		    WORDING_TEXT_BYTES);
}

void wording_add_call(struct buf *out, const struct calls *c, uint32_t span)
{
	struct buf call;

	buf_init(&call, WORDING_BYTES);
	calls_describe(c, span, "call", &call);
	if (call.state == BUF_OK && !call.len)
		buf_add_text(&call, "(no name)");
	if (call.state != BUF_OK)
		out->state = call.state;
	buf_add_char(out, '"');
	wording_add(out, buf_str(&call), WORDING_TEXT_BYTES);
	buf_add_char(out, '"');
	buf_release(&call);
}

void wording_add_peer(struct buf *out, const char *before,
		      const struct calls *c, uint32_t span)
{
	struct buf peer;

	buf_init(&peer, WORDING_BYTES);
	calls_peer(c, span, &peer);
	if (peer.state != BUF_OK)
		out->state = peer.state;
	if (peer.len) {
		buf_add_text(out, before);
		wording_add(out, buf_str(&peer), WORDING_TEXT_BYTES);
	}
	buf_release(&peer);
}

/* "HTTP 503" */
static bool add_code(struct buf *out, const struct trace *t, uint32_t span,
		     const char *protocol, const char *name)
{
	struct str code = span_attr(t, span, str_from(name));

	if (!code.len)
		return false;
	buf_addf(out, "%s ", protocol);
	wording_add(out, code, WORDING_TEXT_BYTES);
	return true;
}

void wording_add_failure(struct buf *out, const struct trace *t, uint32_t span)
{
	struct str text = trace_text(t, t->spans[span].status_message);

	if (!text.len)
		text = span_attr(t, span, STR("exception.message"));
	if (!text.len)
		text = span_attr(t, span, STR("error.type"));
	if (text.len)
		wording_add(out, text, WORDING_TEXT_BYTES);
	else if (!add_code(out, t, span, "HTTP", "http.response.status_code") &&
		 !add_code(out, t, span, "HTTP", "http.status_code") &&
		 !add_code(out, t, span, "gRPC", "rpc.grpc.status_code"))
		buf_add_text(out, "failed");
}

const char *wording_manner(enum repeat_manner manner)
{
	static const char *const words[] = {
		[REPEAT_ONE_BY_ONE] = "one after another",
		[REPEAT_SOME_AT_A_TIME] = "partly in parallel",
		[REPEAT_SIDE_BY_SIDE] = "in parallel",
	};

	return words[manner];
}

void wording_add_samples(struct buf *out, const struct result *result,
			 bool is_unit_told)
{
	char count[COUNT_TEXT_BYTES];

	if (result->profile.samples < 0)
		return;
	format_count(result->profile.samples, count);
	buf_addf(out, ", %s%s", count, is_unit_told ? "" : " samples");
	if (!result->has_baseline || result->baseline.samples < 0)
		return;
	format_count(result->baseline.samples, count);
	buf_addf(out, " against %s", count);
}

bool wording_take(struct buf *text, struct arena *arena, struct str *out,
		  struct error *err)
{
	bool is_done = buf_check(text, "the answer's text", err);

	if (is_done) {
		*out = arena_str(arena, buf_str(text));
		is_done = out->ptr || arena_fail(arena, "the answer", err);
	}
	buf_release(text);
	return is_done;
}
