/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/profile_type.h"

#include <stdio.h>

#include "base/num.h"
#include "base/suggest.h"

/* Parts of a Pyroscope id: name:type:unit:period_type:period_unit[:delta]. */
#define ID_PARTS_MIN 5
#define ID_PARTS_MAX 6

#define CPU_OF_DATADOG "cpu-time"

/* Option words and their names in files of various runtimes, the likeliest
 * first. Pyroscope ids begin with a profile name that files lack, so files do
 * not distinguish mutex and block profiles: both have contentions and delay. */
static const struct {
	const char *word;
	const char *type;
	const char *unit;
} candidates[] = {
	{ "cpu", "cpu", "nanoseconds" },
	{ "cpu", CPU_OF_DATADOG, "nanoseconds" },
	{ "cpu", "CPU time", "microseconds" },
	{ "cpu", "cpu_samples", "count" },
	{ "cpu", "samples", "count" },
	{ "wall", "wall", "nanoseconds" },
	{ "wall", "wall-time", "nanoseconds" },
	{ "wall", "Wall time", "microseconds" },
	{ "alloc", "alloc_space", "bytes" },
	{ "alloc", "alloc_sample_bytes", "bytes" },
	{ "alloc", "alloc_in_new_tlab_bytes", "bytes" },
	{ "alloc", "alloc_size", "bytes" },
	{ "alloc", "alloc-space", "bytes" },
	{ "alloc", "Allocated memory", "bytes" },
	{ "alloc_space", "alloc_space", "bytes" },
	{ "alloc_space", "alloc_sample_bytes", "bytes" },
	{ "alloc_space", "alloc_in_new_tlab_bytes", "bytes" },
	{ "alloc_space", "alloc_size", "bytes" },
	{ "alloc_objects", "alloc_objects", "count" },
	{ "alloc_objects", "alloc_sample_objects", "count" },
	{ "alloc_objects", "alloc_in_new_tlab_objects", "count" },
	{ "alloc_objects", "alloc_samples", "count" },
	{ "inuse", "inuse_space", "bytes" },
	{ "inuse", "space", "bytes" },
	{ "inuse", "live_bytes", "bytes" },
	{ "inuse", "live", "count" },
	{ "inuse", "heap-space", "bytes" },
	{ "heap", "inuse_space", "bytes" },
	{ "heap", "space", "bytes" },
	{ "heap", "live_bytes", "bytes" },
	{ "heap", "live", "count" },
	{ "heap", "heap-space", "bytes" },
	{ "goroutine", "goroutine", "count" },
	{ "goroutine", "goroutines", "count" },
	{ "goroutineleak", "goroutineleak", "count" },
	{ "mutex", "delay", "nanoseconds" },
	{ "mutex", "contentions", "count" },
	{ "block", "delay", "nanoseconds" },
	{ "block", "contentions", "count" },
	{ "lock", "lock_time", "nanoseconds" },
	{ "lock", "delay", "nanoseconds" },
	{ "lock", "lock-acquire-wait", "nanoseconds" },
	{ "exceptions", "exception", "count" },
	{ "exceptions", "exceptions", "count" },
	{ "offcpu", "off_cpu", "nanoseconds" },
};

#define CANDIDATE_COUNT (sizeof candidates / sizeof *candidates)

/* Values at a point in time. "space" and "objects" are Node's heap in use,
 * "live" Java's. */
static const char *const gauges[] = {
	"inuse_space",  "inuse_objects", "goroutine", "goroutines",
	"goroutineleak", "live",	 "live_bytes", "live_objects",
	"objects",	"space",	 "heap-space", "heap-live-samples",
};

/* Splits at ':'; returns max + 1 for too many parts. */
static size_t split_id(struct str id, struct str *parts, size_t max)
{
	size_t count = 0;
	size_t start = 0;

	for (size_t i = 0; i <= id.len; i++) {
		if (i < id.len && id.ptr[i] != ':')
			continue;
		if (count == max)
			return max + 1;
		parts[count++] = str_slice(id, start, i - start);
		start = i + 1;
	}
	return count;
}

/* A full id has more parts than types in files: profile name and period type
 * are specific to Pyroscope. */
bool type_spelled_out(struct str wanted, struct type_name *type)
{
	struct str parts[ID_PARTS_MAX];
	size_t count = split_id(wanted, parts, ID_PARTS_MAX);
	size_t slash = str_find(wanted, STR("/"));

	if (count >= ID_PARTS_MIN && count <= ID_PARTS_MAX) {
		*type = (struct type_name){ parts[1], parts[2] };
		return type->type.len > 0;
	}
	if (slash == SIZE_MAX || slash == 0)
		return false;
	*type = (struct type_name){
		str_slice(wanted, 0, slash),
		str_slice(wanted, slash + 1, wanted.len),
	};
	return true;
}

bool type_implied(const struct profile_want *want, struct type_name *implied)
{
	struct str wanted = want->like ? want->like->type : want->type;

	if (type_spelled_out(want->type, implied))
		return true;
	/* Names that are unambiguous, as written by runtimes. */
	for (size_t i = 0; i < CANDIDATE_COUNT; i++) {
		if (!str_equal(wanted, str_from(candidates[i].word)) &&
		    !str_equal(wanted, str_from(candidates[i].type)))
			continue;
		*implied = (struct type_name){ str_from(candidates[i].type),
					       str_from(candidates[i].unit) };
		return true;
	}
	return false;

}

bool type_declare_implied(struct profile_build *b,
			  const struct profile_want *want, struct error *err)
{
	struct type_name type;

	return !type_implied(want, &type) ||
	       profile_build_type(b, type.type, type.unit, err);
}

/* Cloud Profiler's agent for Python writes "CPU" and "WALL". */
static bool is_shouted(struct str offered, struct str wanted)
{
	for (size_t i = 0; i < offered.len; i++)
		if (offered.ptr[i] >= 'a' && offered.ptr[i] <= 'z')
			return false;
	return str_equal_nocase(offered, wanted);
}

/* An empty unit matches any. */
static bool find_named(const struct type_name *offered, uint32_t count,
		       struct type_name wanted,
		       bool (*is_name)(struct str offered, struct str wanted),
		       uint32_t *chosen)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!is_name(offered[i].type, wanted.type) ||
		    (wanted.unit.len &&
		     !str_equal(offered[i].unit, wanted.unit)))
			continue;
		*chosen = i;
		return true;
	}
	return false;
}

static bool find_type(const struct type_name *offered, uint32_t count,
		      struct type_name wanted, uint32_t *chosen)
{
	return find_named(offered, count, wanted, str_equal, chosen) ||
	       find_named(offered, count, wanted, is_shouted, chosen);
}

static bool find_same(const struct type_name *offered, uint32_t count,
		      const struct type_name *wanted, uint32_t *chosen)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!type_name_equal(offered[i], *wanted))
			continue;
		*chosen = i;
		return true;
	}
	return false;
}

/* With any_unit a type counts by its name alone: wall in microseconds. */
static bool find_candidate(const struct type_name *offered, uint32_t count,
			   struct str word, bool any_unit, uint32_t *chosen)
{
	struct type_name wall = { .type = STR("wall") };
	uint32_t ignored;

	for (size_t i = 0; i < CANDIDATE_COUNT; i++) {
		struct type_name type = {

			str_from(candidates[i].type),
			str_from(candidates[i].unit),
		};

		/* Node's wall-clock profiles also count samples, which are not
		 * CPU samples. */
		if (!str_equal(word, str_from(candidates[i].word)) ||
		    (type_is_sample_count(type) &&
		     find_type(offered, count, wall, &ignored)))
			continue;
		if (any_unit)
			type.unit = STR("");
		if (find_type(offered, count, type, chosen))
			return true;
	}
	return false;
}

/* The list is truncated after a complete type. */
static bool not_found(const struct type_name *offered, uint32_t count,
		      struct str wanted, struct error *err)
{
	char list[LIMIT_ERROR_BYTES / 2];
	struct suggestion near;
	size_t at = 0;

	list[0] = '\0';
	suggestion_init(&near, wanted);
	for (uint32_t i = 0; i < count; i++)
		suggestion_offer_text(&near, offered[i].type);
	for (uint32_t i = 0; i < count; i++) {
		int len = snprintf(list + at, sizeof list - at, "%s%.*s/%.*s",
				   i ? ", " : "", STR_ARGS(offered[i].type),
				   STR_ARGS(offered[i].unit));

		if (len < 0 || (size_t)len >= sizeof list - at)
			break;
		at += (size_t)len;
	}
	return error_set(err, ERROR_NOT_FOUND,
			 "the profile has no sample type \"%.*s\"%s%s%s "
			 "it has %s",
			 STR_ARGS(wanted),
			 near.best[0] ? ", did you mean " : "", near.best,
			 near.best[0] ? "?" : ";", list);
}

/* Finds the requested type, trying more exact interpretations first. */
static bool find_wanted(const struct type_name *offered, uint32_t count,
			struct str wanted, uint32_t *chosen)
{
	struct type_name type = { .type = wanted };

	/* As errors and lists have it: names, too, may hold a '/'. */
	for (uint32_t i = 0; i < count; i++) {
		struct str name = offered[i].type, unit = offered[i].unit;

		if (wanted.len == name.len + 1 + unit.len &&
		    str_starts(wanted, name) && wanted.ptr[name.len] == '/' &&
		    str_ends(wanted, unit)) {
			*chosen = i;
			return true;
		}
	}
	if (find_named(offered, count, type, str_equal, chosen))
		return true;
	if (type_spelled_out(wanted, &type))
		return find_type(offered, count, type, chosen);
	return find_type(offered, count, type, chosen) ||
	       find_candidate(offered, count, wanted, false, chosen) ||
	       find_candidate(offered, count, wanted, true, chosen);
}

bool type_choose(const struct type_name *offered, uint32_t count,
		 struct str default_type, const struct profile_want *want,
		 uint32_t *chosen, struct error *err)
{
	struct str wanted = want->like ? want->like->type : want->type;
	struct type_name type = { .type = default_type };
	struct type_name cpu = { .type = STR(CPU_OF_DATADOG) };
	uint32_t last = count - 1;

	if (!want->like || !find_same(offered, count, want->like, chosen)) {
		if (wanted.len) {
			if (!find_wanted(offered, count, wanted, chosen))
				return not_found(offered, count, wanted, err);
		} else if (!find_type(offered, count,
				      default_type.len ? type : cpu, chosen)) {
			/* The last one, if no default is named; for Datadog's
			 * Python tracer, whose list ends with GPU types, CPU
			 * time. */
			*chosen = last;
		}
	}
	/* Makes the choice among equal types independent of how one was
	 * requested. */
	if (str_equal(offered[*chosen].type, default_type))
		(void)find_same(offered, count, &offered[*chosen], &last);
	else
		while (!type_name_equal(offered[last], offered[*chosen]))
			last--;
	*chosen = last;
	return true;
}

bool type_is_gauge(struct str type)
{
	return str_is_one_of(type, gauges, COUNT_OF(gauges));
}

bool type_is_sample_count(struct type_name type)
{
	static const char *const names[] = { "samples", "sample", "cpu",
					     "wall" };

	return str_equal(type.unit, STR("count")) &&
	       str_is_one_of(type.type, names, COUNT_OF(names));
}

void type_settle(struct profile *out)
{
	struct type_name type = { profile_type_name(out), profile_unit(out) };

	out->is_gauge = type_is_gauge(type.type);
	if (out->stack_count == 0) {
		out->sample_count = 0;
	} else if (type_is_sample_count(type)) {
		out->period = 1;
		out->sample_count = out->total;
	} else {
		profile_infer_period(out);
	}
}

void type_note_others(const struct profile *p, const struct profile_want *want,
		      struct notes *notes)
{
	struct str name = profile_type_name(p);
	char list[LIMIT_NOTE_BYTES / 2] = "";
	size_t at = 0;

	if (p->whole_total || p->type_count < 2 || want->type.len || want->like)
		return;
	for (uint32_t i = 0; i < p->type_count; i++) {
		struct str type = profile_text(p, p->types[i].type);
		int len;

		if (i == p->type)
			continue;
		len = snprintf(list + at, sizeof list - at, "%s%.*s",
			       at ? ", " : "", STR_ARGS(type));
		if (len < 0 || (size_t)len >= sizeof list - at)
			break;
		at += (size_t)len;
	}
	list[at] = '\0';
	notes_add(notes,
		  "%.*s, which is read by default, has no samples; --type "
		  "names another: %s",
		  STR_ARGS(name), list);
}
