/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_spans.h"

#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

char *escaped(const void *data, size_t len)
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

struct seen_span *add_span(struct spans *spans)
{
	if (spans->count == spans->cap) {
		spans->cap = spans->cap ? 2 * spans->cap : 16;
		spans->items = realloc(spans->items,
				       spans->cap * sizeof *spans->items);
		assert_non_null(spans->items);
	}
	memset(&spans->items[spans->count], 0, sizeof *spans->items);
	return &spans->items[spans->count++];
}

void add_pair(struct seen_span *s, const char *prefix, struct str key,
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

void free_span(struct seen_span *s)
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

char *dump(struct spans *spans, unsigned flags)
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

void mend_times(struct spans *spans)
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
	struct spans spans = { .count = 0 };

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

char *double_text(double value)
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

void put_quoted(FILE *out, const char *text, size_t len)
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

int kind_of(int64_t otlp)
{
	return otlp >= 2 && otlp <= 5 ? (int)otlp - 1 : 0;
}
