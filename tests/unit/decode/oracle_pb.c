/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_spans.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "otlp_trace.pb-c.h"

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

/* What is empty may point nowhere. */
static void put_bare(FILE *out, const ProtobufCBinaryData *bytes)
{
	if (bytes->len)
		fwrite(bytes->data, 1, bytes->len, out);
}

static void put_pb(FILE *out, const Tracefind__Otlp__AnyValue *v, bool is_top)
{
	if (!v) {
		fputs(is_top ? "" : "null", out);
	} else if (v->has_string_value && is_top) {
		put_bare(out, &v->string_value);
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
	struct spans spans = { .count = 0 };
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
