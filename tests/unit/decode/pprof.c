/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded profiles, whole and damaged. Messages made by hand are in
 * pprof_messages.c.
 */
#include "../unit.h"
#include "pprof_testing.h"

#include "decode/wire.h"
#include "profile.pb-c.h"

/* ---- fixtures ---- */

static const struct fixture {
	const char *file;
	const char *type;
	const char *unit;
	int64_t total;
	int64_t samples;
	int64_t period;
	uint32_t stacks;
} fixtures[] = {
	{ "go-process_cpu-normal", "", "nanoseconds", 1070000000, 107, 10000000,
	  6 },
	{ "go-process_cpu-normal", "samples", "count", 107, 107, 1, 6 },
	{ "go-process_cpu-incident", "cpu", "nanoseconds", 2250000000, 225,
	  10000000, 6 },
	{ "go-memory-normal", "", "bytes", 2202009, -1, 0, 2 },
	{ "go-memory-normal", "alloc", "bytes", 1572864, -1, 0, 2 },
	{ "go-memory-normal", "alloc_objects", "count", 150, -1, 0, 2 },
	{ "go-memory-normal", "inuse_objects", "count", 30, -1, 0, 2 },
	{ "go-memory-incident", "alloc_space/bytes", "bytes", 3670016, -1, 0,
	  2 },
	{ "go-mutex-normal", "mutex", "nanoseconds", 3500001, -1, 0, 1 },
	{ "go-mutex-incident", "contentions", "count", 7, 7, 1, 1 },
	{ "go-block-normal", "block", "nanoseconds", 900000000, -1, 0, 1 },
	{ "go-block-incident", "contentions", "count", 3, 3, 1, 1 },
	{ "go-goroutine-normal", "goroutine", "count", 50, 50, 1, 2 },
	{ "go-goroutine-incident", "", "count", 150, 150, 1, 2 },
	{ "java-cpu", "cpu", "nanoseconds", 350000000, 35, 10000000, 2 },
	{ "java-wall", "wall", "nanoseconds", 9350000000, 935, 10000000, 2 },
	{ "python-cpu", "", "nanoseconds", 670000000, 67, 10000000, 2 },
	{ "ebpf-cpu-97hz", "", "nanoseconds", 505154622, 49, 10309278, 3 },
	{ "odd", "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "nanoseconds",
	  5850000000, 585, 10000000, 26 },
	{ "other-fn", "", "nanoseconds", 2520000000, 252, 10000000, 22 },
	{ "deep", "", "nanoseconds", 100000000, 10, 10000000, 2 },
	{ "wide", "", "nanoseconds", 399940000000, 39994, 10000000, 10000 },
	{ "big", "", "nanoseconds", INT64_MAX, -1, 0, 3 },
	{ "real-go-cpu", "", "nanoseconds", 1940000000, 194, 10000000, 80 },
	{ "real-go-cpu", "samples/count", "count", 194, 194, 1, 80 },
	{ "real-go-heap", "", "bytes", 1669825, -1, 0, 7 },
	{ "real-go-heap", "alloc", "bytes", 1309519693, -1, 0, 10 },
	{ "real-go-heap", "inuse_objects", "count", 93, -1, 0, 7 },
	{ "real-go-allocs", "alloc_objects", "count", 20387, -1, 0, 10 },
	{ "real-go-mutex", "", "nanoseconds", 3338671101, -1, 0, 15 },
	{ "real-go-block", "", "nanoseconds", 2531383470, -1, 0, 3 },
	{ "real-go-goroutine", "", "count", 1, 1, 1, 1 },
	{ "real-python-cpu", "", "nanoseconds", 9320000000, 932, 10000000, 19 },
};

#define FIXTURE_COUNT (sizeof fixtures / sizeof *fixtures)

static void read_pprof(const char *name, struct buf *bytes)
{
	char path[128];

	snprintf(path, sizeof path, "pprof/%s.pb.gz", name);
	read_fixture(path, bytes);
}

static void test_fixtures(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURE_COUNT; i++) {
		const struct fixture *x = &fixtures[i];
		struct buf bytes;
		struct profile p;

		read_pprof(x->file, &bytes);
		assert_decoded(decode(buf_str(&bytes), x->type, &p));
		assert_true(profile_check(&p, &err));
		assert_int_equal(p.total, x->total);
		assert_int_equal(p.sample_count, x->samples);
		assert_int_equal(p.period, x->period);
		assert_int_equal(p.stack_count, x->stacks);
		assert_true(str_equal(profile_unit(&p), str_from(x->unit)));
		assert_int_equal(notes.count, p.total == INT64_MAX);
		profile_release(&p);
		buf_release(&bytes);
	}
}

static void test_header(void **state)
{
	struct buf bytes;
	struct profile p;

	(void)state;
	read_pprof("go-memory-incident", &bytes);
	assert_decoded(decode(buf_str(&bytes), "", &p));
	assert_int_equal(p.time_ns, 1795224420000000000);
	assert_int_equal(p.duration_ns, 15000000000);
	assert_int_equal(p.type_count, 4);
	assert_int_equal(p.type, 3);
	assert_true(str_equal(profile_type_name(&p), STR("inuse_space")));
	assert_true(str_equal(profile_text(&p, p.types[0].type),
			      STR("alloc_objects")));
	assert_true(p.is_gauge);
	profile_release(&p);
	assert_decoded(decode(buf_str(&bytes), "alloc", &p));
	assert_false(p.is_gauge);
	assert_int_equal(p.type, 1);
	profile_release(&p);
	assert_refused(
		decode(buf_str(&bytes), "cpu", &p), ERROR_NOT_FOUND,
		"\"cpu\"; it has alloc_objects/count, alloc_space/bytes, "
		"inuse_objects/count, inuse_space/bytes");
	profile_release(&p);
	buf_release(&bytes);
}

static void test_frames_without_symbols(void **state)
{
	struct buf bytes;
	struct profile p;

	(void)state;
	read_pprof("ebpf-cpu-97hz", &bytes);
	assert_decoded(decode(buf_str(&bytes), "", &p));
	assert_folded(&p, "_start;main;[libssl.so.3+0x1f2c0] 72164946\n"
			  "_start;main;do_syscall_64 134020614\n"
			  "_start;main;tcp_sendmsg 298969062\n");
	profile_release(&p);
	buf_release(&bytes);
}

/* ---- the same profiles through a generic protobuf reader ---- */

struct oracle_stack {
	char *key;
	int64_t value;
};

struct oracle {
	struct oracle_stack *stacks;
	size_t count;
};

static int oracle_compare(const void *a, const void *b)
{
	return strcmp(((const struct oracle_stack *)a)->key,
		      ((const struct oracle_stack *)b)->key);
}

/* Sorted, equal keys added up, zeros left out. */
static void oracle_settle(struct oracle *o)
{
	size_t kept = 0;

	qsort(o->stacks, o->count, sizeof *o->stacks, oracle_compare);
	for (size_t i = 0; i < o->count; i++) {
		struct oracle_stack s = o->stacks[i];

		if (kept && !strcmp(o->stacks[kept - 1].key, s.key)) {
			o->stacks[kept - 1].value += s.value;
			mem_free(s.key);
		} else {
			o->stacks[kept++] = s;
		}
	}
	o->count = kept;
}

static void oracle_add(struct oracle *o, struct buf *key, int64_t value)
{
	if (value)
		o->stacks[o->count++] =
			(struct oracle_stack){ mem_strdup(buf_text(key)),
					       value };
	buf_release(key);
}

static void oracle_release(struct oracle *o)
{
	for (size_t i = 0; i < o->count; i++)
		mem_free(o->stacks[i].key);
	free(o->stacks);
}

static struct str text_of(const Pproftest__Profile *m, int64_t index)
{
	ProtobufCBinaryData *text = &m->string_table[index];

	return (struct str){ (const char *)text->data, text->len };
}

static void add_unnamed(const Pproftest__Profile *m,
			const Pproftest__Location *l, struct buf *key)
{
	struct str file = STR("");
	uint64_t address = l->address;

	for (size_t i = 0; i < m->n_mapping; i++) {
		const Pproftest__Mapping *map = m->mapping[i];

		if (map->id != l->mapping_id)
			continue;
		file = text_of(m, map->filename);
		if (address >= map->memory_start && address < map->memory_limit)
			address += map->file_offset - map->memory_start;
	}
	for (size_t slash; (slash = str_find(file, STR("/"))) != SIZE_MAX;)
		file = str_slice(file, slash + 1, file.len);
	if (str_starts(file, STR("[")))
		file = str_slice(file, 1, file.len - 2);
	if (file.len)
		buf_addf(key, "[%.*s+0x%llx]||0;", STR_ARGS(file),
			 (unsigned long long)address);
	else
		buf_addf(key, "0x%llx||0;", (unsigned long long)l->address);
}

static const Pproftest__Location *location_of(const Pproftest__Profile *m,
					      uint64_t id)
{
	size_t i = 0;

	while (i + 1 < m->n_location && m->location[i]->id != id)
		i++;
	assert_int_equal(m->location[i]->id, id);
	return m->location[i];
}

static void add_line(const Pproftest__Profile *m, const Pproftest__Location *l,
		     const Pproftest__Line *line, struct buf *key)
{
	for (size_t i = 0; i < m->n_function; i++) {
		const Pproftest__Function *f = m->function[i];
		struct str name;

		if (f->id != line->function_id)
			continue;
		name = text_of(m, f->name);
		if (!name.len)
			name = text_of(m, f->system_name);
		if (!name.len) {
			add_unnamed(m, l, key);
			return;
		}
		buf_add_str(key, name);
		buf_add_char(key, '|');
		buf_add_str(key, text_of(m, f->filename));
		buf_addf(key, "|%lld;", (long long)line->line);
	}
}

static void oracle_read(struct oracle *o, struct str bytes, uint32_t type)
{
	Pproftest__Profile *m = pproftest__profile__unpack(
		NULL, bytes.len, (const uint8_t *)bytes.ptr);

	assert_non_null(m);
	*o = (struct oracle){ calloc(m->n_sample + 1, sizeof *o->stacks), 0 };
	for (size_t i = 0; i < m->n_sample; i++) {
		const Pproftest__Sample *s = m->sample[i];
		struct buf key;

		buf_init(&key, MIB);
		for (size_t k = s->n_location_id; k-- > 0;) {
			const Pproftest__Location *l =
				location_of(m, s->location_id[k]);

			for (size_t n = l->n_line; n-- > 0;)
				add_line(m, l, l->line[n], &key);
			if (!l->n_line)
				add_unnamed(m, l, &key);
		}
		oracle_add(o, &key, s->value[type]);
	}
	pproftest__profile__free_unpacked(m, NULL);
	oracle_settle(o);
}

static void oracle_from_model(struct oracle *o, const struct profile *p)
{
	*o = (struct oracle){ calloc(p->stack_count + 1u, sizeof *o->stacks),
			      0 };
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		struct buf key;

		buf_init(&key, MIB);
		for (uint32_t k = 0; k < s->frame_count; k++) {
			struct frame f =
				p->frames[p->frame_ids[s->frame_first + k]];

			buf_add_str(&key, function_name(p, f.function));
			buf_add_char(&key, '|');
			buf_add_str(&key, function_file(p, f.function));
			buf_addf(&key, "|%u;", f.line);
		}
		oracle_add(o, &key, s->value);
	}
	oracle_settle(o);
}

static void assert_like_oracle(struct str bytes, const struct profile *p)
{
	struct oracle theirs;
	struct oracle ours;

	oracle_read(&theirs, bytes, p->type);
	oracle_from_model(&ours, p);
	assert_int_equal(ours.count, p->stack_count);
	assert_int_equal(ours.count, theirs.count);
	for (size_t i = 0; i < ours.count; i++) {
		assert_string_equal(ours.stacks[i].key, theirs.stacks[i].key);
		assert_int_equal(ours.stacks[i].value, theirs.stacks[i].value);
	}
	oracle_release(&theirs);
	oracle_release(&ours);
}

static void test_like_a_generic_reader(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURE_COUNT; i++) {
		struct buf bytes;
		struct profile p;

		read_pprof(fixtures[i].file, &bytes);
		assert_decoded(decode(buf_str(&bytes), fixtures[i].type, &p));
		assert_like_oracle(buf_str(&bytes), &p);
		profile_release(&p);
		buf_release(&bytes);
	}
}

/* ---- the same profiles through pprof -top ---- */

/* "1450000000ns" or "13022B" */
static int64_t top_number(const char **at)
{
	char *end;
	long long number = strtoll(*at, &end, 10);

	end += strspn(end, "nsB");
	*at = end;
	return number;
}

static void skip_percent(const char **at)
{
	*at += strspn(*at, " ");
	*at += strcspn(*at, "%") + 1;
}

/* Returns false for lines of the heading. */
static bool check_top_line(const struct profile *p, const struct figures *f,
			   const char *line, size_t len)
{
	static const char *const suffixes[] = { " (inline)",
						" (partial-inline)" };
	const char *at = line;
	struct str name;
	int64_t flat = top_number(&at);
	int64_t cum;
	uint32_t id;

	skip_percent(&at);
	skip_percent(&at);
	cum = top_number(&at);
	skip_percent(&at);
	at += strspn(at, " ");
	name = (struct str){ at, len - (size_t)(at - line) };
	for (size_t i = 0; i < 2; i++)
		if (str_ends(name, str_from(suffixes[i])))
			name.len -= strlen(suffixes[i]);
	id = symtab_find(&p->symtab, name);
	if (id == TEXT_NONE || f->flat[id] != flat || f->cum[id] != cum)
		fail_msg("unlike pprof: %.*s", (int)len, line);
	f->cum[id] = 0;
	return true;
}

static void assert_like_top(const struct profile *p, const char *name)
{
	char path[128];
	struct buf text;
	struct figures f;
	const char *line;
	size_t lines = 0;

	snprintf(path, sizeof path, "pprof/%s.top.txt", name);
	read_fixture(path, &text);
	figures_init(&f, p);
	line = strstr(buf_text(&text), "cum%\n");
	assert_non_null(line);
	for (line += 5; *line; line += strcspn(line, "\n") + 1)
		lines += check_top_line(p, &f, line, strcspn(line, "\n"));
	assert_true(lines > 10);
	for (size_t i = 0; i < symtab_count(&p->symtab); i++)
		assert_int_equal(f.cum[i], 0);
	figures_release(&f);
	buf_release(&text);
}

static void test_like_pprof_top(void **state)
{
	static const char *const names[] = { "real-go-cpu", "real-go-heap",
					     "real-python-cpu" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct buf bytes;
		struct profile p;

		read_pprof(names[i], &bytes);
		assert_decoded(decode(buf_str(&bytes), "", &p));
		assert_like_top(&p, names[i]);
		profile_release(&p);
		buf_release(&bytes);
	}
}

/* ---- answers of Pyroscope ---- */

static bool is_pprof_answer(json_t *entry)
{
	return !json_object_get(entry, "shape") &&
	       !entry_is(entry, "body", "body.json");
}

static void test_pyroscope_answers(void **state)
{
	json_t *root = read_expected();
	const char *name;
	json_t *entry;
	unsigned cases = 0;

	(void)state;
	json_object_foreach(root, name, entry)
	{
		struct buf body;
		struct profile p;

		if (!is_pprof_answer(entry))
			continue;
		read_body(name, entry, &body);
		assert_decoded(decode(buf_str(&body), "", &p));
		assert_expected(&p, entry, "[server]");
		assert_int_equal(
			p.stack_count,
			json_number_value(json_object_get(entry, "samples")));
		if (p.stack_count && !json_object_get(entry, "flat"))
			assert_int_equal(p.function_count,
					 json_number_value(json_object_get(
						 entry, "functions")));
		profile_release(&p);
		buf_release(&body);
		cases++;
	}
	assert_int_equal(cases, 33);
	json_decref(root);
}

static void test_period_of_answers_is_not_believed(void **state)
{
	static const struct {
		const char *file;
		const char *type;
		int64_t period;
		int64_t samples;
	} cases[] = {
		{ "merge-profile-proto", "cpu", 10000000, 35120 },
		{ "merge-profile-samples-proto", "cpu", 1, 35120 },
		{ "merge-profile-wall-java-proto", "wall", 10000000, 224400 },
		{ "merge-profile-mixed-rates-proto", "cpu", 0, -1 },
		{ "other-merge-profile-proto", "cpu", 10000000, 252 },
		{ "merge-profile-alloc-proto", "alloc", 0, -1 },
		{ "empty-service-proto", "cpu", 0, 0 },
	};
	struct profile p;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[128];
		struct buf body;

		snprintf(path, sizeof path, "pyroscope/%s/body.pb",
			 cases[i].file);
		read_fixture(path, &body);
		assert_decoded(decode(buf_str(&body), cases[i].type, &p));
		assert_int_equal(p.period, cases[i].period);
		assert_int_equal(p.sample_count, cases[i].samples);
		profile_release(&p);
		buf_release(&body);
	}
}

/* ---- damage ---- */

static bool is_boundary(struct str bytes, size_t cut)
{
	struct wire w;
	struct wire_field f;
	bool is_found = cut == 0;

	wire_init(&w, bytes);
	while (!is_found && wire_next(&w, &f))
		is_found = w.at == cut;
	return is_found;
}

/* A cut inside a field is always seen. One between two fields is seen when
 * something missing is referred to; else the rest is a whole profile, with
 * the full total in every layout that writers use (tables and strings after
 * the samples), or has no samples at all. */
static void test_every_cut(void **state)
{
	static const char *const names[] = { "go-process_cpu-normal",
					     "go-memory-normal", "odd",
					     "real-go-goroutine" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf bytes;
		struct profile whole;

		read_pprof(names[i], &bytes);
		assert_decoded(decode(buf_str(&bytes), "", &whole));
		for (size_t cut = 0; cut < bytes.len; cut++) {
			struct str part = str_slice(buf_str(&bytes), 0, cut);
			struct profile p;

			if (decode(part, "", &p)) {
				assert_true(is_boundary(buf_str(&bytes), cut));
				assert_true(p.stack_count == 0 ||
					    p.total == whole.total);
				assert_true(profile_check(&p, &err));
			} else {
				assert_int_equal(err.code, ERROR_FORMAT);
			}
			profile_release(&p);
		}
		profile_release(&whole);
		buf_release(&bytes);
	}
}

static void test_every_changed_byte(void **state)
{
	static const unsigned char masks[] = { 0x01, 0x08, 0x80, 0xFF };
	struct buf bytes;

	(void)state;
	read_pprof("go-memory-normal", &bytes);
	for (size_t i = 0; i < bytes.len; i++)
		for (size_t k = 0; k < sizeof masks; k++) {
			struct profile p;

			bytes.data[i] = (char)(bytes.data[i] ^ masks[k]);
			if (decode(buf_str(&bytes), "", &p))
				assert_true(profile_check(&p, &err));
			profile_release(&p);
			bytes.data[i] = (char)(bytes.data[i] ^ masks[k]);
		}
	buf_release(&bytes);
}

static void test_lack_of_memory(void **state)
{
	struct buf bytes;

	(void)state;
	read_pprof("odd", &bytes);
	assert_survives_starvation(decode_pprof, buf_str(&bytes));
	buf_release(&bytes);
}
UNIT_TESTS(pprof)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_frames_without_symbols),
		cmocka_unit_test(test_like_a_generic_reader),
		cmocka_unit_test(test_like_pprof_top),
		cmocka_unit_test(test_pyroscope_answers),
		cmocka_unit_test(test_period_of_answers_is_not_believed),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_every_changed_byte),
		cmocka_unit_test(test_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
