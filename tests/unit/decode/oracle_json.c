/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_spans.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void copy_resource(struct seen_span *s, const struct seen_span *from)
{
	for (size_t i = 0; i < from->pair_count; i++)
		add_pair(s, "r:", str_from(from->pairs[i].key + 2),
			 strdup(from->pairs[i].value));
}

static void keep_trace(struct spans *spans, const char *want)
{
	size_t kept = 0;

	for (size_t i = 0; i < spans->count; i++)
		if (!want || !strcmp(spans->items[i].trace_id, want))
			spans->items[kept++] = spans->items[i];
		else
			free_span(&spans->items[i]);
	spans->count = kept;
}

/* ---- OTLP JSON ---- */

static void id_of(const json_t *value, size_t digits, char *out)
{
	const char *text = json_string_value(value);
	unsigned char raw[64];
	size_t len = 0;
	unsigned n = 0, bits = 0;

	memset(out, '0', digits);
	out[digits] = '\0';
	if (!text)
		return;
	if (strlen(text) == digits) {
		for (size_t i = 0; i < digits; i++)
			out[i] = text[i] >= 'A' && text[i] <= 'F'
					 ? (char)(text[i] + 32)
					 : text[i];
		return;
	}
	if (digits == 32 && strlen(text) == 16) {
		memcpy(out + 16, text, 16);
		return;
	}
	for (; *text && *text != '='; text++) {
		static const char base[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"abcdefghijklmnopqrstuvwxyz0123456789+/";

		n = n << 6 | (unsigned)(strchr(base, *text) - base);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			raw[len++] = (unsigned char)(n >> bits);
		}
	}
	assert_int_equal(2 * len, digits);
	for (size_t i = 0; i < len; i++)
		sprintf(out + 2 * i, "%02x", raw[i]);
}

static uint64_t number_of(const json_t *value)
{
	if (json_is_string(value))
		return strtoull(json_string_value(value), NULL, 10);
	return (uint64_t)json_integer_value(value);
}

static double real_of(const json_t *value)
{
	if (!json_is_string(value))
		return json_number_value(value);
	if (!strcmp(json_string_value(value), "NaN"))
		return (double)NAN;
	return *json_string_value(value) == '-' ? -(double)INFINITY
						: (double)INFINITY;
}

static int enum_of(const json_t *value, const char *const *names)
{
	if (json_is_integer(value))
		return (int)json_integer_value(value);
	for (int i = 0; value && names[i]; i++)
		if (!strcmp(names[i], json_string_value(value)))
			return i;
	return 0;
}

static void put_json(FILE *out, const json_t *any, bool is_top)
{
	const char *member = NULL;
	const json_t *v = NULL;
	const json_t *values;
	void *at = json_object_iter((json_t *)(uintptr_t)any);

	if (at) {
		member = json_object_iter_key(at);
		v = json_object_iter_value(at);
	}
	if (!member) {
		fputs(is_top ? "" : "null", out);
	} else if (json_is_string(v) && strcmp(member, "intValue") != 0 &&
		   strcmp(member, "doubleValue") != 0) {
		if (is_top)
			fwrite(json_string_value(v), 1, json_string_length(v),
			       out);
		else
			put_quoted(out, json_string_value(v),
				   json_string_length(v));
	} else if (json_is_boolean(v)) {
		fputs(json_is_true(v) ? "true" : "false", out);
	} else if (!strcmp(member, "intValue")) {
		fprintf(out, "%" PRId64, (int64_t)number_of(v));
	} else if (!strcmp(member, "doubleValue")) {
		char *text = double_text(real_of(v));

		fputs(text, out);
		free(text);
	} else {
		bool is_map = !strcmp(member, "kvlistValue");

		values = json_object_get(v, "values");
		putc(is_map ? '{' : '[', out);
		for (size_t i = 0; i < json_array_size(values); i++) {
			const json_t *item = json_array_get(values, i);
			const json_t *key = json_object_get(item, "key");

			fputs(i ? "," : "", out);
			if (!is_map) {
				put_json(out, item, false);
				continue;
			}
			put_quoted(out, key ? json_string_value(key) : "",
				   json_string_length(key));
			putc(':', out);
			put_json(out, json_object_get(item, "value"), false);
		}
		putc(is_map ? '}' : ']', out);
	}
}

static struct str str_of(const json_t *value)
{
	return (struct str){ value ? json_string_value(value) : "",
			     json_string_length(value) };
}

static char *safe_of(const json_t *value)
{
	return escaped(str_of(value).ptr, str_of(value).len);
}

static void json_pairs(struct seen_span *s, const char *prefix,
		       const json_t *kvs)
{
	for (size_t i = 0; i < json_array_size(kvs); i++) {
		const json_t *kv = json_array_get(kvs, i);
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		put_json(out, json_object_get(kv, "value"), true);
		fclose(out);
		add_pair(s, prefix, str_of(json_object_get(kv, "key")),
			 escaped(text, size));
		free(text);
	}
}

static void otlp_span(struct spans *spans, const json_t *resource,
		      const json_t *from)
{
	static const char *const kinds[] = { "",
					     "SPAN_KIND_INTERNAL",
					     "SPAN_KIND_SERVER",
					     "SPAN_KIND_CLIENT",
					     "SPAN_KIND_PRODUCER",
					     "SPAN_KIND_CONSUMER",
					     NULL };
	static const char *const codes[] = { "", "STATUS_CODE_OK",
					     "STATUS_CODE_ERROR", NULL };
	struct seen_span *s = add_span(spans);
	const json_t *status = json_object_get(from, "status");

	id_of(json_object_get(from, "traceId"), 32, s->trace_id);
	id_of(json_object_get(from, "spanId"), 16, s->span_id);
	id_of(json_object_get(from, "parentSpanId"), 16, s->parent_id);
	s->name = safe_of(json_object_get(from, "name"));
	s->kind = kind_of(enum_of(json_object_get(from, "kind"), kinds));
	s->start_ns = number_of(json_object_get(from, "startTimeUnixNano"));
	s->end_ns = number_of(json_object_get(from, "endTimeUnixNano"));
	s->is_error = enum_of(json_object_get(status, "code"), codes) == 2;
	s->status = safe_of(json_object_get(status, "message"));
	json_pairs(s, "r:", json_object_get(resource, "attributes"));
	json_pairs(s, "s:", json_object_get(from, "attributes"));
}

static void otlp_groups(struct spans *spans, const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);
		const json_t *scopes = json_object_get(group, "scopeSpans");

		for (size_t j = 0; j < json_array_size(scopes); j++) {
			const json_t *list = json_object_get(
				json_array_get(scopes, j), "spans");

			for (size_t k = 0; k < json_array_size(list); k++)
				otlp_span(spans,
					  json_object_get(group, "resource"),
					  json_array_get(list, k));
		}
	}
}

/* ---- Jaeger JSON ---- */

static char *tag_text(const json_t *tag)
{
	const json_t *v = json_object_get(tag, "value");
	char text[40];

	if (json_is_string(v))
		return safe_of(v);
	if (json_is_boolean(v))
		return strdup(json_is_true(v) ? "true" : "false");
	if (!strcmp(json_string_value(json_object_get(tag, "type")), "int64")) {
		snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(v));
		return strdup(text);
	}
	return double_text(json_number_value(v));
}

static void jaeger_tag(struct seen_span *s, const json_t *tag)
{
	static const char *const kinds[] = { "",	 "server",   "client",
					     "producer", "consumer", NULL };
	const json_t *value = json_object_get(tag, "value");
	struct str key = str_of(json_object_get(tag, "key"));

	if (str_equal(key, STR("span.kind"))) {
		s->kind = enum_of(value, kinds);
	} else if (str_equal(key, STR("otel.status_description"))) {
		s->status = safe_of(value);
	} else if (str_equal(key, STR("error")) && json_is_boolean(value)) {
		s->is_error |= json_is_true(value);
	} else {
		s->is_error |= str_equal(key, STR("error"));
		add_pair(s, "s:", key, tag_text(tag));
	}
}

static void jaeger_parent(struct seen_span *s, const json_t *refs,
			  const json_t *trace_id)
{
	static const char *const types[] = { "CHILD_OF", "FOLLOWS_FROM" };

	for (int type = 0; type < 2; type++)
		for (size_t i = 0; i < json_array_size(refs); i++) {
			const json_t *ref = json_array_get(refs, i);

			if (strcmp(str_of(json_object_get(ref, "refType")).ptr,
				   types[type]) ||
			    !json_equal(json_object_get(ref, "traceID"),
					trace_id))
				continue;
			id_of(json_object_get(ref, "spanID"), 16, s->parent_id);
			return;
		}
	id_of(NULL, 16, s->parent_id);
}

static void jaeger_warnings(struct seen_span *s, const json_t *warnings)
{
	char *text;
	size_t size;
	FILE *out;

	if (json_array_size(warnings) == 0)
		return;
	out = open_memstream(&text, &size);
	putc('[', out);
	for (size_t i = 0; i < json_array_size(warnings); i++) {
		struct str one = str_of(json_array_get(warnings, i));

		fputs(i ? "," : "", out);
		put_quoted(out, one.ptr, one.len);
	}
	putc(']', out);
	fclose(out);
	add_pair(s, "s:", STR("@jaeger@warnings"), escaped(text, size));
	free(text);
}

static void jaeger_span(struct spans *spans, const json_t *from,
			const json_t *process)
{
	struct seen_span *s = add_span(spans);
	struct seen_span resource = { .pair_count = 0 };
	const json_t *tags = json_object_get(process, "tags");
	const json_t *trace_id = json_object_get(from, "traceID");

	id_of(trace_id, 32, s->trace_id);
	id_of(json_object_get(from, "spanID"), 16, s->span_id);
	jaeger_parent(s, json_object_get(from, "references"), trace_id);
	s->name = safe_of(json_object_get(from, "operationName"));
	s->start_ns = number_of(json_object_get(from, "startTime")) * 1000;
	s->end_ns = s->start_ns +
		    number_of(json_object_get(from, "duration")) * 1000;
	for (size_t i = 0; i < json_array_size(tags); i++) {
		const json_t *tag = json_array_get(tags, i);

		add_pair(&resource, "r:", str_of(json_object_get(tag, "key")),
			 tag_text(tag));
	}
	add_pair(&resource, "r:", STR("service.name"),
		 safe_of(json_object_get(process, "serviceName")));
	copy_resource(s, &resource);
	free_span(&resource);
	tags = json_object_get(from, "tags");
	for (size_t i = 0; i < json_array_size(tags); i++)
		jaeger_tag(s, json_array_get(tags, i));
	jaeger_warnings(s, json_object_get(from, "warnings"));
}

static void jaeger_traces(struct spans *spans, const json_t *data)
{
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *trace = json_array_get(data, i);
		const json_t *list = json_object_get(trace, "spans");
		const json_t *processes = json_object_get(trace, "processes");

		for (size_t j = 0; j < json_array_size(list); j++) {
			const json_t *from = json_array_get(list, j);
			const json_t *id = json_object_get(from, "processID");

			jaeger_span(spans, from,
				    json_object_get(processes,
						    json_string_value(id)));
		}
	}
}

char *oracle_dump_json(struct str bytes, const char *want, unsigned flags)
{
	struct spans spans = { .count = 0 };
	size_t at = 0;

	while (at + 1 < bytes.len) {
		json_error_t err;
		json_t *doc = json_loadb(
			bytes.ptr + at, bytes.len - at,
			JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, &err);

		if (!doc)
			fail_msg("jansson: %s", err.text);
		at += (size_t)err.position;
		jaeger_traces(&spans, json_object_get(doc, "data"));
		otlp_groups(&spans, json_object_get(doc, "resourceSpans"));
		otlp_groups(&spans, json_object_get(doc, "batches"));
		otlp_groups(&spans,
			    json_object_get(json_object_get(doc, "trace"),
					    "resourceSpans"));
		otlp_groups(&spans,
			    json_object_get(json_object_get(doc, "result"),
					    "resourceSpans"));
		json_decref(doc);
	}
	keep_trace(&spans, want);
	mend_times(&spans);
	return dump(&spans, flags);
}
