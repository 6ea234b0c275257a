/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace_arg.h"

#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/num.h"
#include "cli/input.h"

#define TRACE_ID_DIGITS 32
#define SHORT_ID_DIGITS 16

static bool is_all_hex(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_hex(text.ptr[i]))
			return false;
	return text.len > 0;
}

/* "00-<32 digits>-<16 digits>-<2 digits>", W3C Trace Context. */
static bool parse_traceparent(struct str text, struct trace_arg *out)
{
	struct str trace = str_slice(text, 3, TRACE_ID_DIGITS);
	struct str span = str_slice(text, 36, SHORT_ID_DIGITS);

	return text.len >= 55 && text.ptr[2] == '-' && text.ptr[35] == '-' &&
	       text.ptr[52] == '-' && is_all_hex(str_slice(text, 0, 2)) &&
	       is_all_hex(trace) && is_all_hex(span) &&
	       trace_id_parse(trace, &out->id) &&
	       parse_hex_u64(span, &out->span_id);
}

/* One round of percent-decoding; Grafana nests JSON inside its URLs. */
static void percent_decode(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		uint64_t byte;

		if (text.ptr[i] == '%' && i + 2 < text.len &&
		    is_all_hex(str_slice(text, i + 1, 2)) &&
		    parse_hex_u64(str_slice(text, i + 1, 2), &byte)) {
			buf_add_char(out, (char)(unsigned char)byte);
			i += 2;
		} else {
			buf_add_char(out, text.ptr[i]);
		}
	}
}

/* The first run of exactly `digits` hex digits, bounded by anything else. */
static bool find_hex_run(struct str text, size_t digits, struct str *run)
{
	size_t start = 0;

	while (start < text.len) {
		size_t end = start;

		while (end < text.len && ascii_is_hex(text.ptr[end]))
			end++;
		if (end - start == digits &&
		    (end == text.len ||
		     (text.ptr[end] != '_' && text.ptr[end] != '-') ||
		     digits == TRACE_ID_DIGITS)) {
			*run = str_slice(text, start, digits);
			return true;
		}
		start = end + 1;
	}
	return false;
}

static bool parse_url(struct str text, struct trace_arg *out, struct error *err)
{
	struct buf once, twice;
	struct str run;
	bool found;

	buf_init(&once, LIMIT_URL_BYTES);
	buf_init(&twice, LIMIT_URL_BYTES);
	percent_decode(text, &once);
	percent_decode(buf_str(&once), &twice);
	found = find_hex_run(buf_str(&twice), TRACE_ID_DIGITS, &run) ||
		find_hex_run(buf_str(&twice), SHORT_ID_DIGITS, &run);
	found = found && trace_id_parse(run, &out->id);
	buf_release(&once);
	buf_release(&twice);
	return found || error_set(err, ERROR_USAGE,
				  "no trace id in the URL: it has no run of 32 "
				  "(or 16) hex digits; paste the id itself");
}

static bool fail_text(struct str text, struct error *err)
{
	struct str shown = str_slice(text, 0, 200);

	if (text.len > TRACE_ID_DIGITS && str_is_digits(text))
		return error_set(err, ERROR_USAGE,
				 "trace id \"%.*s\" is a decimal number of %zu "
				 "digits: convert it to 32 hex digits (Python: "
				 "format(n, '032x'))",
				 STR_ARGS(text), text.len);
	if (is_all_hex(text) && text.len < TRACE_ID_DIGITS)
		return error_set(
			err, ERROR_USAGE,
			"trace id \"%.*s\" has %zu hex digits; a "
			"trace id has 32 (or 16). Tempo's search leaves "
			"leading zeros out: if it comes from there, try "
			"%.*s%.*s",
			STR_ARGS(text), text.len,
			(int)(TRACE_ID_DIGITS - text.len),
			"00000000000000000000000000000000", STR_ARGS(text));
	if (is_all_hex(text))
		return error_set(err, ERROR_USAGE,
				 "trace id \"%.*s\" has %zu hex digits; a "
				 "trace id has 32 (or 16)",
				 STR_ARGS(text), text.len);
	if (str_find(text, STR("://")) != SIZE_MAX)
		return input_fail_address(text, err);
	if (memchr(text.ptr, '/', text.len) || memchr(text.ptr, '.', text.len))
		return error_set(err, ERROR_NOT_FOUND,
				 "%.*s: no such file (and it is no trace id)",
				 STR_ARGS(text));
	return error_set(err, ERROR_USAGE,
			 "\"%.*s\" is no trace: give 32 (or 16) hex digits, a "
			 "traceparent, a URL that holds an id, a file, or -",
			 STR_ARGS(shown));
}

bool trace_arg_parse(const char *text, struct trace_arg *out, struct error *err)
{
	struct str trimmed = str_trim(str_from(text));

	*out = (struct trace_arg){ 0 };
	if (!strcmp(text, "-")) {
		out->path = text;
		return true;
	}
	if (parse_traceparent(trimmed, out))
		return true;
	if (str_starts(trimmed, STR("http://")) ||
	    str_starts(trimmed, STR("https://")))
		return parse_url(trimmed, out, err);
	if (access(text, F_OK) == 0) {
		out->path = text;
		return true;
	}
	if (str_starts(trimmed, STR("0x")))
		trimmed = str_slice(trimmed, 2, trimmed.len);
	if ((trimmed.len == TRACE_ID_DIGITS ||
	     trimmed.len == SHORT_ID_DIGITS) &&
	    trace_id_parse(trimmed, &out->id))
		return !trace_id_is_zero(&out->id) ||
		       error_set(err, ERROR_USAGE,
				 "the trace id is all zeros, which means that "
				 "there is no trace");
	return fail_text(trimmed, err);
}
