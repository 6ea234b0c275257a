/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the filters, and what each does to a stack, follows pprof:
 * focus, ignore, hide and show look at the whole stack, show_from at what is
 * left. Frames that were inlined into one another make up one location; some
 * of the rules are about locations.
 */
#include "analyze/view.h"

#include <math.h>

#include "analyze/profile_analysis.h"
#include "base/num.h"
#include "base/path.h"

#define WHAT "filtering the profile"

enum filter {
	FILTER_FOCUS = 0,
	FILTER_IGNORE,
	FILTER_HIDE,
	FILTER_SHOW,
	FILTER_FROM,
	FILTER_COUNT,
};

#define MATCHES(filter) (1u << (filter))
/* Bit of a function whose mapping matches FILTER_FROM. */
#define MATCHES_FROM_MAPPING (1u << FILTER_COUNT)

enum known { KNOWN_NOT = 0, KNOWN_NO, KNOWN_YES };

struct pass {
	const struct profile *in;
	const struct view *v;
	struct regex *filters[FILTER_COUNT];
	struct profile_build *build;
	struct arena scratch;
	unsigned char *known[FILTER_COUNT]; /* by symbol: enum known */
	unsigned char *matches;             /* by function */
	/* New indices + 1 by frame: as it is, and as the outermost left of
	 * its location. */
	uint32_t *frames[2];
	struct buf name;
	struct buf file;
	uint32_t stack[LIMIT_STACK_FRAMES];
	uint32_t depth;
	bool is_shown; /* FILTER_FROM matched further out */
	int64_t filtered;
};

enum profile_detail view_detail(const struct view *v)
{
	return v->granularity == GRANULARITY_ADDRESS ? PROFILE_DETAIL_ADDRESSES
						     : PROFILE_DETAIL_PLACES;
}

bool view_is_plain(const struct view *v)
{
	return !v->focus && !v->ignore && !v->hide && !v->show &&
	       !v->show_from && v->granularity == GRANULARITY_FUNCTION;
}

/* ---- which functions match ---- */

static bool symbol_matches(struct pass *pass, enum filter filter,
			   uint32_t symbol, bool *is_match, struct error *err)
{
	unsigned char *known = &pass->known[filter][symbol];

	if (*known == KNOWN_NOT) {
		if (!regex_match(pass->filters[filter],
				 profile_text(pass->in, symbol), is_match, err))
			return false;
		*known = *is_match ? KNOWN_YES : KNOWN_NO;
	}
	*is_match = *known == KNOWN_YES;
	return true;
}

/* The name of a nameless frame is ours and matches nothing. A mapping that is
 * not known is none, while the file "" of a function is matched. */
static bool function_judge(struct pass *pass, uint32_t f, enum filter filter,
			   struct error *err)
{
	const struct function *function = &pass->in->functions[f];
	bool is_match = false;

	if (function->mapping &&
	    !symbol_matches(pass, filter, function->mapping, &is_match, err))
		return false;
	if (is_match && filter == FILTER_FROM)
		pass->matches[f] |= MATCHES_FROM_MAPPING;
	if (!is_match && !function->is_nameless &&
	    (!symbol_matches(pass, filter, function->name, &is_match, err) ||
	     (!is_match &&
	      !symbol_matches(pass, filter, function->file, &is_match, err))))
		return false;
	if (is_match)
		pass->matches[f] |= (unsigned char)MATCHES(filter);
	return true;
}

static bool functions_judge(struct pass *pass, struct error *err)
{
	const struct profile *p = pass->in;

	for (int i = 0; i < FILTER_COUNT; i++) {
		if (!pass->filters[i])
			continue;
		pass->known[i] = arena_array(&pass->scratch,
					     symtab_count(&p->symtab), 1);
		if (!pass->known[i])
			return arena_fail(&pass->scratch, WHAT, err);
		for (uint32_t f = 0; f < p->function_count; f++)
			if (!function_judge(pass, f, (enum filter)i, err))
				return false;
	}
	return true;
}

/* ---- names ---- */

static void place_add(struct pass *pass, const struct whole_frame *whole)
{
	const struct frame *f = &whole->frame;
	struct str file = buf_str(&pass->file);

	if (f->line || file.len)
		buf_add_char(&pass->name, ' ');
	buf_add_str(&pass->name, file);
	if (f->line)
		buf_addf(&pass->name, ":%u", (unsigned)f->line);
	if (f->line && whole->detail.column)
		buf_addf(&pass->name, ":%u", (unsigned)whole->detail.column);
}

/* "0000000000401a2f name file.c:12", as much as is wanted and known. */
static void name_build(struct pass *pass, const struct whole_frame *f)
{
	enum granularity by = pass->v->granularity;
	const struct frame_detail *detail = &f->detail;
	uint32_t function = f->frame.function;

	buf_clear(&pass->name);
	if (by == GRANULARITY_FILE) {
		struct str base =
			path_base(function_mapping(pass->in, function));

		/* The text of pprof for unknown functions. */
		if (pass->file.len)
			buf_add_str(&pass->name, buf_str(&pass->file));
		else if (base.len)
			buf_addf(&pass->name, "[%.*s]", STR_ARGS(base));
		else
			buf_add_text(&pass->name, "<unknown>");
		return;
	}
	if (by == GRANULARITY_ADDRESS &&
	    (detail->address_high || detail->address_low))
		buf_addf(&pass->name, "%08x%08x ",
			 (unsigned)detail->address_high,
			 (unsigned)detail->address_low);
	buf_add_str(&pass->name, function_name(pass->in, function));
	if (by != GRANULARITY_FUNCTION &&
	    !pass->in->functions[function].is_nameless)
		place_add(pass, f);
}

static bool frame_build(struct pass *pass, uint32_t frame, bool is_inlined,
			uint32_t *id, struct error *err)
{
	struct whole_frame place = whole_frame(pass->in, frame);
	uint32_t from = place.frame.function;
	struct str file = path_trim(function_file(pass->in, from),
				    pass->v->trim_path, pass->v->source_path);

	buf_clear(&pass->file);
	if (file.len)
		path_clean(file, &pass->file);
	name_build(pass, &place);
	if (pass->v->granularity == GRANULARITY_FILE)
		place = (struct whole_frame){ 0 };
	place.detail.is_inlined = is_inlined;
	return buf_check(&pass->file, WHAT, err) &&
	       buf_check(&pass->name, WHAT, err) &&
	       profile_build_mapped(pass->build, buf_str(&pass->name),
				    buf_str(&pass->file),
				    function_mapping(pass->in, from),
				    pass->in->functions[from].is_nameless,
				    &place.frame.function, err) &&
	       profile_build_place(pass->build, &place, id, err);
}

static bool frame_push(struct pass *pass, uint32_t frame, bool is_inlined,
		       struct error *err)
{
	uint32_t *known = &pass->frames[is_inlined][frame];
	uint32_t id;

	if (!*known) {
		if (!frame_build(pass, frame, is_inlined, &id, err))
			return false;
		*known = id + 1;
	}
	pass->stack[pass->depth++] = *known - 1;
	return true;
}

/* ---- stacks ---- */

static unsigned frame_matches(const struct pass *pass, uint32_t frame)
{
	return pass->matches[pass->in->frames[frame].function];
}

static bool stack_is_wanted(const struct pass *pass, const struct stack *s)
{
	const uint32_t *ids = &pass->in->frame_ids[s->frame_first];
	bool is_focused = !pass->v->focus;

	for (uint32_t i = 0; i < s->frame_count; i++) {
		unsigned matches = frame_matches(pass, ids[i]);

		if (matches & MATCHES(FILTER_IGNORE))
			return false;
		is_focused |= (matches & MATCHES(FILTER_FOCUS)) != 0;
	}
	return is_focused;
}

static bool is_visible(const struct pass *pass, uint32_t frame)
{
	unsigned matches = frame_matches(pass, frame);
	uint32_t function = pass->in->frames[frame].function;

	if (matches & MATCHES(FILTER_HIDE))
		return false;
	/* A location without lines has none that could be shown. */
	return !pass->v->show || ((matches & MATCHES(FILTER_SHOW)) &&
				  !pass->in->functions[function].is_nameless);
}

/* Returns the first frame of a location that show_from leaves, `count` for
 * none. In pprof a location that matches loses its outer lines at any
 * position. */
static uint32_t first_shown(struct pass *pass, const uint32_t *ids,
			    uint32_t count)
{
	uint32_t from = count;

	if (!pass->v->show_from)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		unsigned matches = frame_matches(pass, ids[i]);

		if (!is_visible(pass, ids[i]))
			continue;
		if (matches & MATCHES_FROM_MAPPING) {
			pass->is_shown = true;
			return 0;
		}
		if (from == count && (matches & MATCHES(FILTER_FROM)))
			from = i;
	}
	if (from == count && pass->is_shown)
		return 0;
	pass->is_shown |= from < count;
	return from;
}

static bool location_push(struct pass *pass, const uint32_t *ids,
			  uint32_t count, struct error *err)
{
	bool is_inlined = false;

	for (uint32_t i = first_shown(pass, ids, count); i < count; i++) {
		if (!is_visible(pass, ids[i]))
			continue;
		if (!frame_push(pass, ids[i], is_inlined, err))
			return false;
		is_inlined = true;
	}
	return true;
}

static bool stack_add(struct pass *pass, const struct stack *s,
		      struct error *err)
{
	const uint32_t *ids = &pass->in->frame_ids[s->frame_first];
	uint32_t first = 0;

	pass->depth = 0;
	pass->is_shown = false;
	while (first < s->frame_count) {
		uint32_t end = first + 1;

		while (end < s->frame_count &&
		       is_frame_inlined(pass->in, ids[end]))
			end++;
		if (!location_push(pass, ids + first, end - first, err))
			return false;
		first = end;
	}
	if (pass->depth)
		return profile_build_stack(pass->build, pass->stack,
					   pass->depth, s->value, err);
	return true;
}

static bool stacks_add(struct pass *pass, struct error *err)
{
	for (uint32_t i = 0; i < pass->in->stack_count; i++) {
		const struct stack *s = &pass->in->stacks[i];

		pass->depth = 0;
		if (stack_is_wanted(pass, s) && !stack_add(pass, s, err))
			return false;
		if (!pass->depth)
			pass->filtered = sat_add_i64(
				pass->filtered, sat_magnitude_i64(s->value));
	}
	return true;
}

/* ---- the whole ---- */

static bool pass_run(struct pass *pass, struct profile *out,
		     struct notes *notes, struct error *err)
{
	const struct profile *p = pass->in;

	pass->matches = arena_array(&pass->scratch, p->function_count, 1);
	for (int i = 0; i < 2; i++)
		pass->frames[i] = arena_array(&pass->scratch, p->frame_count,
					      sizeof *pass->frames[i]);
	if (!pass->matches || !pass->frames[0] || !pass->frames[1])
		return arena_fail(&pass->scratch, WHAT, err);
	if (!functions_judge(pass, err))
		return false;
	for (uint32_t i = 0; i < p->type_count; i++)
		if (!profile_build_type(pass->build,
					profile_text(p, p->types[i].type),
					profile_text(p, p->types[i].unit), err))
			return false;
	if (!stacks_add(pass, err) ||
	    !profile_build_finish(pass->build, notes, err))
		return false;
	out->type = p->type;
	out->whole_total = p->whole_total;
	out->omitted = p->omitted;
	out->filtered = sat_add_i64(p->filtered, pass->filtered);
	out->period = p->period;
	out->sample_count = p->sample_count;
	out->time_ns = p->time_ns;
	out->duration_ns = p->duration_ns;
	out->truncated_share = p->truncated_share;
	out->is_gauge = p->is_gauge;
	out->is_of_calls = p->is_of_calls;
	return true;
}

bool profile_view(const struct profile *p, const struct view *v,
		  struct profile *out, struct notes *notes, struct error *err)
{
	struct pass pass = {
		.in = p,
		.v = v,
		.filters = { v->focus, v->ignore, v->hide, v->show,
			     v->show_from },
		.build = profile_build_new(out, err),
	};
	bool is_done;

	if (!pass.build)
		return false;
	arena_init(&pass.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	buf_init(&pass.name, 4 * LIMIT_STRING_BYTES);
	buf_init(&pass.file, 2 * LIMIT_STRING_BYTES);
	is_done = pass_run(&pass, out, notes, err);
	buf_release(&pass.name);
	buf_release(&pass.file);
	arena_release(&pass.scratch);
	profile_build_free(pass.build);
	return is_done;
}

/* Lengths within this part of each other are the same. */
#define SAME_LENGTH 0.02

/* A profiler stops up to so much after the time it was asked for, more where
 * several profiles were added up, and its first and last sample lie as much
 * less apart. */
#define STOP_S 0.25
#define STOP_PART 0.01

/* Times people ask for are multiples of that, or whole seconds below; and of more than
 * some minutes multiples of half a minute: else every longer run would be near one. */
#define TYPICAL_S 5.0
#define LONG_S 120.0
#define TYPICAL_LONG_S 30.0

static double profile_seconds(const struct profile *p)
{
	return (double)p->duration_ns / 1e9;
}

/* How far a is from a multiple of step. */
static double rounding_off(double a, double step)
{
	return fabs(a - step * round(a / step));
}

bool profile_is_of_a_time(const struct profile *p)
{
	double length_s = profile_seconds(p);
	double late = fmax(STOP_S, STOP_PART * length_s);
	double step = length_s > LONG_S ? TYPICAL_LONG_S : TYPICAL_S;

	if (length_s < 1 - STOP_PART)
		return false;
	if (rounding_off(length_s, 1) <= STOP_PART)
		return true;
	return length_s >= TYPICAL_S - late &&
	       rounding_off(length_s, step) <= fmin(late, step / 10);
}

enum normalize profiles_default_normalize(const struct profile *slow,
					  const struct profile *baseline,
					  bool *is_of_whole_runs)
{
	double after = profile_seconds(slow),
	       before = profile_seconds(baseline);

	*is_of_whole_runs = false;
	/* Instructions of a whole run, not those of a time. */
	if (slow->is_of_calls && baseline->is_of_calls)
		return NORMALIZE_VALUE;
	if (slow->is_gauge || !slow->whole_total || !baseline->whole_total)
		return NORMALIZE_VALUE;
	if (!(after > 0) || !(before > 0))
		return NORMALIZE_SHARE;
	if (fabs(after - before) <= SAME_LENGTH * fmax(after, before))
		return NORMALIZE_VALUE;
	if (profile_is_of_a_time(slow) && profile_is_of_a_time(baseline))
		return NORMALIZE_RATE;
	*is_of_whole_runs = true;
	return NORMALIZE_VALUE;
}
