/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/leak.h"

#include "backend/fetch_profile.h"
#include "base/mem.h"
#include "base/num.h"

#define BLOCKS GROWTH_BLOCKS
#define SLICES (LEAK_PROCESSES * BLOCKS)
#define THIRD 3u /* blocks of the last third */
/* What is asked of the function that leaks, beside the slices. */
#define LAST_REQUESTS 2u
/* Of files, whose allocations are counted since the process began: those of
 * the first and of the last one. */
#define LAST_FILES 3u
/* A process is looked at when it lived half as long as the longest. */
#define LIFE_SHARE 2

/* The profiles of the blocks of some processes. */
struct slices {
	struct leak *l;
	struct leak_subject *subject;
	size_t process_count;
	struct str selectors[LEAK_PROCESSES];
	struct profile_fetch fetches[SLICES];
	struct profile profiles[SLICES];
	struct snapshots_job counts[LEAK_PROCESSES];
	struct growth_segment segments[LEAK_PROCESSES];
	struct growth_functions *functions;
};

/* ---- asking ---- */

static size_t processes_fitting(const struct slices *s, bool wants_functions)
{
	size_t left = backends_requests_left(s->l->v->backends);
	size_t each = wants_functions ? BLOCKS + 1 : 1;
	size_t fitting =
		left > LAST_REQUESTS ? (left - LAST_REQUESTS) / each : 0;

	return fitting < 1 ? 1 : min_size(fitting, LEAK_PROCESSES);
}

/* Segments stand by their length. */
static void choose_processes(struct slices *s, bool wants_functions)
{
	const struct leak_segment *all = s->subject->segments;
	size_t most = processes_fitting(s, wants_functions);
	int64_t longest = all[0].range.to_ns - all[0].range.from_ns;

	while (s->process_count < most &&
	       s->process_count < s->subject->segment_count) {
		struct time_range r = all[s->process_count].range;

		if (r.to_ns - r.from_ns < longest / LIFE_SHARE)
			break;
		s->process_count++;
	}
}

static bool select_process(struct slices *s, size_t process, struct error *err)
{
	struct leak *l = s->l;
	struct str instance = s->subject->segments[process].instance;
	struct str *out = &s->selectors[process];

	*out = l->found.instance_label.ptr && instance.len
		       ? selector_with(l->v, l->found.selector,
				       l->found.instance_label, instance, false)
		       : l->found.selector;
	return out->ptr || arena_fail(l->v->backends->arena, "a selector", err);
}

/* A profile of a part of a process's life, from wherever they are. */
static bool slice_init(struct slices *s, struct profile_fetch *f,
		       const struct leak_segment *segment,
		       struct profile_query query, struct profile *into,
		       struct error *err)
{
	struct leak *l = s->l;

	profile_fetch_init(f, &query, into);
	if (!l->path_count)
		return true;
	f->paths = leak_files_within(l, s->subject, segment, query.range,
				     &f->path_count);
	return f->paths || arena_fail(l->v->backends->arena, "the files", err);
}

static bool ask(struct slices *s, bool wants_functions, struct error *err)
{
	struct job *jobs[SLICES + LEAK_PROCESSES];
	size_t n = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct leak_segment *segment = &s->subject->segments[i];
		struct profile_query query = { .range = segment->range };

		if (!s->l->path_count && !select_process(s, i, err))
			return false;
		query.type_id = s->subject->type_id.ptr;
		query.selector = s->selectors[i].ptr;
		snapshots_job_init(&s->counts[i], &query, NULL);
		if (!s->l->path_count)
			jobs[n++] = &s->counts[i].job;
		for (size_t k = 0; wants_functions && k < BLOCKS; k++) {
			size_t at = i * BLOCKS + k;

			query.range = leak_block(segment, k);
			if (!slice_init(s, &s->fetches[at], segment, query,
					&s->profiles[at], err))
				return false;
			jobs[n++] = &s->fetches[at].job;
		}
	}
	return jobs_run(s->l->v->backends, jobs, n, err);
}

/* ---- snapshots ---- */

/* Steps of other processes have as many, as far as is known. */
static void apply_snapshots(struct slices *s)
{
	struct leak_subject *subject = s->subject;
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		struct leak_segment *segment = &subject->segments[i];

		if (!s->counts[i].job.has_answer || !segment->points)
			continue;
		segment->per_point =
			(double)s->counts[i].count / (double)segment->points;
		sum += segment->per_point;
		known++;
	}
	for (size_t i = 0; i < subject->segment_count; i++) {
		struct leak_segment *segment = &subject->segments[i];

		if (known > 0 &&
		    (i >= s->process_count || !s->counts[i].job.has_answer))
			segment->per_point = sum / (double)known;
		for (size_t k = 0; k < BLOCKS; k++)
			segment->growth.values[k] /= segment->per_point;
	}
	subject->is_per_snapshot = true;
	if (known == 0)
		investigation_note(
			s->l->v,
			(struct note){ .kind = NOTE_SNAPSHOTS_UNKNOWN,
				       .reason =
					       s->counts[0].job.err.message });
}

double leak_least(const struct leak_subject *s, double start)
{
	static const struct {
		double part;
		double least;
	} limits[LEAK_WHATS] = {
		/* Twenty samples of an allocation profile of 512 KiB. */
		[LEAK_MEMORY] = { 0.05, 10 * (double)MIB },
		[LEAK_THREADS] = { 0.2, 50 },
	};
	double part = limits[s->what].part * start;

	return part > limits[s->what].least ? part : limits[s->what].least;
}

/* By all of its processes. */
static void judge_total(struct leak_subject *s)
{
	struct growth_segment all[GROWTH_SEGMENTS_MAX];
	size_t count = min_size(s->segment_count, GROWTH_SEGMENTS_MAX);
	double scratch[2];
	size_t order[1];

	for (size_t i = 0; i < count; i++)
		all[i] = s->segments[i].growth;
	growth_judge(all, count, 0, &s->total);
	growth_judge(all, count, leak_least(s, s->total.start), &s->total);
	growth_settle(&s->total, 1, GROWTH_Q, scratch, order);
}

/* ---- what else is known of a function ---- */

static bool is_of_totals(const struct backends *b, struct str type_id)
{
	const struct profile_backend *p = backends_profiles(b);

	return p->counts_totals && p->counts_totals(&b->profiles, type_id);
}

/* Questions about the longest-lived process, in the last third of its life:
 * what becomes of them stands in values, 0 where it is not known. */
struct last_third {
	struct time_range range;
	double hours;
	struct profile_fetch fetches[LAST_FILES];
	struct profile profiles[LAST_FILES];
	bool is_asked[LAST_FILES];
	double values[LAST_FILES];
};

static bool ask_last(struct slices *s, struct last_third *last,
		     struct error *err)
{
	static const char *const words[LAST_REQUESTS] = { "inuse_objects",
							  "alloc" };
	struct backends *b = s->l->v->backends;
	struct job *jobs[LAST_REQUESTS];
	size_t n = 0;

	for (size_t i = 0; i < LAST_REQUESTS; i++) {
		struct profile_query query = { .selector = s->selectors[0].ptr,
					       .range = last->range };
		struct error ignored;
		struct str type;
		bool is_gauge;

		if (!profile_type_resolve(str_from(words[i]),
					  &s->l->found.types, b->arena, &type,
					  &is_gauge, &ignored) ||
		    is_of_totals(b, type))
			continue;
		query.type_id = type.ptr;
		profile_fetch_init(&last->fetches[i], &query,
				   &last->profiles[i]);
		last->is_asked[i] = true;
		jobs[n++] = &last->fetches[i].job;
	}
	return !n || jobs_run(b, jobs, n, err);
}

/* Allocations are those between the first and the last file. One after the
 * other: of files asked for together the second is read for the first's type.
 */
static bool ask_last_files(struct slices *s, struct last_third *last,
			   struct error *err)
{
	static const char *const words[LAST_FILES] = { "inuse_objects",
						       "alloc_space",
						       "alloc_space" };
	const struct leak *l = s->l;
	size_t count;
	const char *const *paths = leak_files_within(
		l, s->subject, &s->subject->segments[0], last->range, &count);

	if (!paths)
		return arena_fail(l->v->backends->arena, "the files", err);
	for (size_t i = 0; i < LAST_FILES; i++) {
		struct profile_query query = { .type_id = words[i] };
		struct profile_fetch *f = &last->fetches[i];
		struct job *job = &f->job;

		profile_fetch_init(f, &query, &last->profiles[i]);
		f->paths = i == 1 ? &paths[count - 1] : paths;
		f->path_count = i ? 1 : count;
		last->is_asked[i] = true;
		if (!jobs_run(l->v->backends, &job, 1, err))
			return false;
	}
	last->hours = (double)(leak_file_time(l, paths[count - 1]) -
			       leak_file_time(l, paths[0])) /
		      NS_PER_HOUR;
	return true;
}

static bool take_last(struct slices *s, struct last_third *last, size_t index,
		      struct error *err)
{
	struct leak_function *f = &s->subject->functions[index];
	double held = 0, own, made;

	for (size_t i = 0; i < LAST_FILES; i++)
		if (last->is_asked[i] && last->fetches[i].job.has_answer &&
		    !growth_functions_value(s->functions, index,
					    &last->profiles[i],
					    &last->values[i], err))
			return false;
	for (size_t k = BLOCKS - THIRD; k < BLOCKS; k++) {
		if (!growth_functions_value(s->functions, index,
					    &s->profiles[k], &own, err))
			return false;
		held += own;
	}
	if (last->values[0] > 0)
		f->bytes_each = held / last->values[0];
	made = last->values[1] - last->values[2];
	f->allocated_hour = last->hours > 0 ? made / last->hours : 0;
	return true;
}

static bool ask_more(struct slices *s, size_t index, struct error *err)
{
	const struct leak_segment *segment = &s->subject->segments[0];
	struct last_third *last = mem_calloc(1, sizeof *last);
	bool done;

	if (!last)
		return error_memory(err, "the blocks");
	last->range = (struct time_range){
		leak_block(segment, BLOCKS - THIRD).from_ns,
		leak_block(segment, BLOCKS - 1).to_ns
	};
	for (size_t i = 0; i < LAST_FILES; i++)
		profile_init(&last->profiles[i]);
	last->hours = time_range_seconds(last->range) / 3600;
	done = (s->l->path_count ? ask_last_files(s, last, err)
				 : ask_last(s, last, err)) &&
	       take_last(s, last, index, err);
	for (size_t i = 0; i < LAST_FILES; i++)
		profile_release(&last->profiles[i]);
	mem_free(last);
	return done;
}

/* ---- functions ---- */

static bool has_slices(struct slices *s)
{
	for (size_t i = 0; i < s->process_count * BLOCKS; i++)
		if (!s->fetches[i].job.has_answer) {
			investigation_note(
				s->l->v,
				(struct note){
					.kind = NOTE_SIDE_MISSING,
					.name = STR("block"),
					.reason = s->fetches[i].job.err.message,
				});
			return false;
		}
	return true;
}

static bool take_functions(struct slices *s, struct error *err)
{
	struct growth_function found[GROWTH_FUNCTIONS];
	struct leak_subject *subject = s->subject;
	struct arena *arena = s->l->v->backends->arena;
	size_t first = SIZE_MAX;

	if (!growth_functions_find(s->functions, found,
				   &subject->function_count, err))
		return false;
	subject->processes = s->process_count;
	subject->functions = arena_array(arena, GROWTH_FUNCTIONS,
					 sizeof *subject->functions);
	if (!subject->functions)
		return arena_fail(arena, "functions", err);
	for (size_t i = 0; i < subject->function_count; i++) {
		subject->functions[i].found = found[i];
		if (found[i].growth.kind == GROWTH_ENDLESS && first == SIZE_MAX)
			first = i;
	}
	subject->is_leak |= first != SIZE_MAX;
	return first == SIZE_MAX || subject->what != LEAK_MEMORY ||
	       ask_more(s, first, err);
}

static bool judge_functions(struct slices *s, struct error *err)
{
	struct growth_blocks want = {
		.profiles = s->profiles,
		.segments = s->segments,
		.process_count = s->process_count,
		.least = leak_least(s->subject, s->subject->total.start),
		.most_q = s->subject->total.kind == GROWTH_ENDLESS
				  ? GROWTH_PART_Q
				  : GROWTH_Q,
		.rules = s->l->v->question->rules,
		.keep = s->l->v->backends->arena,
		.notes = s->l->v->backends->notes,
	};
	bool done;

	if (!has_slices(s))
		return true;
	for (size_t i = 0; i < s->process_count; i++)
		s->segments[i] = s->subject->segments[i].growth;
	s->functions = growth_functions_new(&want, err);
	done = s->functions && take_functions(s, err);
	growth_functions_free(s->functions);
	return done;
}

bool leak_functions_judge(struct leak *l, struct leak_subject *subject,
			  bool wants_functions, struct error *err)
{
	struct slices *s = mem_calloc(1, sizeof *s);
	bool done;

	if (!s)
		return error_memory(err, "the blocks");
	s->l = l;
	s->subject = subject;
	for (size_t i = 0; i < SLICES; i++)
		profile_init(&s->profiles[i]);
	choose_processes(s, wants_functions);
	done = ask(s, wants_functions, err);
	if (done) {
		if (!subject->is_per_snapshot)
			apply_snapshots(s);
		judge_total(subject);
		subject->is_leak = subject->total.kind == GROWTH_ENDLESS;
		done = !wants_functions || judge_functions(s, err);
	}
	for (size_t i = 0; i < SLICES; i++)
		profile_release(&s->profiles[i]);
	mem_free(s);
	return done;
}
