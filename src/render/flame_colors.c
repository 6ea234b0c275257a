/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame.h"

#include <math.h>

#include "base/bytes.h"
#include "base/num.h"
#include "render/units.h"

#define COLOR_NONE 0xe3e3e3u
#define COLOR_NOISE 0xd3d3d3u

static const uint32_t kind_colors[CODE_KIND_COUNT] = {
	[CODE_APPLICATION] = 0xf4a259, [CODE_DATABASE] = 0x7fb3d9,
	[CODE_HTTP_CLIENT] = 0x8fd3c7, [CODE_SERIALISATION] = 0xc8b0e0,
	[CODE_LOCK] = 0xee8f8f,        [CODE_GC_ALLOC] = 0xe8d66b,
	[CODE_RUNTIME] = 0xcbd5c0,     [CODE_KERNEL] = 0xd9a58b,
	[CODE_IDLE] = 0xe3e3e3,        [CODE_LIBRARY] = 0xa9d18e,
	[CODE_STDLIB] = 0xbcd0e8,      [CODE_UNKNOWN] = 0xb8b8b8,
};

/* The kernel comes after the languages. */
#define KERNEL_PLACE COUNT_OF(languages)
static const struct flame_meaning languages[] = {
	[FLAME_LANGUAGE_UNKNOWN] = { 0xf2a0a0, "unknown" },
	[FLAME_GO] = { 0x8fd3e8, "Go" },
	[FLAME_JVM] = { 0x9ad68a, "JVM" },
	[FLAME_PYTHON] = { 0xa5bde6, "Python" },
	[FLAME_NODE] = { 0xc5dd7d, "JavaScript" },
	[FLAME_DOTNET] = { 0xc8b0e0, ".NET" },
	[FLAME_RUBY] = { 0xf0a8c0, "Ruby" },
	[FLAME_RUST] = { 0xdfb18f, "Rust" },
	[FLAME_NATIVE] = { 0xeedb6e, "C, C++" },
};
static const struct flame_meaning kernel = { 0xf4a259, "kernel" };

/* From a small part of the frame to nearly all: distinguishable with red-green
 * color blindness, and in grey by lightness. */
const struct flame_change_colors flame_change_colors = {
	.none = COLOR_NONE,
	.noise = COLOR_NOISE,
	.fresh = 0xe05a1a,
	.up = { 0xfde0c0, 0xfdbe85, 0xfa9a4b, 0xf4812b },
	.down = { 0xd6e6f4, 0xabcfe8, 0x7ab3dc, 0x4a94cd },
	.from = { 0, 0.15, 0.35, 0.65 },
};
static const uint32_t *const up_colors = flame_change_colors.up;
static const uint32_t *const down_colors = flame_change_colors.down;

static int step_of(double part)
{
	int step = FLAME_STEPS - 1;

	while (step > 0 && part < flame_change_colors.from[step])
		step--;
	return step;
}

/* Returns the color by the part that came or went, if the function changed
 * significantly in the same direction. */
static uint32_t change_color(enum change change, double after, double before)
{
	double moved = after - before, most = fmax(after, before);

	if (!(most > 0))
		return COLOR_NONE;
	if (change_is_up(change) && moved > 0)
		return up_colors[step_of(moved / most)];
	if (change_is_down(change) && moved < 0)
		return down_colors[step_of(-moved / most)];
	return change == CHANGE_NOISE ? COLOR_NOISE : COLOR_NONE;
}

static bool is_kernel(const struct flame_function *fn)
{
	return fn->kind == CODE_KERNEL;
}

/* Palettes other than changes. */
static uint32_t plain_color(const struct flame_function *fn,
			    enum palette palette)
{
	uint32_t hash;

	if (palette == PALETTE_JAVA)
		return is_kernel(fn) ? kernel.color
				     : languages[fn->language].color;
	if (palette == PALETTE_KIND)
		return kind_colors[fn->kind];
	hash = fnv32_mixed(fn->name);
	/* Warm colors, stable by name. */
	return (215 + hash % 40) << 16 | (100 + (hash >> 8) % 125) << 8 |
	       (40 + (hash >> 16) % 40);
}

uint32_t flame_function_color(const struct flame *f, enum palette palette,
			      uint32_t function)
{
	const struct flame_function *fn = &f->functions[function];

	if (palette == PALETTE_DIFF)
		return change_color(fn->change, (double)fn->totals[FLAME_SLOW],
				    (double)fn->totals[FLAME_BASELINE] *
					    f->baseline_scale);
	return plain_color(fn, palette);
}

uint32_t flame_color(const struct flame *f, enum palette palette,
		     uint32_t node)
{
	const struct flame_node *n = &f->nodes[node];

	if (n->parent == FLAME_NONE)
		return COLOR_NONE;
	if (palette == PALETTE_DIFF)
		return change_color(f->functions[n->function].change,
				    (double)n->values[FLAME_SLOW].total,
				    flame_before(f, n));
	return plain_color(&f->functions[n->function], palette);
}

uint64_t flame_function_bit(const struct flame *f, enum palette palette,
			    uint32_t function)
{
	const struct flame_function *fn = &f->functions[function];

	if (palette == PALETTE_KIND)
		return (uint64_t)1 << fn->kind;
	if (palette == PALETTE_JAVA)
		return (uint64_t)1
		       << (is_kernel(fn) ? KERNEL_PLACE : (size_t)fn->language);
	return 0;
}

uint64_t flame_color_bit(const struct flame *f, enum palette palette,
			 uint32_t node)
{
	return f->nodes[node].parent == FLAME_NONE
		       ? 0
		       : flame_function_bit(f, palette,
					    f->nodes[node].function);
}

enum palette flame_palette(const struct flame *f, enum palette wanted)
{
	if (!f->has_baseline)
		return wanted == PALETTE_AUTO || wanted == PALETTE_DIFF
			       ? PALETTE_KIND
			       : wanted;
	return wanted == PALETTE_AUTO ? PALETTE_DIFF : wanted;
}

const char *flame_palette_words(enum palette palette)
{
	static const char *const words[] = {
		[PALETTE_AUTO] = "kind of code",
		[PALETTE_HOT] = "name",
		[PALETTE_JAVA] = "language",
		[PALETTE_KIND] = "kind of code",
		[PALETTE_DIFF] = "change",
	};

	return words[palette];
}

/* ---- the legend ---- */

static const struct flame_meaning changes[] = {
	{ 0xf4812b, "grew or new" },     { 0xfde0c0, "grew a little" },
	{ COLOR_NONE, "same or noise" }, { 0xd6e6f4, "shrank a little" },
	{ 0x4a94cd, "shrank or gone" },
};

bool flame_meaning_next(enum palette palette, uint64_t drawn, size_t *at,
			struct flame_meaning *m)
{
	size_t count = 0, place;

	if (palette == PALETTE_DIFF)
		count = COUNT_OF(changes);
	else if (palette == PALETTE_JAVA)
		count = KERNEL_PLACE + 1;
	else if (palette == PALETTE_KIND)
		count = CODE_KIND_COUNT;
	while (*at < count && palette != PALETTE_DIFF && !(drawn >> *at & 1))
		++*at;
	if (*at >= count)
		return false;
	place = (*at)++;
	if (palette == PALETTE_DIFF)
		*m = changes[place];
	else if (palette == PALETTE_JAVA)
		*m = place < KERNEL_PLACE ? languages[place] : kernel;
	else
		*m = (struct flame_meaning){ kind_colors[place],
					     code_kind_words(
						     (enum code_kind)place) };
	return true;
}
