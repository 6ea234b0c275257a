/* SPDX-License-Identifier: Apache-2.0
 *
 * What users type and paste: traces, selectors, patterns, addresses, times.
 * The first byte chooses.
 */
#include <string.h>

#include "backend/address.h"
#include "backend/selector.h"
#include "backend/fetch_trace.h"
#include "base/limits.h"
#include "base/regex.h"
#include "base/timefmt.h"
#include "fuzz.h"
#include "wire/url.h"

static struct str no_value(void *context, struct str label)
{
	(void)context;
	return label;
}

static void read_trace(const char *text)
{
	struct error err = { 0 };
	struct trace_arg arg;

	if (strlen(text) < LIMIT_OPTION_VALUE_BYTES)
		fuzz_check_outcome(trace_arg_parse(text, &arg, &err), &err);
}

static void read_selector(const char *text)
{
	struct error err = { 0 };
	struct selector *s = selector_parse(str_from(text), &err);
	bool is_match;

	fuzz_check_outcome(s != NULL, &err);
	if (s)
		fuzz_check_outcome(
			selector_matches(s, no_value, NULL, &is_match, &err),
			&err);
	selector_free(s);
}

/* The first line is the pattern. */
static void read_pattern(const char *text)
{
	size_t len = strcspn(text, "\n");
	struct error err = { 0 };
	struct regex *re =
		regex_new((struct str){ text, len }, "--focus", &err);
	bool is_match;

	fuzz_check_outcome(re != NULL, &err);
	if (re)
		fuzz_check_outcome(
			regex_match(re, str_from(text + len), &is_match, &err),
			&err);
	regex_free(re);
}

static bool lies_within(struct str part, const char *text)
{
	return part.len == 0 ||
	       (part.ptr >= text && part.ptr + part.len <= text + strlen(text));
}

static void read_address(const char *text)
{
	struct url_parts parts = { 0 };
	struct error err = { 0 };
	struct address address;

	if (url_split(str_from(text), &parts))
		FUZZ_CHECK(lies_within(parts.host, text) &&
				   lies_within(parts.authority, text) &&
				   lies_within(parts.rest, text) &&
				   parts.host.len > 0,
			   "%s", text);
	fuzz_check_outcome(address_parse(text, SERVER_TRACES, &address, &err),
			   &err);
}

static void read_time(const char *text)
{
	struct str word = str_from(text);
	struct error err = { 0 };
	int64_t time_ns;

	if (parse_duration(word, &time_ns))
		FUZZ_CHECK(time_ns >= 0, "%s", text);
	if (parse_rfc3339(word, &time_ns))
		FUZZ_CHECK(word.len >= 20, "%s", text);
	fuzz_check_outcome(
		parse_time(word, 1700000000000000000, &time_ns, &err), &err);
}

static void (*const readers[])(const char *text) = {
	read_trace, read_selector, read_pattern, read_address, read_time,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	FUZZ_CHECK(text != NULL, "no memory");
	readers[data[0] % (sizeof readers / sizeof *readers)](text);
	free(text);
	return 0;
}
