/* SPDX-License-Identifier: Apache-2.0
 *
 * speedscope's file format (file-format-spec.ts of jlfwong/speedscope): shared
 * frames, and for each side a profile of samples with weights. A frame is a
 * function in a file, without a line, since speedscope aggregates by frame.
 */
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "render/render.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct frames {
	struct arena arena;
	struct map map;
	struct shared_frame {
		struct str name;
		struct str file;
	} * items;
	size_t count;
	size_t cap;
	bool is_failed;
};

struct side {
	const char *name; /* NULL: only one side */
	const struct profile *profile;
	struct str what;
	struct time_range range;
	uint32_t *frames; /* by function */
};

/* ---- frames ---- */

static uint32_t frame_add(struct frames *f, struct str name, struct str file)
{
	/* "name NUL file". A NUL in a name could make it ambiguous, but then
	 * both look alike. */
	char *text = arena_alloc(&f->arena, name.len + file.len + 1);
	struct str key = { text, name.len + file.len + 1 };
	uint32_t id;

	if (text && name.len)
		memcpy(text, name.ptr, name.len);
	if (text && file.len)
		memcpy(text + name.len + 1, file.ptr, file.len);
	if (!text ||
	    !arena_reserve(&f->arena, (void **)&f->items, &f->cap, f->count + 1,
			   sizeof *f->items) ||
	    !map_insert(&f->map, key, (uint32_t)f->count, &id)) {
		f->is_failed = true;
		return 0;
	}
	if (id == f->count)
		f->items[f->count++] = (struct shared_frame){ name, file };
	return id;
}

/* ---- profiles ---- */

/* "after: cpu {service_name="x"} 2026-...Z..2026-...Z" */
static void write_name(struct jsonw *w, const struct side *side,
		       struct out *out)
{
	struct str type = profile_type_name(side->profile);
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	struct buf text;

	buf_init(&text, 8 * LIMIT_STRING_BYTES);
	if (side->name)
		buf_addf(&text, "%s: ", side->name);
	buf_add_str(&text, type.len ? type : STR("profile"));
	if (side->what.len)
		buf_add_char(&text, ' ');
	buf_add_str(&text, side->what);
	if (side->range.to_ns) {
		format_rfc3339(side->range.from_ns, from);
		format_rfc3339(side->range.to_ns, to);
		buf_addf(&text, " %s..%s", from, to);
	}
	jsonw_key(w, "name");
	jsonw_str(w, buf_str(&text));
	if (text.state != BUF_OK)
		out_fail_memory(out);
	buf_release(&text);
}

static void write_samples(struct jsonw *w, const struct side *side)
{
	const struct profile *p = side->profile;

	jsonw_addf(w, "samples:[");
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const uint32_t *ids = p->frame_ids + p->stacks[i].frame_first;

		jsonw_array(w);
		for (uint32_t k = 0; k < p->stacks[i].frame_count; k++)
			jsonw_i64(w, side->frames[p->frames[ids[k]].function]);
		jsonw_array_end(w);
	}
	jsonw_addf(w, "], weights:[");
	for (uint32_t i = 0; i < p->stack_count; i++)
		jsonw_i64(w, p->stacks[i].value);
	jsonw_array_end(w);
}

/* The sum of values, even if it exceeds 64 bits: readers use floating point. */
static void write_end(struct jsonw *w, const struct profile *p)
{
	int64_t sum = 0;
	double rounded = 0;
	bool is_exact = true;

	for (uint32_t i = 0; i < p->stack_count; i++) {
		is_exact = is_exact && add_i64(sum, p->stacks[i].value, &sum);
		rounded += (double)p->stacks[i].value;
	}
	if (is_exact)
		jsonw_pair_i64(w, "endValue", sum);
	else
		jsonw_pair_f64(w, "endValue", rounded, 0);
}

static size_t sides_of(const struct render_input *in, struct side sides[2])
{
	const struct result *r = in->result;
	size_t count = 0;

	if (in->baseline)
		sides[count++] = (struct side){
			.name = "before",
			.profile = in->baseline,
			.what = baseline_name(r),
			.range = r->baseline.range,
		};
	sides[count++] = (struct side){
		.name = in->baseline ? "after" : NULL,
		.profile = in->profile,
		.what = r->profile.selector,
		.range = r->profile.range,
	};
	return count;
}

void render_speedscope(const struct render_input *in, struct out *out)
{
	static const char *const units[] = { "nanoseconds", "microseconds",
					     "milliseconds", "seconds",
					     "bytes" };
	struct frames f = { .count = 0 };
	struct side sides[2];
	size_t count = sides_of(in, sides);
	struct jsonw w;

	arena_init(&f.arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&f.map, &f.arena);
	for (size_t i = 0; i < count && !f.is_failed; i++) {
		const struct profile *p = sides[i].profile;

		sides[i].frames = arena_array(&f.arena, p->function_count,
					      sizeof *sides[i].frames);
		if (!sides[i].frames)
			f.is_failed = true;
		for (uint32_t k = 0; k < p->function_count && !f.is_failed; k++)
			sides[i].frames[k] = frame_add(&f, function_name(p, k),
						       function_file(p, k));
	}
	if (f.is_failed) {
		out_fail_memory(out);
		arena_release(&f.arena);
		return;
	}
	jsonw_init(&w, out, 0);
	jsonw_addf(&w, "{$schema:%s", SCHEMA);
	jsonw_addf(&w, "shared:{frames:[");
	for (size_t i = 0; i < f.count; i++) {
		jsonw_addf(&w, "{name:%.*s", STR_WHOLE(f.items[i].name));
		if (f.items[i].file.len) {
			jsonw_addf(&w, "file:%.*s", STR_WHOLE(f.items[i].file));
		}
		jsonw_object_end(&w);
	}
	jsonw_addf(&w, "]}");
	jsonw_addf(&w, "profiles:[");
	for (size_t i = 0; i < count; i++) {
		struct str unit = profile_unit(sides[i].profile);

		jsonw_addf(&w, "{type:sampled");
		write_name(&w, &sides[i], out);
		jsonw_pair_str(&w, "unit",
			       str_is_one_of(unit, units, COUNT_OF(units))
				       ? unit
				       : STR("none"));
		jsonw_pair_i64(&w, "startValue", 0);
		write_end(&w, sides[i].profile);
		write_samples(&w, &sides[i]);
		jsonw_object_end(&w);
	}
	jsonw_addf(&w, "], activeProfileIndex:%jd, exporter:%s}",
		   (int64_t)count - 1, "tracefind@" TRACEFIND_VERSION);
	out_char(out, '\n');
	arena_release(&f.arena);
}
