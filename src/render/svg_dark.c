/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fills of a picture become in dark surroundings: rules of style,
 * since a picture does not know where it is shown.
 */
#include <math.h>

#include "render/flame_colors.h"
#include "render/svg.h"

#define INK_DARK 0x111111u
#define INK_LIGHT 0xf4f4f4u

static unsigned channel(uint32_t rgb, int i)
{
	return rgb >> (16 - 8 * i) & 0xff;
}

/* The white in a colour goes: grey stays near the ground, hues stay told
 * apart. */
static uint32_t dark_tone(uint32_t rgb)
{
	double least =
		fmin(channel(rgb, 0), fmin(channel(rgb, 1), channel(rgb, 2)));
	uint32_t tone = 0;

	for (int i = 0; i < 3; i++)
		tone = tone << 8 |
		       (uint32_t)lround(channel(rgb, i) - 0.8 * least + 14);
	return tone;
}

/* Relative, as WCAG 2 has it. */
static double luminance(uint32_t rgb)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double part = channel(rgb, i) / 255.0;

		sum += weights[i] *
		       (part <= 0.04045 ? part / 12.92
					: pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

void svg_dark_begin(struct svg *s)
{
	out_text(s->out, "<style>@media screen and "
			 "(prefers-color-scheme:dark){\n");
}

void svg_dark_fill(struct svg *s, uint32_t rgb)
{
	uint32_t tone = dark_tone(rgb);

	out_text(s->out, "[fill=\"");
	svg_color(s->out, rgb);
	out_text(s->out, "\"]{fill:");
	svg_color(s->out, tone);
	/* Texts on it. Black and white are as far from this one. */
	out_text(s->out, "}:where(.f:not(.s)>[fill=\"");
	svg_color(s->out, rgb);
	out_text(s->out, "\"])~text,:where([fill=\"");
	svg_color(s->out, rgb);
	out_text(s->out, "\"])~.i{fill:");
	svg_color(s->out, luminance(tone) > 0.179 ? INK_DARK : INK_LIGHT);
	out_text(s->out, "}\n");
}

void svg_dark_end(struct svg *s)
{
	out_text(s->out, "}</style>\n");
}

void svg_flame_dark(struct svg *s, enum palette palette, uint64_t categories)
{
	const struct flame_change_colors *c = &flame_change_colors;
	struct flame_meaning m;
	size_t at = 0;

	svg_dark_begin(s);
	/* Also of the root, whatever the palette. */
	svg_dark_fill(s, c->none);
	if (palette == PALETTE_DIFF) {
		svg_dark_fill(s, c->noise);
		for (int i = 0; i < FLAME_STEPS; i++) {
			svg_dark_fill(s, c->up[i]);
			svg_dark_fill(s, c->down[i]);
		}
	} else {
		while (flame_meaning_next(palette, categories, &at, &m))
			if (m.color != c->none)
				svg_dark_fill(s, m.color);
	}
	svg_dark_end(s);
}
