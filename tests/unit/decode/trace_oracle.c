/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_oracle.h"

#include <glob.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "otlp_trace.pb-c.h"

/* ---- files ---- */

struct str oracle_load(const char *path)
{
	static char packed[4 << 20];
	char full[1024];
	struct str bytes;
	struct error err;
	struct buf plain;
	FILE *file;
	char *copy;

	snprintf(full, sizeof full, "%s/%s", getenv("TESTDATA"), path);
	file = fopen(full, "rb");
	if (!file)
		fail_msg("cannot open %s", full);
	bytes = (struct str){ packed, fread(packed, 1, sizeof packed, file) };
	fclose(file);
	assert_true(bytes.len < sizeof packed);
	buf_init(&plain, 64 * MIB);
	bytes = decode_plain(bytes, path, &plain, &err);
	assert_non_null(bytes.ptr);
	copy = malloc(bytes.len + 1);
	assert_non_null(copy);
	memcpy(copy, bytes.ptr, bytes.len);
	copy[bytes.len] = '\0';
	buf_release(&plain);
	return (struct str){ copy, bytes.len };
}

int oracle_each(const char *pattern, void (*call)(const char *path))
{
	const char *root = getenv("TESTDATA");
	char full[1024];
	glob_t found;
	int count;

	snprintf(full, sizeof full, "%s/%s", root, pattern);
	if (glob(full, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		call(found.gl_pathv[i] + strlen(root) + 1);
	count = (int)found.gl_pathc;
	globfree(&found);
	return count;
}

/* ---- spans as the oracle sees them ---- */

struct pair {
	char *key; /* escaped text of both */
	char *value;
};

struct seen_span {
	char trace_id[33];
	char span_id[17];
	char parent_id[17];
	char *name;
	char *status;
	int kind; /* enum span_kind */
	bool is_error;
	uint64_t start_ns, end_ns;
	struct pair pairs[200];
	size_t pair_count;
};

struct spans {
	struct seen_span *items;
	size_t count;
};

static char *escaped(const void *data, size_t len)
{
	const unsigned char *bytes = data;
	char *text = malloc(4 * len + 1), *at = text;

	assert_non_null(text);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] < 0x20 || bytes[i] == '|' || bytes[i] == '\\')
			at += sprintf(at, "\\x%02x", bytes[i]);
		else
			*at++ = (char)bytes[i];
	*at = '\0';
	return text;
}

static struct seen_span *add_span(struct spans *spans)
{
	spans->items = realloc(spans->items,
			       (spans->count + 1) * sizeof *spans->items);
	assert_non_null(spans->items);
	memset(&spans->items[spans->count], 0, sizeof *spans->items);
	return &spans->items[spans->count++];
}

/* owned_value is taken, already escaped. A later equal key wins. */
static void add_pair(struct seen_span *s, const char *prefix, struct str key,
		     char *owned_value)
{
	char name[100];

	if (!attr_is_kept(key)) {
		free(owned_value);
		return;
	}
	snprintf(name, sizeof name, "%s%.*s", prefix, STR_ARGS(key));
	for (size_t i = 0; i < s->pair_count; i++)
		if (!strcmp(s->pairs[i].key, name)) {
			free(s->pairs[i].value);
			s->pairs[i].value = owned_value;
			return;
		}
	assert_true(s->pair_count < 200);
	s->pairs[s->pair_count].key = strdup(name);
	s->pairs[s->pair_count++].value = owned_value;
}

static void copy_resource(struct seen_span *s, const struct seen_span *from)
{
	for (size_t i = 0; i < from->pair_count; i++)
		add_pair(s, "r:", str_from(from->pairs[i].key + 2),
			 strdup(from->pairs[i].value));
}

static void free_span(struct seen_span *s)
{
	for (size_t i = 0; i < s->pair_count; i++) {
		free(s->pairs[i].key);
		free(s->pairs[i].value);
	}
	free(s->name);
	free(s->status);
}

/* ---- text ---- */

static int compare_pairs(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->key,
		      ((const struct pair *)b)->key);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *line_of(struct seen_span *s, unsigned flags)
{
	uint64_t unit = flags & DUMP_MICROSECONDS ? 1000 : 1;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "%s<%s %s|%d|%d|%s|%" PRIu64 "+%" PRIu64, s->span_id,
		s->parent_id, s->name ? s->name : "", s->kind, s->is_error,
		s->status ? s->status : "", s->start_ns / unit,
		(s->end_ns - s->start_ns) / unit);
	qsort(s->pairs, s->pair_count, sizeof *s->pairs, compare_pairs);
	for (size_t i = 0; i < s->pair_count; i++)
		if (!(flags & DUMP_NO_WARNINGS) ||
		    strcmp(s->pairs[i].key, "s:@jaeger@warnings") != 0)
			fprintf(out, "|%s=%s", s->pairs[i].key,
				s->pairs[i].value);
	fclose(out);
	return text;
}

/* Sorted lines, equal ones once. Frees the spans. */
static char *dump(struct spans *spans, unsigned flags)
{
	char **lines = calloc(spans->count + 1, sizeof *lines);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(lines);
	assert_non_null(out);
	for (size_t i = 0; i < spans->count; i++) {
		lines[i] = line_of(&spans->items[i], flags);
		free_span(&spans->items[i]);
	}
	free(spans->items);
	qsort(lines, spans->count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < spans->count; i++)
		if (i == 0 || strcmp(lines[i - 1], lines[i]) != 0)
			fprintf(out, "%s\n", lines[i]);
	for (size_t i = 0; i < spans->count; i++)
		free(lines[i]);
	free(lines);
	fclose(out);
	return text;
}

/* ---- the model's rules, said once more ---- */

static bool is_this_century(uint64_t ns)
{
	return ns >= 946684800000000000u && ns < 4102444800000000000u;
}

static void mend_times(struct spans *spans)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < spans->count; i++) {
		const struct seen_span *s = &spans->items[i];

		if (is_this_century(s->start_ns) && s->start_ns < first)
			first = s->start_ns;
		if (is_this_century(s->end_ns) && s->end_ns < first)
			first = s->end_ns;
	}
	for (size_t i = 0; i < spans->count; i++) {
		struct seen_span *s = &spans->items[i];

		if (!is_this_century(s->start_ns))
			s->end_ns = s->start_ns =
				is_this_century(s->end_ns) ? s->end_ns : first;
		if (!is_this_century(s->end_ns) || s->end_ns < s->start_ns)
			s->end_ns = s->start_ns;
		if (s->end_ns - s->start_ns != 1)
			continue;
		for (size_t j = 0; j < s->pair_count; j++)
			if (!strcmp(s->pairs[j].key, "s:@jaeger@warnings") &&
			    strstr(s->pairs[j].value, "Negative duration"))
				s->end_ns = s->start_ns;
	}
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

/* ---- our reader's opinion ---- */

static char *symbol(const struct trace *t, uint32_t id)
{
	return escaped(trace_text(t, id).ptr, trace_text(t, id).len);
}

static void model_pairs(const struct trace *t, struct seen_span *s,
			const char *prefix, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		add_pair(s, prefix, trace_text(t, t->attrs[i].key),
			 symbol(t, t->attrs[i].value));
}

char *oracle_dump_model(const struct trace *t, unsigned flags)
{
	struct spans spans = { NULL, 0 };

	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *from = &t->spans[i];
		const struct resource *r = &t->resources[from->resource];
		struct seen_span *s = add_span(&spans);

		span_id_format(from->span_id, s->span_id);
		span_id_format(from->parent_id, s->parent_id);
		s->name = symbol(t, from->name);
		s->status = symbol(t, from->status_message);
		s->kind = from->kind;
		s->is_error = from->flags & SPAN_IS_ERROR;
		s->start_ns = (uint64_t)from->start_ns;
		s->end_ns = (uint64_t)from->end_ns;
		model_pairs(t, s, "r:", r->attr_first, r->attr_count);
		model_pairs(t, s, "s:", from->attr_first, from->attr_count);
	}
	return dump(&spans, flags);
}

char *oracle_decode(enum format format, struct str bytes, const char *want,
		    unsigned flags)
{
	static struct notes notes;
	struct trace_id id;
	struct trace trace;
	struct error err;
	char *text;

	if (want)
		assert_true(trace_id_parse(str_from(want), &id));
	notes_init(&notes);
	trace_init(&trace);
	if (!decode_trace(format, bytes, want ? &id : NULL, &trace, &notes,
			  &err))
		fail_msg("%s: %s", format_name(format), err.message);
	text = oracle_dump_model(&trace, flags);
	trace_release(&trace);
	return text;
}

void oracle_compare(const char *path, const char *got, const char *expected)
{
	size_t at = 0, line = 0;

	if (!strcmp(got, expected))
		return;
	for (; got[at] && got[at] == expected[at]; at++)
		if (got[at] == '\n')
			line = at + 1;
	fail_msg("%s\n got:      %.*s\n expected: %.*s", path,
		 (int)strcspn(got + line, "\n"), got + line,
		 (int)strcspn(expected + line, "\n"), expected + line);
}

/* ---- numbers and nested values ---- */

static char *double_text(double value)
{
	char text[40];

	if (isnan(value))
		return strdup("NaN");
	if (isinf(value))
		return strdup(value > 0 ? "Infinity" : "-Infinity");
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) >= value && strtod(text, NULL) <= value)
			break;
	}
	return strdup(text);
}

static void put_quoted(FILE *out, const char *text, size_t len)
{
	putc('"', out);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '"' || text[i] == '\\')
			fprintf(out, "\\%c", text[i]);
		else if ((unsigned char)text[i] < 0x20)
			fprintf(out, "\\u%04x", (unsigned char)text[i]);
		else
			putc(text[i], out);
	putc('"', out);
}

/* ---- protobuf ---- */

static void hex_of(const ProtobufCBinaryData *id, size_t size, char *out)
{
	memset(out, '0', 2 * size);
	out[2 * size] = '\0';
	if (id->len == size)
		for (size_t i = 0; i < size; i++)
			sprintf(out + 2 * i, "%02x", id->data[i]);
}

static void put_base64(FILE *out, const ProtobufCBinaryData *bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes->len; i += 3) {
		size_t left = bytes->len - i;
		unsigned n = (unsigned)bytes->data[i] << 16;

		n |= left > 1 ? (unsigned)bytes->data[i + 1] << 8 : 0;
		n |= left > 2 ? bytes->data[i + 2] : 0;
		putc(digits[n >> 18], out);
		putc(digits[n >> 12 & 63], out);
		putc(left > 1 ? digits[n >> 6 & 63] : '=', out);
		putc(left > 2 ? digits[n & 63] : '=', out);
	}
}

static void put_pb(FILE *out, const Tracefind__Otlp__AnyValue *v, bool is_top)
{
	if (!v) {
		fputs(is_top ? "" : "null", out);
	} else if (v->has_string_value && is_top) {
		fwrite(v->string_value.data, 1, v->string_value.len, out);
	} else if (v->has_string_value) {
		put_quoted(out, (const char *)v->string_value.data,
			   v->string_value.len);
	} else if (v->has_bool_value) {
		fputs(v->bool_value ? "true" : "false", out);
	} else if (v->has_int_value) {
		fprintf(out, "%" PRId64, v->int_value);
	} else if (v->has_double_value) {
		char *text = double_text(v->double_value);

		fputs(text, out);
		free(text);
	} else if (v->array_value) {
		putc('[', out);
		for (size_t i = 0; i < v->array_value->n_values; i++) {
			fputs(i ? "," : "", out);
			put_pb(out, v->array_value->values[i], false);
		}
		putc(']', out);
	} else if (v->kvlist_value) {
		putc('{', out);
		for (size_t i = 0; i < v->kvlist_value->n_values; i++) {
			const Tracefind__Otlp__KeyValue *kv =
				v->kvlist_value->values[i];

			fputs(i ? "," : "", out);
			put_quoted(out, (const char *)kv->key.data,
				   kv->key.len);
			putc(':', out);
			put_pb(out, kv->value, false);
		}
		putc('}', out);
	} else if (v->has_bytes_value) {
		fputs(is_top ? "" : "\"", out);
		put_base64(out, &v->bytes_value);
		fputs(is_top ? "" : "\"", out);
	} else {
		fputs(is_top ? "" : "null", out);
	}
}

static void pb_pairs(struct seen_span *s, const char *prefix,
		     Tracefind__Otlp__KeyValue **kvs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *text, *safe;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		put_pb(out, kvs[i]->value, true);
		fclose(out);
		safe = escaped(text, size);
		free(text);
		add_pair(s, prefix,
			 (struct str){ (const char *)kvs[i]->key.data,
				       kvs[i]->key.len },
			 safe);
	}
}

static int kind_of(int64_t otlp)
{
	return otlp >= 2 && otlp <= 5 ? (int)otlp - 1 : 0;
}

static void pb_span(struct spans *spans, const Tracefind__Otlp__Resource *r,
		    const Tracefind__Otlp__Span *from)
{
	struct seen_span *s = add_span(spans);

	hex_of(&from->trace_id, 16, s->trace_id);
	hex_of(&from->span_id, 8, s->span_id);
	hex_of(&from->parent_span_id, 8, s->parent_id);
	s->name = escaped(from->name.data, from->name.len);
	s->kind = kind_of(from->kind);
	s->start_ns = from->start_time_unix_nano;
	s->end_ns = from->end_time_unix_nano;
	if (from->status) {
		s->is_error = from->status->code == 2;
		s->status = escaped(from->status->message.data,
				    from->status->message.len);
	}
	if (r)
		pb_pairs(s, "r:", r->attributes, r->n_attributes);
	pb_pairs(s, "s:", from->attributes, from->n_attributes);
}

static void pb_trace(struct spans *spans, const Tracefind__Otlp__TracesData *t)
{
	for (size_t i = 0; i < t->n_resource_spans; i++) {
		const Tracefind__Otlp__ResourceSpans *rs = t->resource_spans[i];

		for (size_t j = 0; j < rs->n_scope_spans; j++)
			for (size_t k = 0; k < rs->scope_spans[j]->n_spans; k++)
				pb_span(spans, rs->resource,
					rs->scope_spans[j]->spans[k]);
	}
}

char *oracle_dump_pb(struct str bytes, bool is_tempo, unsigned flags)
{
	struct spans spans = { NULL, 0 };
	const uint8_t *data = (const uint8_t *)bytes.ptr;

	if (is_tempo) {
		Tracefind__Otlp__TempoResponse *t =
			tracefind__otlp__tempo_response__unpack(NULL, bytes.len,
								data);

		assert_non_null(t);
		if (t->trace)
			pb_trace(&spans, t->trace);
		tracefind__otlp__tempo_response__free_unpacked(t, NULL);
	} else {
		Tracefind__Otlp__TracesData *t =
			tracefind__otlp__traces_data__unpack(NULL, bytes.len,
							     data);

		assert_non_null(t);
		pb_trace(&spans, t);
		tracefind__otlp__traces_data__free_unpacked(t, NULL);
	}
	mend_times(&spans);
	return dump(&spans, flags);
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
	struct spans spans = { NULL, 0 };
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
