/* SPDX-License-Identifier: Apache-2.0
 *
 * drop_frames and keep_frames: patterns in the file itself that say which
 * functions, insides of an allocator or of the profiler, are to be left out
 * with all that they called. The rules are pprof's: a pattern is compared with
 * the whole name without its parameters, and a stack is cut from the root.
 */
#include "base/buf.h"
#include "base/regex.h"
#include "decode/pprof.h"

/* ---- the patterns ---- */

struct patterns {
	struct regex *drop;
	struct regex *keep; /* NULL: none */
};

static void patterns_free(struct patterns *patterns)
{
	regex_free(patterns->drop);
	regex_free(patterns->keep);
}

/* Each name gets its share of the steps that all of them may take. */
static struct regex *whole_name_new(const struct pprof *p, uint64_t string,
				    const char *subject, struct error *err)
{
	uint32_t steps = LIMIT_DROP_STEPS_TOTAL / (p->functions.count + 1);
	struct str pattern = STR("");
	struct regex *re = NULL;
	struct buf text;

	if (string < p->string_count)
		pattern = pprof_text(p, (size_t)string);
	if (pattern.len > LIMIT_DROP_PATTERN_BYTES) {
		error_set(err, ERROR_LIMIT, "%s: longer than %zu bytes",
			  subject, LIMIT_DROP_PATTERN_BYTES);
		return NULL;
	}
	buf_init(&text, LIMIT_DROP_PATTERN_BYTES + 16);
	buf_add_text(&text, "^(");
	buf_add_str(&text, pattern);
	buf_add_text(&text, ")\\z");
	if (buf_check(&text, subject, err))
		re = regex_new(buf_str(&text), subject, err);
	buf_release(&text);
	if (re && steps < LIMIT_REGEX_STEPS)
		regex_limit_steps(re, steps);
	return re;
}

static bool patterns_new(const struct pprof *p, struct patterns *patterns,
			 struct error *err)
{
	const struct pprof_header *h = &p->header;

	*patterns = (struct patterns){ NULL, NULL };
	patterns->drop = whole_name_new(p, h->drop_frames, "drop_frames", err);
	if (!patterns->drop)
		return false;
	if (!h->keep_frames)
		return true;
	patterns->keep = whole_name_new(p, h->keep_frames, "keep_frames", err);
	return patterns->keep;
}

/* ---- the functions ---- */

/* The name up to its parameters; of PowerPC's old ABI without the dot. */
static struct str without_parameters(struct str name)
{
	struct str unnamed = STR("(anonymous namespace)");
	size_t at = 0;

	if (str_starts(name, STR(".")))
		name = str_slice(name, 1, name.len);
	while (at < name.len) {
		struct str rest = str_slice(name, at, name.len);
		size_t open = str_find(rest, STR("("));

		if (open == SIZE_MAX)
			return name;
		at += open;
		if (str_starts(str_slice(name, at, name.len), unnamed))
			at += unnamed.len;
		else if (str_ends(str_slice(name, 0, at), STR("operator")) &&
			 str_starts(str_slice(name, at, name.len), STR("()")))
			at += 2;
		else
			return str_slice(name, 0, at);
	}
	return name;
}

static bool judge_name(const struct patterns *patterns, struct str name,
		       bool *is_dropped, struct error *err)
{
	bool is_kept = false;

	name = without_parameters(name);
	if (!regex_match(patterns->drop, name, is_dropped, err))
		return false;
	if (*is_dropped && patterns->keep &&
	    !regex_match(patterns->keep, name, &is_kept, err))
		return false;
	*is_dropped = *is_dropped && !is_kept;
	return true;
}

/* Once for all functions of the same name. */
static bool judge_once(struct pprof *p, const struct patterns *patterns,
		       struct map *judged, struct str name, bool *is_dropped,
		       bool *has_pattern_failed, struct error *err)
{
	uint64_t key = name.len ? (uint64_t)(name.ptr - p->texts) : 0;
	uint32_t known = map_find_u64(judged, key);

	*is_dropped = known == 1;
	if (!name.len || known != MAP_NONE)
		return true;
	if (!profile_build_demangle(p->build, &name, err))
		return false;
	if (!judge_name(patterns, name, is_dropped, err)) {
		*has_pattern_failed = true;
		return false;
	}
	return map_insert_u64(judged, key, *is_dropped, &known) ||
	       pprof_no_memory(p, err);
}

/* *has_patterns_failed tells a bad pattern from a damaged file. */
static bool judge_functions(struct pprof *p, const struct patterns *patterns,
			    bool *is_dropped, bool *has_pattern_failed,
			    struct error *err)
{
	struct map judged;

	map_init(&judged, &p->scratch);
	for (uint32_t i = 0; i < p->functions.count; i++) {
		struct str name;

		if (!pprof_function_name(p, i, &name, err) ||
		    !judge_once(p, patterns, &judged, name, &is_dropped[i],
				has_pattern_failed, err))
			return false;
	}
	return true;
}

static bool note_failure(struct notes *notes, struct error *err)
{
	/* It is not the pattern's fault. */
	if (err->code == ERROR_MEMORY || err->code == ERROR_INTERNAL)
		return false;
	notes_add(notes, "frames that the file wants left out are shown: %s",
		  err->message);
	error_clear(err);
	return true;
}

bool pprof_drop_prepare(struct pprof *p, struct notes *notes, struct error *err)
{
	bool *is_dropped;
	struct patterns patterns;
	bool has_pattern_failed = false;
	bool is_done;

	if (!p->header.drop_frames)
		return true;
	is_dropped = arena_array(&p->scratch, p->functions.count,
				 sizeof *is_dropped);
	p->cuts = arena_array(&p->scratch, p->locations.count, sizeof *p->cuts);
	p->dropped_lines = arena_array(&p->scratch, p->locations.count,
				       sizeof *p->dropped_lines);
	if (!is_dropped || !p->cuts || !p->dropped_lines)
		return pprof_no_memory(p, err);
	if (!patterns_new(p, &patterns, err)) {
		patterns_free(&patterns);
		return note_failure(notes, err);
	}
	is_done = judge_functions(p, &patterns, is_dropped, &has_pattern_failed,
				  err);
	patterns_free(&patterns);
	if (is_done)
		p->is_dropped = is_dropped;
	return is_done || (has_pattern_failed && note_failure(notes, err));
}

/* ---- the stacks ---- */

static bool is_function_dropped(const struct pprof *p, uint64_t id)
{
	uint32_t function = pprof_find(&p->functions, id);

	return function != PPROF_NONE && p->is_dropped[function];
}

static bool is_dropped_line(const struct pprof *p, struct str message,
			    bool *is_dropped, struct error *err)
{
	struct wire w;
	struct wire_field f;
	uint64_t id = 0;

	pprof_wire(p, message, &w);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			id = f.value;
	*is_dropped = is_function_dropped(p, id);
	return pprof_check(p, &w, err);
}

/* *lines: all that the location has. */
static bool count_lines(const struct pprof *p, const struct pprof_location *row,
			uint32_t *dropped, uint32_t *lines, struct error *err)
{
	struct wire w;
	struct wire_field f;

	if (row->function != PPROF_NONE) {
		*lines = 1;
		*dropped = is_function_dropped(p, row->function);
		return true;
	}
	*dropped = *lines = 0;
	pprof_wire(p, pprof_message(p, (uint32_t)row->place), &w);
	while (wire_next(&w, &f)) {
		bool is_dropped;

		if (f.tag != WIRE_TAG(4, WIRE_BYTES))
			continue;
		if (!is_dropped_line(p, f.bytes, &is_dropped, err))
			return false;
		++*lines;
		if (is_dropped)
			*dropped = *lines;
	}
	return pprof_check(p, &w, err);
}

/* The id of a location that is missing is found out later. */
static bool cut_of(struct pprof *p, uint64_t id, enum pprof_cut *cut,
		   struct error *err)
{
	uint32_t location = pprof_find(&p->locations, id);
	uint32_t dropped, lines;

	*cut = PPROF_CUT_NOTHING;
	if (location == PPROF_NONE)
		return true;
	if (p->cuts[location] == PPROF_CUT_UNKNOWN) {
		if (!count_lines(p, &p->location_rows[location], &dropped,
				 &lines, err))
			return false;
		if (dropped)
			*cut = dropped == lines ? PPROF_CUT_WHOLE
						: PPROF_CUT_INNER;
		p->cuts[location] = (unsigned char)*cut;
		/* One that is dropped whole may still begin a stack. */
		p->dropped_lines[location] = dropped == lines ? 0 : dropped;
	}
	*cut = p->cuts[location];
	return true;
}

bool pprof_drop_cut(struct pprof *p, const uint64_t *ids, size_t count,
		    size_t *first, struct error *err)
{
	bool has_kept = false;

	*first = 0;
	for (size_t i = count; p->is_dropped && i-- > 0;) {
		enum pprof_cut cut;

		if (!cut_of(p, ids[i], &cut, err))
			return false;
		if (cut == PPROF_CUT_NOTHING) {
			has_kept = true;
		} else if (has_kept) {
			*first = cut == PPROF_CUT_WHOLE ? i + 1 : i;
			break;
		}
	}
	return true;
}
