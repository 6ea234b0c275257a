/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"

/* 2026-11-21T10:15:03.250Z */
#define TRACE_START_NS ((int64_t)1795256103 * NS_PER_S + 250 * NS_PER_MS)
#define MINUTE_NS(clock_minutes)                                               \
	((int64_t)1795219200 * NS_PER_S + (clock_minutes)*NS_PER_MIN)

#define STR_INIT(literal)                                                      \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

/* 183 ms of CPU for each of 100 requests, and 182.3 ms for each of 1,000. */
#define SLOW_NS 18300000000.0
#define BASELINE_NS 182300000000.0
#define SLOW_REQUESTS 100
#define BASELINE_REQUESTS 1000
#define PER_REQUEST 1.0038

static void row_init(struct function_row *row, const char *name,
		     const char *file, uint32_t line, const double shares[6])
{
	*row = (struct function_row){
		.name = str_from(name),
		.line = line,
		.self_lib = shares[0],
		.self = shares[1],
		.total = shares[2],
		.self_lib_value = llround(shares[0] * SLOW_NS),
		.self_value = llround(shares[1] * SLOW_NS),
		.total_value = llround(shares[2] * SLOW_NS),
		.baseline_self_lib = shares[3],
		.baseline_self = shares[4],
		.baseline_total = shares[5],
		.baseline_self_lib_value = llround(shares[3] * BASELINE_NS),
		.baseline_self_value = llround(shares[4] * BASELINE_NS),
		.baseline_total_value = llround(shares[5] * BASELINE_NS),
		.delta = shares[2] - shares[5] / PER_REQUEST,
		.delta_low = shares[2] - shares[5] / PER_REQUEST - 0.02,
		.delta_high = shares[2] - shares[5] / PER_REQUEST + 0.02,
		.q = 0.0004,
		.deviations = 7.1,
		.detectable = 0.12,
		.change = CHANGE_GROWN,
	};
	if (file)
		row->file = str_from(file);
}

static void add_rows(struct sample *s)
{
	struct function_row *rows = s->rows;

	row_init(&rows[0], "main.(*UserRepository).FindByEmail",
		 "user_repository.go", 88,
		 (const double[]){ .62, .031, .65, .04, .002, .041 });
	rows[0].leaf = STR("database/sql.(*Rows).Next");
	row_init(&rows[1], "main.encodeAnswer", "answer.go", 141,
		 (const double[]){ .10, .08, .12, 0, 0, 0 });
	rows[1].change = CHANGE_NEW;
	row_init(&rows[2],
		 "github.com/acme/shop/internal/userdb/preferences."
		 "(*Cache).Load",
		 "/build/shop/internal/userdb/preferences/cache.go", 12,
		 (const double[]){ .05, .05, .05, .20, .20, .20 });
	rows[2].change = CHANGE_SHRUNK;
	row_init(&rows[3], "main.oldHash", NULL, 0,
		 (const double[]){ 0, 0, 0, .015, .015, .015 });
	rows[3].change = CHANGE_GONE;
	row_init(&rows[4], "main.logRequest", "log.go", 0,
		 (const double[]){ .021, .02, .03, .02, .02, .03 });
	rows[4].change = CHANGE_NOISE;
	rows[4].q = (double)NAN;
	for (uint32_t i = 0; i < 5; i++)
		rows[i].rank = i + 1;
	s->result.functions = rows;
	s->result.function_count = 5;
	s->result.function_total = 36;
	s->result.noise_count = 29;
	s->result.change_total = 4;
	rows[1].through = rows[0].name;
}

static void add_sides(struct sample *s)
{
	struct result *r = &s->result;

	r->has_profile = true;
	r->profile = (struct profile_info){
		.type = STR("process_cpu:cpu:nanoseconds:cpu:nanoseconds"),
		.scope = SCOPE_SERVICE,
		.selector = STR("{service_name=\"user-db\"}"),
		.range = { MINUTE_NS(610), MINUTE_NS(620) },
		.samples = 1830,
		.unit = STR("nanoseconds"),
		.total_value = 18300000000,
	};
	r->has_baseline = true;
	r->baseline = (struct baseline_info){
		.kind = STR("previous"),
		.range = { MINUTE_NS(600), MINUTE_NS(610) },
		.samples = 18230,
		.healthy = 1,
		.text = STR("p50 48 ms over 212 spans"),
		.is_text_plain = true,
		.total_value = 182300000000,
	};
	r->rank_by = RANK_TOTAL;
	r->is_compared = true;
	r->normalize = NORMALIZE_REQUEST;
	r->exposure = SLOW_REQUESTS;
	r->baseline_exposure = BASELINE_REQUESTS;
	r->baseline_scale = 0.1;
	r->whole = (struct whole_change){
		.delta = 0.0038,
		.q = 0.9,
		.delta_low = -0.1,
		.delta_high = 0.1,
		.detectable = 0.3,
		.function_detectable = 0.4,
	};
}

static void add_cause(struct sample *s)
{
	s->result.has_cause = true;
	s->result.cause = (struct cause){
		.kind = CAUSE_N_PLUS_ONE,
		.confidence = CONFIDENCE_STRONG,
		.on_cpu_ns = -1,
		.text = STR("a call takes 9.23 ms on average; 402 ms of 560 ms "
			    "were on CPU"),
		.confidence_text = STR("span profile, 21 slow spans, 1,830 "
				       "samples against 18,230"),
	};
}

static void add_span(struct sample *s)
{
	struct result *r = &s->result;

	s->path[0] = STR("api_server POST /login");
	s->path[1] = STR("user-db UserRepository.findByEmail");
	r->has_span = true;
	r->span = (struct guilty_span){
		.span_id = STR("00f067aa0ba902b7"),
		.service = STR("user-db"),
		.name = STR("UserRepository.findByEmail"),
		.kind = SPAN_KIND_SERVER,
		.start_ns = TRACE_START_NS + 21 * NS_PER_MS,
		.duration_ns = 612 * NS_PER_MS,
		.self_ns = 560 * NS_PER_MS,
		.critical_ns = 560 * NS_PER_MS,
		.count = 1,
		.path = s->path,
		.path_count = 2,
		.typical_ns = 48 * NS_PER_MS,
		.why = STR("N+1: 52 x \"SELECT * FROM preferences WHERE "
			   "user_id = ?\", one after another, 480 ms"),
		.share = 0.86,
	};
}

static void add_trace(struct sample *s)
{
	s->result.has_trace = true;
	s->result.trace = (struct trace_info){
		.id = STR("4bf92f3577b34da6a3ce929d0e0e4736"),
		.source = STR("tempo http://localhost:3200"),
		.start_ns = TRACE_START_NS,
		.duration_ns = 651 * NS_PER_MS,
		.service_count = 2,
		.span_count = 57,
	};
}

static void sample_begin(struct sample *s, const char *command)
{
	memset(s, 0, sizeof *s);
	s->result.command = command;
	notes_init(&s->result.notes);
	trace_init(&s->trace);
}

static void add_lists(struct sample *s)
{
	s->span_ids[0] = 0x00f067aa0ba902b7;
	s->span_ids[1] = 0xfffffffffffffffe;
	s->findings[0] =
		(struct trace_finding){ .kind = STR("n_plus_one"),
					.text = STR("user-db find: 52 x "
						    "\"SELECT * FROM "
						    "preferences WHERE "
						    "user_id = ?\", one "
						    "after another, "
						    "480 ms"),
					.span_ids = s->span_ids,
					.span_id_count = 2 };
	s->findings[1] = (struct trace_finding){
		.kind = STR("clock_skew"),
		.text = STR("user-db runs 3 ms ahead of api_server"),
	};
	s->requests[0] = (struct request_info){
		.method = STR("GET"),
		.url = STR("http://localhost:3200/api/v2/traces/4bf92f35"),
		.status = 200,
		.bytes = 18112,
		.duration_ns = 4 * NS_PER_MS,
	};
	s->requests[1] = (struct request_info){
		.method = STR("POST"),
		.url = STR("http://localhost:4040/querier.v1"),
		.bytes = -1,
		.duration_ns = 10 * NS_PER_S,
	};
	s->next[0] = STR("tracefind show 4bf92f3577b34da6a3ce929d0e0e4736");
	s->next[1] = STR("tracefind slow 4bf92f3577b34da6a3ce929d0e0e4736 "
			 "-o svg=flame.svg");
	s->result.findings = s->findings;
	s->result.finding_count = 2;
	s->result.requests = s->requests;
	s->result.request_count = 2;
	s->result.next = s->next;
	s->result.next_count = 2;
	notes_add(&s->result.notes, "the window was widened from 5 m to 10 m "
				    "around the span, because the narrower "
				    "one held only 12 samples");
}

static struct request_example example(unsigned char id, int64_t start_ns,
				      int64_t ms, enum request_role role)
{
	return (struct request_example){ .trace_id.bytes = { [15] = id },
					 .start_ns = start_ns,
					 .duration_ns = ms * NS_PER_MS,
					 .role = role };
}

static struct request_window minutes(struct time_range range, uint32_t count,
				     int64_t p50_ms)
{
	return (struct request_window){ .range = range,
					.count = count,
					.p50_ns = p50_ms * NS_PER_MS };
}

/* Two minutes of each side: slow ones from half of these on. */
static void add_history(struct sample *s)
{
	struct time_range now = s->result.profile.range;
	struct time_range before = s->result.baseline.range;
	struct request_example slow =
		example(1, now.from_ns + NS_PER_MIN, 640, REQUESTS_NOW);
	struct request_example fast =
		example(2, before.from_ns, 9, REQUESTS_PREVIOUS);
	struct request_history *h = &s->history;

	*h = (struct request_history){
		.service = s->result.span.service,
		.name = s->result.span.name,
		.this_start_ns = slow.start_ns,
		.this_duration_ns = 630 * NS_PER_MS,
		.threshold_ns = 100 * NS_PER_MS,
		.slow = now,
		.onset_ns = now.from_ns + NS_PER_MIN,
		.buckets = { { .from_ns = 0,
			       .to_ns = 100 * NS_PER_MS,
			       .now_count = 3,
			       .baseline_count = 20,
			       .examples = { fast },
			       .example_count = 1 },
			     { .from_ns = 100 * NS_PER_MS,
			       .to_ns = NS_PER_S,
			       .now_count = 12,
			       .slow_count = 11,
			       .selected_count = 4,
			       .examples = { slow },
			       .example_count = 1 } },
		.bucket_count = 2,
		.windows = { minutes(now, 15, 600), minutes(before, 20, 8) },
		.window_count = 2,
		.slots = s->slots,
		.slot_count = 2,
		.selected_count = 4,
	};
	h->windows[1].role = REQUESTS_PREVIOUS;
	h->windows[1].is_baseline = h->windows[0].is_sample = true;
	s->slots[0] = (struct request_slot){ REQUESTS_NOW, now, 15, 11, 1,
					     7 * NS_PER_MS, 600 * NS_PER_MS,
					     slow };
	s->slots[1] = (struct request_slot){ REQUESTS_PREVIOUS, before, 20, 0,
					     0, 5 * NS_PER_MS, 8 * NS_PER_MS,
					     fast };
	s->result.history = h;
	s->result.servers = STR(" --traces-url http://tempo:3200");
}

void sample_slow(struct sample *s)
{
	sample_begin(s, "slow");
	add_trace(s);
	add_span(s);
	add_cause(s);
	add_sides(s);
	add_rows(s);
	add_lists(s);
	add_history(s);
}

void sample_diff(struct sample *s)
{
	sample_begin(s, "diff");
	add_sides(s);
	add_rows(s);
	s->result.baseline.kind = STR("1d");
	s->result.baseline.range.from_ns -= NS_PER_DAY;
	s->result.baseline.range.to_ns -= NS_PER_DAY;
	s->result.baseline.text = s->result.profile.selector;
	s->result.baseline.healthy = -1;
}

void sample_profile(struct sample *s)
{
	sample_begin(s, "profile");
	add_sides(s);
	add_rows(s);
	s->result.has_baseline = s->result.is_compared = false;
	s->result.rank_by = RANK_SELF;
	s->result.noise_count = 0;
	s->result.function_count = 3;
	for (size_t i = 0; i < 3; i++)
		s->rows[i].change = CHANGE_NONE;
}

/* ---- a waterfall ---- */

struct span_row {
	const char *name;
	uint32_t resource;
	uint32_t depth;
	uint32_t count;
	int64_t from_ms;
	int64_t to_ms;
	int64_t self_ms;
	unsigned flags; /* enum span_flags */
	bool is_on_path;
	bool is_guilty;
};

static const struct span_row tree[] = {
	{ "POST /login", 0, 0, 1, 0, 651, 8, 0, true, false },
	{ "authorize", 0, 1, 1, 1, 13, 12, 0, false, false },
	{ "user-db.Users/FindByEmail", 0, 1, 1, 20, 640, 8, 0, true, false },
	{ "UserRepository.findByEmail", 1, 2, 1, 21, 633, 560, 0, true, true },
	{ "SELECT users", 1, 3, 1, 22, 30, 8, 0, true, false },
	{ "SELECT preferences", 1, 3, 52, 31, 600, 480, 0, true, false },
	{ "INSERT audit", 1, 3, 1, 601, 631, 30, SPAN_IS_ERROR, false, false },
	{ "render", 0, 1, 1, 641, 650, 9, 0, true, false },
	{ "send mail", 2, 0, 1, 645, 651, 6, SPAN_IS_ORPHAN, false, false },
	{ "smtp", 2, 1, 1, 646, 650, 4, 0, false, false },
};

static uint32_t intern(struct trace *t, const char *text)
{
	struct error err;
	uint32_t id = 0;

	if (!symtab_add(&t->symtab, str_from(text), &id, &err))
		fail_msg("%s", err.message);
	return id;
}

static void add_span_row(struct sample *s, uint32_t i,
			 const struct span_row *row)
{
	s->spans[i] = (struct span){
		.span_id = i + 1,
		.start_ns = TRACE_START_NS + row->from_ms * NS_PER_MS,
		.end_ns = TRACE_START_NS + row->to_ms * NS_PER_MS,
		.name = intern(&s->trace, row->name),
		.resource = row->resource,
		.parent = SPAN_NONE,
		.flags = (uint8_t)row->flags,
	};
	for (uint32_t j = i; row->depth && j-- > 0;) {
		if (s->waterfall[j].depth + 1 == row->depth) {
			s->spans[i].parent = j;
			break;
		}
	}
	s->waterfall[i] = (struct waterfall_row){
		.span = i,
		.depth = row->depth,
		.count = row->count,
		.start_ns = s->spans[i].start_ns,
		.end_ns = s->spans[i].end_ns,
		.duration_ns = (row->to_ms - row->from_ms) * NS_PER_MS,
		.self_ns = row->self_ms * NS_PER_MS,
		.is_on_path = row->is_on_path,
		.is_error = row->flags & SPAN_IS_ERROR,
		.is_guilty = row->is_guilty,
	};
}

void sample_show(struct sample *s)
{
	static const char *const services[] = { "api_server", "user-db",
						"mailer" };
	struct trace *t = &s->trace;
	struct error err;

	sample_begin(s, "show");
	add_trace(s);
	arena_init(&t->arena, 16 * MIB);
	assert_true(symtab_init(&t->symtab, &t->arena, &err));
	for (uint32_t i = 0; i < 3; i++)
		s->resources[i].service = intern(t, services[i]);
	for (uint32_t i = 0; i < sizeof tree / sizeof *tree; i++)
		add_span_row(s, i, &tree[i]);
	t->spans = s->spans;
	t->span_count = sizeof tree / sizeof *tree;
	t->resources = s->resources;
	t->resource_count = 3;
	t->service_count = 3;
	t->start_ns = TRACE_START_NS;
	t->end_ns = TRACE_START_NS + 651 * NS_PER_MS;
	s->result.waterfall = s->waterfall;
	s->result.waterfall_count = t->span_count;
	s->next[0] = STR("tracefind slow 4bf92f3577b34da6a3ce929d0e0e4736");
	s->result.next = s->next;
	s->result.next_count = 1;
	notes_add(&s->result.notes, "1 span names a parent that is not in the "
				    "trace");
}

void sample_release(struct sample *s)
{
	arena_release(&s->trace.arena);
}

/* ---- stacks ---- */

void sample_stacks(struct sample *s)
{
	static const struct {
		const char *names[3];
		uint32_t count;
		int64_t before;
		int64_t after;
	} stacks[] = {
		{ { "main", "a", NULL }, 2, 10, 12 },
		{ { "main", "a", "b;c" }, 3, 0, 7 },
		{ { "main", "a.b", NULL }, 2, 5, 0 },
		{ { "main", "a", "b" }, 3, 40, 42 },
		{ { "main", "", NULL }, 2, 1, 1 },
	};

	s->stack_count = sizeof stacks / sizeof *stacks;
	for (size_t i = 0; i < s->stack_count; i++) {
		for (uint32_t j = 0; j < stacks[i].count; j++)
			s->frames[i][j] = str_from(stacks[i].names[j]);
		s->stacks[i] = (struct stack_line){
			.names = s->frames[i],
			.count = stacks[i].count,
			.before = stacks[i].before,
			.after = stacks[i].after,
		};
	}
}

/* ---- a flame graph ---- */

static const struct flame_function flame_functions[] = {
	{ .name = STR_INIT("all") },
	{ .name = STR_INIT("main.main"),
	  .file = STR_INIT("main.go"),
	  .line = 12,
	  .kind = CODE_APPLICATION,
	  .language = FLAME_GO,
	  .change = CHANGE_SAME },
	{ .name = STR_INIT("main.(*UserRepository).FindByEmail"),
	  .file = STR_INIT("user_repository.go"),
	  .line = 88,
	  .kind = CODE_APPLICATION,
	  .language = FLAME_GO,
	  .change = CHANGE_GROWN,
	  .is_to_blame = true },
	{ .name = STR_INIT("database/sql.(*Rows).Next"),
	  .file = STR_INIT("database/sql/sql.go"),
	  .line = 3010,
	  .kind = CODE_DATABASE,
	  .language = FLAME_GO,
	  .change = CHANGE_NEW },
	{ .name = STR_INIT("github.com/acme/shop/internal/"
			   "preferences.(*Cache).Load"),
	  .kind = CODE_LIBRARY,
	  .language = FLAME_GO,
	  .change = CHANGE_SHRUNK },
	{ .name = STR_INIT("main.oldHash"),
	  .kind = CODE_APPLICATION,
	  .language = FLAME_GO,
	  .change = CHANGE_GONE },
	{ .name = STR_INIT("main.logRequest"),
	  .kind = CODE_APPLICATION,
	  .language = FLAME_GO,
	  .change = CHANGE_NOISE },
	{ .name = STR_INIT("do_syscall_64"),
	  .kind = CODE_KERNEL,
	  .change = CHANGE_SAME },
};

/* Values in samples of 10 ms; of the baseline in five of those. */
static const struct {
	uint32_t function;
	uint32_t parent;
	uint32_t depth;
	uint32_t end;
	int64_t self[2];
	int64_t total[2];
} flame_nodes[] = {
	{ 0, FLAME_NONE, 0, 9, { 0, 0 }, { 1000, 1000 } },
	{ 1, 0, 1, 9, { 100, 100 }, { 1000, 1000 } },
	{ 4, 1, 2, 3, { 50, 200 }, { 50, 200 } },
	{ 2, 1, 2, 5, { 150, 40 }, { 650, 40 } },
	{ 3, 3, 3, 5, { 500, 0 }, { 500, 0 } },
	{ 6, 1, 2, 7, { 160, 150 }, { 200, 190 } },
	{ 7, 5, 3, 7, { 40, 40 }, { 40, 40 } },
	{ 5, 1, 2, 9, { 0, 400 }, { 0, 470 } },
	{ 7, 7, 3, 9, { 0, 70 }, { 0, 70 } },
};

static void set_flame_node(struct sample *s, uint32_t i)
{
	/* Ten times as many requests are half of the slow ones' values. */
	static const int64_t worth[] = { 10000000, 50000000 };
	struct flame_node *n = &s->nodes[i];

	*n = (struct flame_node){ .function = flame_nodes[i].function,
				  .parent = flame_nodes[i].parent,
				  .depth = flame_nodes[i].depth,
				  .end = flame_nodes[i].end };
	for (int side = 0; side < FLAME_SIDES; side++) {
		if (side == FLAME_BASELINE && !s->result.has_baseline)
			continue;
		n->values[side].self = flame_nodes[i].self[side] * worth[side];
		n->values[side].total =
			flame_nodes[i].total[side] * worth[side];
	}
}

/* The deepest function of the team's own, as in tables. */
static void add_self_lib(struct sample *s, uint32_t i)
{
	uint32_t owner = i;

	while (owner &&
	       s->functions[s->nodes[owner].function].kind != CODE_APPLICATION)
		owner = s->nodes[owner].parent;
	for (int side = 0; side < FLAME_SIDES; side++)
		s->functions[s->nodes[owner].function].self_lib[side] +=
			s->nodes[i].values[side].self;
}

void sample_flame(struct sample *s)
{
	bool has_baseline = s->result.has_baseline;

	for (uint32_t i = 0; i < 8; i++) {
		s->functions[i] = flame_functions[i];
		if (!has_baseline)
			s->functions[i].change = CHANGE_NONE;
	}
	for (uint32_t i = 0; i < 9; i++) {
		struct flame_function *fn =
			&s->functions[flame_nodes[i].function];

		/* None is within itself. */
		set_flame_node(s, i);
		for (int side = 0; side < FLAME_SIDES; side++)
			fn->totals[side] += s->nodes[i].values[side].total;
		add_self_lib(s, i);
	}
	s->has_flame = true;
	s->picture.min_width_cpx = 10;
	s->flame = (struct flame){
		.functions = s->functions,
		.function_count = 8,
		.nodes = s->nodes,
		.node_count = 9,
		.depth = 3,
		.has_baseline = has_baseline,
		.unit = STR("nanoseconds"),
		.whole = { 10000000000, has_baseline ? 50000000000 : 0 },
		.sample_value = { 1e7, 1e7 },
		.normalize = NORMALIZE_REQUEST,
		.baseline_scale = 0.1,
	};
}

/* ---- hostile text ---- */

struct str sample_hostile(void)
{
	static const char text[] =
		"\x1b]0;title\x07\x1b[31mred\nfn() \"q\" \\ <b>;x\r\t"
		"\xe2\x80\xae"
		"evil \xe2\x80\x8b"
		"\xc2\x9b"
		"\xff\xfe"
		"\xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81 \x7f\0end";

	return (struct str){ text, sizeof text - 1 };
}

struct str sample_huge(void)
{
	static const char word[] = "long.name(\xe6\xbc\xa2)e\xcc\x81 ;";
	static char text[LIMIT_STRING_BYTES];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = word[i % (sizeof word - 1)];
	return (struct str){ text, sizeof text };
}

void sample_poison(struct sample *s, struct str text)
{
	struct result *r = &s->result;

	r->trace.id = r->trace.source = text;
	r->span.span_id = r->span.service = r->span.name = r->span.why = text;
	s->history.service = s->history.name = r->servers = text;
	r->cause.text = r->cause.confidence_text = text;
	r->profile.type = r->profile.selector = r->profile.unit = text;
	r->baseline.kind = r->baseline.text = text;
	for (size_t i = 0; i < r->span.path_count; i++)
		s->path[i] = text;
	for (size_t i = 0; i < r->function_count; i++)
		s->rows[i].name = s->rows[i].file = s->rows[i].leaf =
			s->rows[i].through = text;
	for (size_t i = 0; i < r->finding_count; i++)
		s->findings[i].kind = s->findings[i].text = text;
	for (size_t i = 0; i < r->request_count; i++)
		s->requests[i].method = s->requests[i].url = text;
	for (size_t i = 0; i < r->next_count; i++)
		s->next[i] = text;
	for (size_t i = 0; i < r->notes.count; i++)
		snprintf(r->notes.text[i], LIMIT_NOTE_BYTES, "%.*s",
			 (int)utf8_floor(text.ptr, text.len,
					 LIMIT_NOTE_BYTES - 1),
			 text.ptr);
	for (size_t i = 0; i < s->stack_count; i++)
		for (uint32_t j = 0; j < s->stacks[i].count; j++)
			s->frames[i][j] = text;
	for (size_t i = 0; i < s->flame.function_count; i++)
		s->functions[i].name = s->functions[i].file = text;
	for (size_t i = 0; i < symtab_count(&s->trace.symtab); i++)
		s->trace.symtab.table.texts[i] = text;
}

/* ---- rendering ---- */

void render_unchecked(const struct sample *s, const char *format,
		      struct render_style style, struct buf *out)
{
	const struct render_format *f = render_find(str_from(format));
	struct render_input in = {
		.result = &s->result,
		.trace = &s->trace,
		.stacks = s->stacks,
		.stack_count = s->stack_count,
		.flame = s->has_flame ? &s->flame : NULL,
		.style = style,
		.picture = s->picture,
	};
	struct out memory;

	assert_non_null(f);
	buf_init(out, 256 * MIB);
	out_init_memory(&memory, out);
	f->render(&in, &memory);
}

void render_to(const struct sample *s, const char *format,
	       struct render_style style, struct buf *out)
{
	struct error err;

	render_unchecked(s, format, style, out);
	if (!buf_check(out, "the output", &err))
		fail_msg("%s: %s", format, err.message);
}

static void golden_write(const char *path, struct str text)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(text.ptr, 1, text.len, file) != text.len ||
	    fclose(file))
		fail_msg("%s: cannot write", path);
}

static size_t golden_read(const char *path, char **text)
{
	FILE *file = fopen(path, "rb");
	size_t len;

	if (!file)
		fail_msg("%s: missing; run tests/update-golden.sh", path);
	*text = test_malloc(MIB);
	len = fread(*text, 1, MIB - 1, file);
	(*text)[len] = '\0';
	fclose(file);
	return len;
}

void golden_check_text(struct str text, const char *name)
{
	const char *testdata = getenv("TESTDATA");
	char path[4096];
	char *want;
	size_t len;

	assert_non_null(testdata);
	snprintf(path, sizeof path, "%s/golden/%s", testdata, name);
	if (getenv("UPDATE_GOLDEN")) {
		golden_write(path, text);
		return;
	}
	len = golden_read(path, &want);
	if (len != text.len || memcmp(want, text.ptr, len) != 0)
		fail_msg("%s differs; it is now:\n%.*s", name, STR_ARGS(text));
	test_free(want);
}

void golden_check(const struct sample *s, const char *format,
		  struct render_style style, const char *name)
{
	struct buf text;

	render_to(s, format, style, &text);
	golden_check_text(buf_str(&text), name);
	buf_release(&text);
}

static void line_check(struct str line, size_t width)
{
	bool is_command = str_find(line, STR("tracefind ")) != SIZE_MAX;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char byte = (unsigned char)line.ptr[i];

		if (byte < 0x20 || byte == 0x7f || byte == 0xff)
			fail_msg("byte %02x in \"%.*s\"", byte, STR_ARGS(line));
	}
	if (str_find(line, STR("\xe2\x80\xae")) != SIZE_MAX)
		fail_msg("bidi control in \"%.*s\"", STR_ARGS(line));
	if (line.len && line.ptr[line.len - 1] == ' ')
		fail_msg("blank at the end of \"%.*s\"", STR_ARGS(line));
	if (width && !is_command && text_width(line) > width)
		fail_msg("%zu columns, %zu allowed: \"%.*s\"", text_width(line),
			 width, STR_ARGS(line));
}

void text_check(const struct buf *text, size_t width)
{
	struct str rest = buf_str(text);

	while (rest.len) {
		size_t at = str_find(rest, STR("\n"));

		if (at == SIZE_MAX)
			fail_msg("no newline at the end");
		line_check(str_slice(rest, 0, at), width);
		rest = str_slice(rest, at + 1, rest.len);
	}
}
