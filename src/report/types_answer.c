/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <stdio.h>

#include "base/jsonw.h"
#include "base/num.h"
#include "render/page.h"
#include "render/render.h"

struct type_row {
	struct str word; /* empty: only the id asks for it */
	struct str id;
	bool is_gauge;
};

static bool counts_only(struct str id)
{
	return str_find(id, STR(":count:")) != SIZE_MAX;
}

/* Over all services ids of different runtimes share a word, since each service
 * is asked for its own; but a count stands back behind the same in time or
 * bytes, as it does within a service. */
static struct str shared_word(const struct name_list *list, struct str id)
{
	struct name_list alone = { &id, 1 };
	struct str word = profile_type_word(id, &alone);

	for (size_t i = 0; counts_only(id) && i < list->count; i++) {
		struct name_list other = { &list->items[i], 1 };

		if (!counts_only(list->items[i]) &&
		    str_equal(profile_type_word(list->items[i], &other), word))
			return STR("");
	}
	return word;
}

static struct type_row row_of(const struct profile_types *t, size_t i)
{
	struct str id = t->ids.items[i];
	struct str word = t->service ? profile_type_word(id, &t->ids)
				     : shared_word(&t->ids, id);

	return (struct type_row){ word, id, profile_type_is_gauge(id) };
}

#define WORD_COLUMNS 15
#define KIND_COLUMNS 12

static void write_table(const void *answer, const struct render_style *style,
			struct out *out)
{
	const struct profile_types *t = answer;
	struct page p;

	page_begin(&p, style, out);
	page_field(&p, PAINT_BOLD, ALIGN_LEFT, WORD_COLUMNS, "--type");
	page_field(&p, PAINT_BOLD, ALIGN_LEFT, KIND_COLUMNS, "kind");
	page_paint(&p, PAINT_BOLD, "full id");
	out_char(out, '\n');
	for (size_t i = 0; i < t->ids.count; i++) {
		struct type_row row = row_of(t, i);

		page_cell(&p, row.word.len ? PAINT_BOLD : PAINT_DIM,
			  row.word.len ? row.word : STR("-"), 0, WORD_COLUMNS);
		page_field(&p, PAINT_NONE, ALIGN_LEFT, KIND_COLUMNS,
			   row.is_gauge ? "gauge" : "cumulative");
		/* The id is never cut: it is there to be pasted. */
		page_cell(&p, PAINT_NONE, row.id, 0, 0);
		out_char(out, '\n');
	}
	page_end(&p);
}

static void write_json(const void *answer, struct out *out)
{
	const struct profile_types *t = answer;
	struct jsonw w;

	json_begin(&w, out, "types");
	jsonw_addf(&w, "service:%s, types:[", t->service);
	for (size_t i = 0; i < t->ids.count; i++) {
		struct type_row row = row_of(t, i);

		jsonw_addf(&w, "{word:%-.*s, id:%.*s, kind:%s}",
			   STR_WHOLE(row.word), STR_WHOLE(row.id),
			   row.is_gauge ? "gauge" : "cumulative");
	}
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}

const struct answer_writer types_writer = { write_table, write_json,
					    .is_list = true };

bool types_explain_none(const struct profile_types *t, struct error *err)
{
	const char *service = t->service;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	struct str near;

	format_rfc3339(t->window.from_ns, from);
	format_rfc3339(t->window.to_ns, to);
	if (!t->services.count || !service)
		return error_set(err, ERROR_NOT_FOUND,
				 "no profiles between %.19sZ and %.19sZ; widen "
				 "with --since 24h, or run tracefind doctor",
				 from, to);
	if (!nearest_names(&t->services, str_from(service), &near, 1))
		return error_set(err, ERROR_NOT_FOUND,
				 "no profiles of service \"%s\" between %.19sZ "
				 "and %.19sZ; %zu others have some: see "
				 "tracefind doctor --service NAME",
				 service, from, to, t->services.count);
	return error_set(err, ERROR_NOT_FOUND,
			 "no profiles of service \"%s\" between %.19sZ and "
			 "%.19sZ; nearest: \"%.*s\"",
			 service, from, to, STR_ARGS(near));
}

/* Which type of profile answers which question, what its numbers mean, which
 * runtimes have it and how to switch it on. Needs no network. */

/* ---- from a symptom to a type ---- */

static const struct {
	const char *symptom;
	const char *type;
} symptoms[] = {
	{ "slow, time spent on CPU", "cpu" },
	{ "slow, off CPU; Java, .NET, Node.js", "wall" },
	{ "slow, off CPU; Go", "mutex, then block, then goroutine" },
	{ "slow, off CPU; any runtime, with Alloy's eBPF", "offcpu" },
	{ "waits for a lock; Go, synchronized of Java", "mutex" },
	{ "waits for java.util.concurrent; Java", "block" },
	{ "waits for a lock; .NET", "lock" },
	{ "waits for a channel, a pool, a queue; Go", "block" },
	{ "garbage collection or allocator high in cpu", "alloc" },
	{ "memory grows and stays", "inuse at two times, compared" },
	{ "many small objects", "alloc_objects, inuse_objects" },
	{ "goroutines grow, or all of them wait", "goroutine" },
	{ "many exceptions; .NET", "exceptions" },
};

/* ---- what a type counts ---- */

static const struct {
	const char *type;
	const char *kind;
	const char *counts;
	const char *read;
} meanings[] = {
	{ "cpu", "cumulative", "time on a CPU, sampled every 10 ms",
	  "1 s is one core busy for 1 s; time asleep, in I/O or waiting for a "
	  "lock is not included" },
	{ "wall", "cumulative", "elapsed time per thread, running or not",
	  "includes waiting; idle threads and event loops dominate it: look at "
	  "growth, not at size" },
	{ "offcpu", "cumulative", "time between leaving a CPU and coming back",
	  "sampled; idle threads dominate it, as in wall" },
	{ "alloc", "cumulative", "bytes allocated, freed or not",
	  "causes garbage collection; sampled about every 512 KiB, so small "
	  "counts are rough" },
	{ "inuse", "gauge", "bytes in use at one moment",
	  "never summed over time; a leak keeps growing from window to "
	  "window" },
	{ "goroutine", "gauge", "goroutines by current stack",
	  "hundreds in one place are a queue or a leak" },
	{ "goroutineleak", "gauge", "Go 1.26: goroutines that can never run "
				    "again",
	  "each is leaked: look for the application code that waits" },
	{ "mutex", "cumulative", "time others waited for a lock",
	  "Go attributes it to the goroutine that released the lock" },
	{ "block", "cumulative",
	  "Go: time waiting for channels, selects and locks; Java: parked "
	  "threads",
	  "mostly idle workers waiting for work: look at growth, not at size" },
	{ "lock", "cumulative", ".NET: time waiting for monitors",
	  "attributed to the waiting thread" },
	{ "exceptions", "cumulative", ".NET: exceptions thrown",
	  "attributed to where they were thrown" },
};

/* ---- who has it ---- */

enum { GO, JAVA, PYTHON, NODE, DOTNET, RUBY, RUST, EBPF, RUNTIMES };

static const char *const runtimes[RUNTIMES] = { "Go",   "Java", "Python",
						"Node", ".NET", "Ruby",
						"Rust", "eBPF" };

/* 'y' once the profiler runs, 'o' when switched on, '-' never. */
static const struct {
	const char *type;
	char has[RUNTIMES + 1];
} available[] = {
	{ "cpu", "yyyoyyyy" },       { "wall", "-o-yo---" },
	{ "offcpu", "-------o" },    { "alloc", "yoo-o---" },
	{ "inuse", "yooyo---" },     { "goroutine", "o-------" },
	{ "mutex", "oo------" },     { "block", "oo------" },
	{ "lock", "----o---" },      { "exceptions", "----o---" },
	{ "of a span", "ooo-oo--" },
};

static const struct {
	const char *runtime;
	const char *how;
} switches[] = {
	{ "Go",
	  "pyroscope.Config.ProfileTypes lists goroutine, mutex and block; "
	  "mutex and block also need runtime.SetMutexProfileFraction(5) and "
	  "runtime.SetBlockProfileRate(n), scraped by Alloy or pushed" },
	{ "Java",
	  "PYROSCOPE_PROFILER_EVENT=wall; PYROSCOPE_PROFILER_ALLOC=512k; "
	  "PYROSCOPE_PROFILER_LOCK=10ms for mutex and block; "
	  "PYROSCOPE_ALLOC_LIVE=true for inuse" },
	{ "Python",
	  "pyroscope.configure(oncpu=False) makes its cpu type count wall "
	  "time; memory in newer releases of pyroscope-io only" },
	{ "Node",
	  "Pyroscope.init({ wall: { collectCpuTime: true } }) for cpu; wall and "
	  "heap start with Pyroscope.start()" },
	{ ".NET", "PYROSCOPE_PROFILING_WALLTIME_ENABLED, _ALLOCATION_, _LOCK_, "
		  "_EXCEPTION_, _HEAP_ENABLED (.NET 7 and newer) = true" },
	{ "eBPF",
	  "pyroscope.ebpf of Alloy: off_cpu_threshold, a probability from 0 "
	  "(off, the default) to 1" },
	{ "spans",
	  "the wrapper of each SDK: otel-profiling-go, pyroscope-otel for "
	  "Java, Python and Ruby, Pyroscope.OpenTelemetry for .NET; CPU only, "
	  "Java's wall and Go's goroutine too; samples have the id of the "
	  "first span in a process" },
};

/* ---- for people ---- */

#define TYPE_COLUMNS 15
#define SYMPTOM_COLUMNS 47
#define RUNTIME_COLUMNS 8

static void write_heading(struct page *p, const char *text)
{
	page_paint(p, PAINT_BOLD, text);
	out_char(p->out, '\n');
}

static void write_symptoms(struct page *p)
{
	write_heading(p, "Which type for which symptom");
	for (size_t i = 0; i < COUNT_OF(symptoms); i++) {
		page_field(p, PAINT_NONE, ALIGN_LEFT, SYMPTOM_COLUMNS,
			   symptoms[i].symptom);
		page_paint(p, PAINT_NONE, symptoms[i].type);
		out_char(p->out, '\n');
	}
	page_text(p, "On or off CPU? tracefind slow TRACE shows how much of "
		     "the span was on CPU.");
	page_flush(p, PAINT_DIM, "", 0);
}

static void write_meanings(struct page *p)
{
	char label[32];

	out_char(p->out, '\n');
	write_heading(p, "What the numbers mean");
	for (size_t i = 0; i < COUNT_OF(meanings); i++) {
		snprintf(label, sizeof label, "%-*s", TYPE_COLUMNS,
			 meanings[i].type);
		page_textf(p, "%s (%s): %s", meanings[i].counts,
			   meanings[i].kind, meanings[i].read);
		page_flush(p, PAINT_NONE, label, TYPE_COLUMNS);
	}
}

static const char *has_text(char has)
{
	if (has == 'y')
		return "yes";
	return has == 'o' ? "opt" : "-";
}

static void write_available(struct page *p)
{
	out_char(p->out, '\n');
	write_heading(p, "Support by SDK: yes, opt (has to be enabled), - "
			 "(none)");
	page_repeat(p, PAINT_NONE, " ", TYPE_COLUMNS);
	for (size_t r = 0; r < RUNTIMES; r++)
		page_field(p, PAINT_NONE, ALIGN_LEFT,
			   r + 1 < RUNTIMES ? RUNTIME_COLUMNS : 0, runtimes[r]);
	out_char(p->out, '\n');
	for (size_t i = 0; i < COUNT_OF(available); i++) {
		page_field(p, PAINT_NONE, ALIGN_LEFT, TYPE_COLUMNS,
			   available[i].type);
		for (size_t r = 0; r < RUNTIMES; r++)
			page_field(p, PAINT_NONE, ALIGN_LEFT,
				   r + 1 < RUNTIMES ? RUNTIME_COLUMNS : 0,
				   has_text(available[i].has[r]));
		out_char(p->out, '\n');
	}
}

static void write_switches(struct page *p)
{
	char label[32];

	out_char(p->out, '\n');
	write_heading(p, "How to enable it");
	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		snprintf(label, sizeof label, "%-*s", RUNTIME_COLUMNS,
			 switches[i].runtime);
		page_text(p, switches[i].how);
		page_flush(p, PAINT_NONE, label, RUNTIME_COLUMNS);
	}
	out_char(p->out, '\n');
	page_text(p, "tracefind types --service NAME lists what a service "
		     "sends; tracefind doctor --service NAME finds why it "
		     "sends nothing.");
	page_flush(p, PAINT_DIM, "", 0);
}

static void write_guide_table(const void *answer,
			      const struct render_style *style, struct out *out)
{
	struct page p;

	(void)answer;
	page_begin(&p, style, out);
	write_symptoms(&p);
	write_meanings(&p);
	write_available(&p);
	write_switches(&p);
	page_end(&p);
}

/* ---- for machines ---- */

static void write_json_available(struct jsonw *w)
{
	jsonw_addf(w, "available:[");
	for (size_t i = 0; i < COUNT_OF(available); i++) {
		jsonw_addf(w, "{type:%s", available[i].type);
		for (size_t r = 0; r < RUNTIMES; r++) {
			jsonw_pair_text(w, runtimes[r],
					has_text(available[i].has[r]));
		}
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void write_guide_json(const void *answer, struct out *out)
{
	struct jsonw w;

	(void)answer;
	json_begin(&w, out, "types");
	jsonw_addf(&w, "symptoms:[");
	for (size_t i = 0; i < COUNT_OF(symptoms); i++) {
		jsonw_addf(&w, "{symptom:%s, types:%s}", symptoms[i].symptom,
			   symptoms[i].type);
	}
	jsonw_addf(&w, "], meanings:[");
	for (size_t i = 0; i < COUNT_OF(meanings); i++) {
		jsonw_addf(&w, "{type:%s, kind:%s, counts:%s, read:%s}",
			   meanings[i].type, meanings[i].kind,
			   meanings[i].counts, meanings[i].read);
	}
	jsonw_array_end(&w);
	write_json_available(&w);
	jsonw_addf(&w, "switches:[");
	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		jsonw_addf(&w, "{runtime:%s, how:%s}", switches[i].runtime,
			   switches[i].how);
	}
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}

const struct answer_writer types_guide_writer = {
	write_guide_table, write_guide_json, .is_list = true
};
