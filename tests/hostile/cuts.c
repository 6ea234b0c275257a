/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded answers, one of each format, cut after every byte. Each cut is read
 * twice: as a server's answer, of a format that is known, and as a file, whose
 * format is recognised. It must be refused, or be taken for good reason: the
 * rule of its format says where, and what is read then must be the whole or a
 * part of it. TAP, a line an answer.
 *
 *   hostile-cuts [--all]      without --all, short answers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/input.h"
#include "base/gz.h"
#include "base/limits.h"
#include "decode/wire.h"

#define PATH_BYTES 512
#define SHOWN 5u

/* Where a cut may be taken. */
enum rule {
	/* Nothing but blanks is missing. */
	RULE_WHOLE = 0,
	/* Between two fields of the outermost message, which has no end of its
	 * own: a server states the length of its answer, and where an answer
	 * is one field nothing can be taken. Or nothing at all is left. */
	RULE_FIELDS,
	/* Between two lines, each a document. */
	RULE_LINES,
	/* Anywhere, but the reader is told unless it is between two lines. */
	RULE_TOLD,
	/* The same between two paragraphs. */
	RULE_TOLD_PARAGRAPHS,
};

struct answer {
	enum format format;
	enum rule rule;
	bool is_packed; /* the bytes that are cut are gzip */
	/* Of each the first bytes, as many whole lines as that are; 0: all. */
	const char *short_path;
	size_t short_bytes;
	const char *long_path;
	size_t long_bytes;
};

static const struct answer answers[] = {
	{ FORMAT_OTLP_JSON, RULE_WHOLE, false,
	  "tempo/trace-e1-orphan-v2-json/body.json", 0,
	  "tempo/trace-b-nplus1-v2-json/body.json", 0 },
	{ FORMAT_OTLP_JSON, RULE_LINES, false, "otlp/file-exporter.jsonl",
	  12 * KIB, "otlp/file-exporter.jsonl", 0 },
	{ FORMAT_OTLP_PB, RULE_FIELDS, false, "otlp/e1.pb", 0, "otlp/b.pb", 0 },
	{ FORMAT_TEMPO_PB, RULE_FIELDS, false,
	  "tempo/trace-c-fanout-v2-pb/body.pb", 0,
	  "tempo/trace-b-nplus1-v2-pb/body.pb", 0 },
	{ FORMAT_JAEGER_JSON, RULE_WHOLE, false,
	  "jaeger/trace-e2-rootless-legacy/body.json", 0,
	  "jaeger/trace-b-nplus1-legacy/body.json", 0 },
	{ FORMAT_ZIPKIN_JSON, RULE_WHOLE, false, "otlp/zipkin-shared.json", 0,
	  "otlp/zipkin-shared.json", 0 },
	{ FORMAT_CHROME_SPANS, RULE_WHOLE, false, "chrome/spans.json", 0,
	  "chrome/spans.json", 0 },
	{ FORMAT_DATADOG_JSON, RULE_WHOLE, false, "datadog/agent.json", 0,
	  "datadog/page.json", 0 },
	{ FORMAT_XRAY_JSON, RULE_WHOLE, false, "xray/batch-get-traces.json", 0,
	  "xray/batch-get-traces.json", 0 },
	{ FORMAT_CLOUD_TRACE_JSON, RULE_WHOLE, false, "google/trace.json", 0,
	  "google/trace.json", 0 },
	{ FORMAT_PPROF, RULE_FIELDS, false, "pprof/real-go-block.pb.gz", 0,
	  "pprof/real-go-heap.pb.gz", 0 },
	{ FORMAT_PPROF, RULE_WHOLE, true, "pprof/real-go-block.pb.gz", 0,
	  "pprof/real-go-cpu.pb.gz", 0 },
	{ FORMAT_FOLDED, RULE_TOLD, false, "folded/async-profiler.collapsed",
	  3 * KIB, "folded/py-spy.folded", 0 },
	{ FORMAT_SPEEDSCOPE, RULE_WHOLE, false, "fuzz/speedscope/written", 0,
	  "fuzz/speedscope/written", 0 },
	{ FORMAT_JFR, RULE_WHOLE, false, "fuzz/jfr/written", 0,
	  "jfr/work.jfr.gz", 0 },
	{ FORMAT_FIREFOX_PROFILE, RULE_WHOLE, false, "firefox/own.json", 0,
	  "firefox/shared.json", 0 },
	{ FORMAT_OTLP_PROFILES_PB, RULE_WHOLE, false, "otlp-profiles/example.pb", 0,
	  "otlp-profiles/example.pb", 0 },
	{ FORMAT_OTLP_PROFILES_JSON, RULE_WHOLE, false, "otlp-profiles/example.json", 0,
	  "otlp-profiles/example.json", 0 },
	{ FORMAT_PUSHED, RULE_FIELDS, false, "pushed/pyroscope.pb", 0,
	  "pushed/parca.pb", 0 },
	{ FORMAT_PUSHED, RULE_WHOLE, false, "pushed/ingest-end.form", 0,
	  "pushed/ingest.form", 0 },
	{ FORMAT_PUSHED, RULE_WHOLE, false, "pushed/pyroscope.json", 0,
	  "pushed/parca.json", 0 },
	{ FORMAT_CHROME_TRACE, RULE_WHOLE, false, "v8/page.trace.json", 0,
	  "v8/page.trace.json", 0 },
	{ FORMAT_V8_PROFILE, RULE_WHOLE, false, "v8/work.heapprofile", 0,
	  "v8/work.cpuprofile", 0 },
	{ FORMAT_PERF_SCRIPT, RULE_TOLD_PARAGRAPHS, false,
	  "perf/cpp-cpu-clock.txt.gz", 3 * KIB, "perf/cpp-cpu-clock.txt.gz",
	  24 * KIB },
	{ FORMAT_PYROSCOPE_TREE_PB, RULE_FIELDS, false,
	  "pyroscope/tree-proto/body.pb", 0,
	  "pyroscope/deep-tree-proto/body.pb", 0 },
	{ FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, RULE_WHOLE, false,
	  "pyroscope/flamegraph-json/body.json", 0,
	  "pyroscope/render-json/body.json", 0 },
};

#define CHECK(condition, what)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s: %s\n", what, #condition);         \
			exit(2);                                               \
		}                                                              \
	} while (0)

/* ---- what was read ---- */

struct outcome {
	struct trace trace;
	struct profile profile;
	struct notes notes;
	struct error err;
	bool is_trace;
	bool is_taken;
};

static void outcome_init(struct outcome *o)
{
	*o = (struct outcome){ .is_taken = false };
	trace_init(&o->trace);
	profile_init(&o->profile);
	notes_init(&o->notes);
}

static void outcome_release(struct outcome *o)
{
	trace_release(&o->trace);
	profile_release(&o->profile);
}

static const struct profile_want anything = { .type = { "", 0 } };

static void decode_bytes(enum format format, struct str bytes,
			 struct outcome *o)
{
	o->is_trace = format_is_trace(format);
	o->trace.wants_details = bytes.len % 2;
	o->is_taken = o->is_trace
			      ? decode_trace(format, bytes, NULL, &o->trace,
					     &o->notes, &o->err)
			      : decode_profile(format, bytes, &anything,
					       &o->profile, &o->notes, &o->err);
}

/* As an answer: memory of its own, so that a sanitizer sees a read past the
 * end. */
static void read_answer(enum format format, struct str bytes, struct outcome *o)
{
	char *copy = malloc(bytes.len ? bytes.len : 1);
	struct str given = { copy, bytes.len }, plain;
	struct buf storage;

	CHECK(copy, "memory");
	memcpy(copy, bytes.ptr, bytes.len);
	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	plain = decode_plain(given, "the answer", &storage, &o->err);
	if (plain.ptr)
		decode_bytes(format, plain, o);
	buf_release(&storage);
	free(copy);
}

static void read_file(const char *path, struct outcome *o)
{
	struct input in;

	if (!input_open(&in, path, &o->err))
		;
	else if (in.format == FORMAT_UNKNOWN)
		error_set(&o->err, ERROR_FORMAT, "%s", in.looks_like);
	else if (!in.feed)
		decode_bytes(in.format, in.bytes, o);
	else if (format_is_trace(in.format)) {
		o->is_trace = true;
		o->is_taken = decode_trace_feed(in.format, in.feed, NULL,
						&o->trace, &o->notes, &o->err);
	} else {
		o->is_taken =
			decode_profile_feed(in.format, in.feed, &anything,
					    &o->profile, &o->notes, &o->err);
	}
	input_release(&in);
}

/* ---- a part of the whole ---- */

static bool is_span_of(const struct trace *part, uint32_t i,
		       const struct trace *whole)
{
	const struct span *s = &part->spans[i];

	for (uint32_t k = 0; k < whole->span_count; k++) {
		const struct span *w = &whole->spans[k];

		if (w->span_id == s->span_id && w->kind == s->kind &&
		    w->start_ns == s->start_ns && w->end_ns == s->end_ns &&
		    w->parent_id == s->parent_id && w->flags == s->flags &&
		    str_equal(span_name(part, i), span_name(whole, k)) &&
		    str_equal(span_service(part, i), span_service(whole, k)))
			return true;
	}
	return false;
}

static bool is_same_stack(const struct profile *a, const struct stack *x,
			  const struct profile *b, const struct stack *y)
{
	if (x->frame_count != y->frame_count)
		return false;
	for (uint32_t i = 0; i < x->frame_count; i++) {
		const struct frame *f =
			&a->frames[a->frame_ids[x->frame_first + i]];
		const struct frame *g =
			&b->frames[b->frame_ids[y->frame_first + i]];

		if (f->line != g->line ||
		    !str_equal(function_name(a, f->function),
			       function_name(b, g->function)))
			return false;
	}
	return true;
}

static bool is_stack_of(const struct profile *part, const struct stack *s,
			const struct profile *whole)
{
	for (uint32_t k = 0; k < whole->stack_count; k++)
		if (is_same_stack(part, s, whole, &whole->stacks[k]))
			return s->value <= whole->stacks[k].value;
	return false;
}

static bool is_part(const struct outcome *part, const struct outcome *whole)
{
	if (part->is_trace) {
		for (uint32_t i = 0; i < part->trace.span_count; i++)
			if (!is_span_of(&part->trace, i, &whole->trace))
				return false;
		return true;
	}
	for (uint32_t i = 0; i < part->profile.stack_count; i++)
		if (!is_stack_of(&part->profile, &part->profile.stacks[i],
				 &whole->profile))
			return false;
	return true;
}

static bool is_whole(const struct outcome *part, const struct outcome *whole)
{
	return part->trace.span_count == whole->trace.span_count &&
	       part->profile.stack_count == whole->profile.stack_count &&
	       part->profile.total == whole->profile.total &&
	       is_part(part, whole);
}

static bool is_told(const struct outcome *o)
{
	for (size_t i = 0; i < o->notes.count; i++)
		if (strstr(o->notes.text[i], "may be cut off"))
			return true;
	return false;
}

/* ---- rules ---- */

static bool is_field_end(struct str bytes, size_t cut)
{
	struct wire w;
	struct wire_field f;

	wire_init(&w, bytes);
	while (wire_next(&w, &f))
		if (w.at == cut)
			return true;
	return false;
}

static bool is_line_end(struct str bytes, size_t cut)
{
	return bytes.ptr[cut] == '\n' || bytes.ptr[cut - 1] == '\n';
}

static bool is_paragraph_end(struct str bytes, size_t cut)
{
	return cut >= 2 && bytes.ptr[cut - 1] == '\n' &&
	       bytes.ptr[cut - 2] == '\n';
}

static bool ends_where_it_may(const struct answer *a, struct str bytes,
			      size_t cut)
{
	switch (a->rule) {
	case RULE_FIELDS:
		return is_field_end(bytes, cut);
	case RULE_LINES:
	case RULE_TOLD:
		return is_line_end(bytes, cut);
	case RULE_TOLD_PARAGRAPHS:
		return is_paragraph_end(bytes, cut);
	case RULE_WHOLE:
		break;
	}
	return false;
}

/* What is wrong with what a cut gave, or NULL. Of pprof files the values are
 * read with the names at the end: all of them or none. */
static const char *complaint(const struct answer *a, struct str bytes,
			     size_t cut, const struct outcome *o,
			     const struct outcome *whole)
{
	const struct profile *p = &o->profile;

	if (!o->is_taken)
		return o->err.code == ERROR_NONE || !o->err.message[0]
			       ? "refused without words"
			       : NULL;
	if (!cut)
		return p->stack_count || o->trace.span_count ? "out of nothing"
							     : NULL;
	if (!str_trim(str_slice(bytes, cut, bytes.len)).len)
		return is_whole(o, whole) ? NULL : "another one than the whole";
	if (a->rule >= RULE_TOLD && is_told(o))
		return NULL;
	if (!ends_where_it_may(a, bytes, cut))
		return "taken for whole";
	if (a->format == FORMAT_PPROF && p->stack_count &&
	    p->total != whole->profile.total)
		return "another total";
	return is_part(o, whole) ? NULL : "not a part of the whole";
}

/* ---- the cuts of one answer ---- */

static void load(const char *name, size_t limit, bool is_packed,
		 struct buf *bytes)
{
	struct error err = { 0 };
	char path[PATH_BYTES], chunk[4096];
	struct buf packed;
	size_t got;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", getenv("TESTDATA"), name);
	file = fopen(path, "rb");
	CHECK(file, path);
	buf_init(bytes, LIMIT_FILE_BYTES);
	buf_init(&packed, LIMIT_FILE_BYTES);
	while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
		buf_add(&packed, chunk, got);
	fclose(file);
	if (gz_is(buf_str(&packed)) && !is_packed)
		CHECK(gz_inflate(buf_str(&packed), path, bytes, &err), path);
	else
		buf_add(bytes, packed.data, packed.len);
	buf_release(&packed);
	if (limit && bytes->len > limit)
		for (bytes->len = limit; bytes->data[bytes->len - 1] != '\n';)
			bytes->len--;
}

struct trials {
	size_t tried;
	size_t failed;
	size_t taken;
};

static void judge(const struct answer *a, struct str bytes, size_t cut,
		  const char *how, struct outcome *o,
		  const struct outcome *whole, struct trials *t)
{
	const char *wrong = complaint(a, bytes, cut, o, whole);

	t->tried++;
	t->taken += o->is_taken;
	t->failed += wrong != NULL;
	if (wrong && t->failed <= SHOWN)
		printf("# cut after %zu of %zu bytes, as %s: %s\n", cut,
		       bytes.len, how, wrong);
	outcome_release(o);
}

/* From the whole down: the file is cut for good. */
static void try_cuts(const struct answer *a, struct str bytes,
		     const struct outcome *whole, struct trials *t)
{
	int fd = memfd_create("answer", 0);
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	CHECK(fd >= 0 && write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len,
	      "memfd");
	for (size_t cut = bytes.len; cut-- > 0;) {
		struct outcome o;

		outcome_init(&o);
		read_answer(a->format, str_slice(bytes, 0, cut), &o);
		judge(a, bytes, cut, "an answer", &o, whole, t);
		CHECK(!ftruncate(fd, (off_t)cut), "ftruncate");
		outcome_init(&o);
		read_file(path, &o);
		judge(a, bytes, cut, "a file", &o, whole, t);
	}
	close(fd);
}

static bool try_answer(const struct answer *a, bool is_long, struct trials *sum)
{
	const char *name = is_long ? a->long_path : a->short_path;
	struct trials t = { 0 };
	struct outcome whole;
	struct buf bytes;

	load(name, is_long ? a->long_bytes : a->short_bytes, a->is_packed,
	     &bytes);
	outcome_init(&whole);
	read_answer(a->format, buf_str(&bytes), &whole);
	CHECK(whole.is_taken, name);
	CHECK(whole.trace.span_count || whole.profile.stack_count, name);
	try_cuts(a, buf_str(&bytes), &whole, &t);
	outcome_release(&whole);
	buf_release(&bytes);
	printf("%sok %zu - %s%s %s: %zu cuts, %zu taken\n",
	       t.failed ? "not " : "", (size_t)(a - answers) + 1,
	       format_name(a->format), a->is_packed ? ", packed" : "", name,
	       t.tried, t.taken);
	fflush(stdout);
	sum->tried += t.tried;
	sum->failed += t.failed;
	return t.failed == 0;
}

int main(int argc, char **argv)
{
	const size_t count = sizeof answers / sizeof *answers;
	bool is_long = argc > 1 && !strcmp(argv[1], "--all"), is_good = true;
	struct trials sum = { 0 };

	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++)
		is_good &= try_answer(&answers[i], is_long, &sum);
	printf("# %zu cuts, %zu failed\n", sum.tried, sum.failed);
	return is_good ? 0 : 1;
}
