/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_trace.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/input.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"

#define TRACE_ID_DIGITS 32
#define SPAN_ID_DIGITS 16

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
	struct str span = str_slice(text, 36, SPAN_ID_DIGITS);

	return text.len >= 55 && text.ptr[2] == '-' && text.ptr[35] == '-' &&
	       text.ptr[52] == '-' && is_all_hex(str_slice(text, 0, 2)) &&
	       is_all_hex(trace) && is_all_hex(span) &&
	       trace_id_parse(trace, &out->id) &&
	       parse_hex_u64(span, &out->span_id);
}

/* Decodes once; Grafana nests JSON inside its URLs. */
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

/* Finds the first run of exactly `digits` hex digits, bounded by anything
 * else. */
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

/* Places of ids in decoded URLs: paths of the Jaeger UI and of the APIs, and
 * Grafana's queries. */
static const char *const id_places[] = { "/trace/", "/traces/",
					 "\"query\":\"" };

/* Finds the last run after this place: a gateway's path comes before. */
static bool find_behind(struct str text, struct str place, struct str *run)
{
	bool is_found = false;
	size_t at;

	while ((at = str_find(text, place)) != SIZE_MAX) {
		size_t len = 0;

		text = str_slice(text, at + place.len, text.len);
		while (len < text.len && ascii_is_hex(text.ptr[len]))
			len++;
		if (len == 0 || len > TRACE_ID_DIGITS ||
		    (len < text.len && !memchr("/?#&\"", text.ptr[len], 5)))
			continue;
		*run = str_slice(text, 0, len);
		is_found = true;
	}
	return is_found;
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
	found = find_hex_run(buf_str(&twice), TRACE_ID_DIGITS, &run);
	/* Servers omit leading zeros, so the place decides, not the number of
	 * digits: a Jaeger's "/trace/ab12?uiFind=" continues with a span id. */
	for (size_t i = 0; i < COUNT_OF(id_places) && !found; i++)
		found = find_behind(buf_str(&twice), str_from(id_places[i]),
				    &run);
	found = found || find_hex_run(buf_str(&twice), SPAN_ID_DIGITS, &run);
	found = found && trace_id_parse(run, &out->id) &&
		!trace_id_is_zero(&out->id);
	if (found)
		out->id_digits = (unsigned)run.len;
	buf_release(&once);
	buf_release(&twice);
	return found || error_set(err, ERROR_USAGE,
				  "no trace id in the URL: it has no run of 32 "
				  "hex digits and none after /trace/; paste "
				  "the id itself");
}

/* "<32 digits>/<decimal span id>;o=1", the header X-Cloud-Trace-Context, or
 * "projects/my-project/traces/<32 digits>", as Google's log entries name their
 * trace. */
static bool parse_google(struct str text, struct trace_arg *out)
{
	struct trace_arg found = { .id_digits = TRACE_ID_DIGITS };
	struct str trace = str_slice(text, 0, TRACE_ID_DIGITS);
	struct str span = str_slice(text, TRACE_ID_DIGITS + 1, text.len);
	size_t at = str_find(text, STR("/traces/"));
	bool is_context =
		text.len > TRACE_ID_DIGITS &&
		text.ptr[TRACE_ID_DIGITS] == '/' && is_all_hex(trace) &&
		parse_u64(str_slice(span, 0, str_find(span, STR(";"))),
			  &found.span_id);

	if (!is_context) {
		if (!str_starts(text, STR("projects/")) || at == SIZE_MAX)
			return false;
		found.span_id = 0;
		trace = str_slice(text, at + 8, text.len);
	}
	if (trace.len != TRACE_ID_DIGITS || !is_all_hex(trace) ||
	    !trace_id_parse(trace, &found.id) || trace_id_is_zero(&found.id))
		return false;
	*out = found;
	return true;
}

/* Parses groups of hex digits, 32 in all, separated by hyphens. */
static bool parse_groups(struct str text, const unsigned *digits, size_t count,
			 struct trace_arg *out)
{
	struct trace_arg found = { .id_digits = TRACE_ID_DIGITS };
	char hex[TRACE_ID_DIGITS];
	size_t at = 0, len = 0;

	if (text.len != TRACE_ID_DIGITS + count - 1)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (i && text.ptr[at++] != '-')
			return false;
		memcpy(hex + len, text.ptr + at, digits[i]);
		at += digits[i];
		len += digits[i];
	}
	if (!is_all_hex((struct str){ hex, sizeof hex }) ||
	    !trace_id_parse((struct str){ hex, sizeof hex }, &found.id) ||
	    trace_id_is_zero(&found.id))
		return false;
	*out = found;
	return true;
}

/* Parses "1-<8 digits>-<24 digits>" of AWS X-Ray, also in the form of the
 * header X-Amzn-Trace-Id: "Root=1-...-...;Parent=<16 digits>;Sampled=1". */
static bool parse_xray(struct str text, struct trace_arg *out)
{
	static const unsigned digits[] = { 8, 24 };

	if (str_starts(text, STR("Root=")))
		text = str_slice(text, 5, str_until(text, 5, ';') - 5);
	return str_starts(text, STR("1-")) &&
	       parse_groups(str_slice(text, 2, text.len), digits,
			    COUNT_OF(digits), out);
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
	if (is_all_hex(text))
		return error_set(err, ERROR_USAGE,
				 "trace id \"%.*s\" has %zu hex digits; a "
				 "trace id has at most 32",
				 STR_ARGS(shown), text.len);
	if (str_find(text, STR("://")) != SIZE_MAX)
		return input_fail_address(text, err);
	if (memchr(text.ptr, '/', text.len) || memchr(text.ptr, '.', text.len))
		return error_set(err, ERROR_USAGE,
				 "%.*s: no such file (and it is not a trace "
				 "id)",
				 STR_ARGS(text));
	return error_set(err, ERROR_USAGE,
			 "\"%.*s\" is not a trace: give up to 32 hex digits, a "
			 "traceparent, a URL that holds an id, a file, or -; "
			 "for a service use --service",
			 STR_ARGS(shown));
}

/* The names of a trace's id in logs and headers. */
static const char *const id_names[] = { "traceparent", "trace_id", "traceid",
					"trace-id",    "trace.id", "trace" };

static struct str text_unquoted(struct str text)
{
	text = str_trim(text);
	while (text.len && strchr("\"'", text.ptr[0]))
		text = str_slice(text, 1, text.len);
	while (text.len && strchr("\"',", text.ptr[text.len - 1]))
		text.len--;
	return text;
}

/* Strips the name from "trace_id=ID", "traceparent: 00-...", "\"traceId\":
 * \"ID\","; other text is unchanged. */
static struct str without_name(struct str text)
{
	size_t end = min_size(str_until(text, 0, '='),
			      str_until(text, 0, ':'));
	struct str name = text_unquoted(str_slice(text, 0, end));

	if (end == text.len ||
	    !str_is_one_of_nocase(name, id_names, COUNT_OF(id_names)))
		return text;
	return text_unquoted(str_slice(text, end + 1, text.len));
}

bool trace_arg_parse(const char *text, struct trace_arg *out, struct error *err)
{
	/* The form in logs of an id that was stored as a UUID. */
	static const unsigned uuid[] = { 8, 4, 4, 4, 12 };
	struct str trimmed = without_name(str_trim(str_from(text)));
	int why_no_file;

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
	why_no_file = errno;
	if (parse_google(trimmed, out) || parse_xray(trimmed, out) ||
	    parse_groups(trimmed, uuid, COUNT_OF(uuid), out))
		return true;
	if (str_starts(trimmed, STR("0x")))
		trimmed = str_slice(trimmed, 2, trimmed.len);
	out->id_digits = (unsigned)trimmed.len;
	if (is_all_hex(trimmed) && trace_id_parse(trimmed, &out->id))
		return !trace_id_is_zero(&out->id) ||
		       error_set(err, ERROR_USAGE,
				 "the trace id is all zeros, which means that "
				 "there is no trace");
	return input_is_absent(why_no_file)
		       ? fail_text(trimmed, err)
		       : file_fail_read(text, why_no_file, err);
}

/* Some tracers write 64-bit ids as decimal numbers: with at least this many
 * digits that is more likely than an id with leading zeros. */
#define DECIMAL_DIGITS 17

void trace_arg_doubt(const struct trace_arg *arg, const char *text,
		     struct buf *out)
{
	struct str given = str_trim(str_from(text));
	uint64_t number;

	if (arg->id_digits == 0 || arg->id_digits >= TRACE_ID_DIGITS)
		return;
	if (given.len >= DECIMAL_DIGITS && parse_u64(given, &number))
		buf_addf(out, " (if this is a decimal number: give %016llx)",
			 (unsigned long long)number);
	else if (arg->id_digits == SPAN_ID_DIGITS)
		buf_add_text(out, " (16 digits are also a span's id: give the "
				  "trace's, and the span's with --span)");
	else
		buf_addf(out, " (the %u digit%s given, with zeros in front%s)",
			 arg->id_digits, &"s"[arg->id_digits == 1],
			 strstr(text, "://")
				 ? ""
				 : "; no file has that name either");
}

/* ---- the trace itself ---- */

struct trace_files {
	struct trace_source *sources;
	struct input *inputs;
	size_t count; /* number of open files */
	struct trace_build *survey; /* for traces linked to the trace; or
				     * NULL */
};

void trace_files_free(struct trace_files *f)
{
	if (!f)
		return;
	trace_build_free(f->survey);
	for (size_t i = 0; i < f->count; i++)
		input_release(&f->inputs[i]);
	mem_free(f->sources);
	mem_free(f->inputs);
	mem_free(f);
}

static struct trace_files *open_files(const char *const *paths, size_t count,
				      struct error *err)
{
	struct trace_files *f = mem_calloc(1, sizeof *f);
	bool done = f != NULL;

	if (done) {
		f->sources = mem_calloc(count, sizeof *f->sources);
		f->inputs = mem_calloc(count, sizeof *f->inputs);
		done = f->sources && f->inputs;
	}
	if (!done)
		error_memory(err, "the files");
	while (done && f->count < count) {
		struct input *in = &f->inputs[f->count];

		done = input_open_trace(in, paths[f->count], err);
		if (done)
			f->sources[f->count] =
				(struct trace_source){ .name = in->name,
						       .format = in->format,
						       .feed = in->feed };
		f->count++;
	}
	if (done)
		return f;
	trace_files_free(f);
	return NULL;
}

/* Several files are parts of one trace; reads it, or the longest one in
 * them. */
static bool read_files(const struct trace_named *n, struct backends *b,
		       struct trace *trace, struct error *err)
{
	struct trace_files *f = open_files(n->paths, n->count, err);
	bool done = f && decode_trace_sources(f->sources, n->count,
					      trace_id_is_zero(&n->arg.id)
						      ? NULL
						      : &n->arg.id,
					      trace, b->notes, err);

	if (done && trace->oddities.may_have_links &&
	    (trace->oddities.trace_count > 1 ||
	     trace->oddities.foreign_count)) {
		trace_files_free(b->trace_files);
		b->trace_files = f;
	} else {
		trace_files_free(f);
	}
	return done;
}

bool trace_files_linking(struct trace_files *f, const struct trace_id *id,
			 struct hits *hits, struct error *err)
{
	if (!f->survey)
		f->survey = decode_linking(f->sources, f->count, id, err);
	return f->survey && trace_build_linking_hits(f->survey, hits, err);
}

bool trace_files_fetch(struct trace_files *f, const struct trace_id *id,
		       struct trace *trace, struct error *err)
{
	return decode_found_trace(f->sources, f->count, f->survey, id, trace,
				  err);
}

/* Arguments after the first are always files, and then so is the first. */
static bool check_files(const char *const *texts, size_t count,
			const struct trace_arg *arg, struct error *err)
{
	struct trace_arg other = { 0 };

	if (!arg->path)
		return error_set(err, ERROR_USAGE,
				 "one trace at a time: \"%s\" is one too many "
				 "(files of one trace may be several)",
				 texts[1]);
	for (size_t i = 1; i < count; i++)
		if (!trace_arg_parse(texts[i], &other, err) ||
		    (!other.path &&
		     !error_set(err, ERROR_USAGE,
				"one trace at a time: \"%s\" is no file",
				texts[i])))
			return false;
	return true;
}

bool trace_named_parse(struct trace_named *n, const char *const *texts,
		       size_t count, const struct backends *b,
		       struct error *err)
{
	*n = (struct trace_named){ .text = count ? texts[0] : NULL };
	if ((n->text && !trace_arg_parse(n->text, &n->arg, err)) ||
	    (count > 1 && !check_files(texts, count, &n->arg, err)))
		return false;
	n->paths = n->arg.path ? texts : &b->traces.path;
	n->count = n->arg.path ? count : b->traces.path != NULL;
	return n->count || n->text ||
	       error_set(err, ERROR_USAGE,
			 "no trace given: give an id, a file or -, or "
			 "for slow what to search (--service NAME; "
			 "tracefind help slow)");
}

bool trace_named_fetch(const struct trace_named *n, struct backends *b,
		       const struct time_range *window, struct trace *trace,
		       enum trace_found *found, struct error *err)
{
	*found = TRACE_FOUND;
	return n->count ? read_files(n, b, trace, err)
			: trace_fetch(b, &n->arg.id, window, trace, found, err);
}

static bool fail_missing(const struct trace_named *n, struct backends *b,
			 struct str source, struct error *err)
{
	const struct trace_backend *t = backends_traces(b);
	const char *tenant = b->traces.endpoint.tenant_id;
	struct buf doubt;
	char hex[33];

	trace_id_format(&n->arg.id, hex);
	if (t->missing_advice)
		return error_set(err, ERROR_NOT_FOUND, "%.*s: no trace %s: %s",
				 STR_ARGS(source), hex, t->missing_advice);
	buf_init(&doubt, LIMIT_ERROR_BYTES);
	trace_arg_doubt(&n->arg, n->text, &doubt);
	if (tenant)
		error_set(err, ERROR_NOT_FOUND,
			  "%.*s: no trace %s%s (tenant \"%s\"): check "
			  "id and tenant; it may also be past retention",
			  STR_ARGS(source), hex, buf_text(&doubt), tenant);
	else
		error_set(err, ERROR_NOT_FOUND,
			  "%.*s: no trace %s%s: check the id; it may be past "
			  "retention, not sent yet, or another tenant's "
			  "(--tenant-id)",
			  STR_ARGS(source), hex, buf_text(&doubt));
	buf_release(&doubt);
	return false;
}

bool trace_named_check(const struct trace_named *n, struct backends *b,
		       const struct trace *trace, enum trace_found found,
		       struct arena *arena, struct str *source,
		       struct error *err)
{
	if (!n->count) {
		*source = backends_side_name(b, &b->traces);
		return found || fail_missing(n, b, *source, err);
	}
	*source = strcmp(n->paths[0], "-") ? str_from(n->paths[0])
					   : STR("standard input");
	if (n->count > 1)
		*source = arena_printf(arena, "%.*s and %zu more",
				       STR_ARGS(*source), n->count - 1);
	if (!source->ptr)
		return arena_fail(arena, "a name", err);
	return trace->span_count > 0 ||
	       error_set(err, ERROR_NOT_FOUND, "%.*s: %s", STR_ARGS(*source),
			 trace_id_is_zero(&n->arg.id)
				 ? "the document holds no spans"
				 : "no spans of the requested trace; without "
				   "an id the longest trace is used and the "
				   "others are listed");
}
