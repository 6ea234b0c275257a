/* SPDX-License-Identifier: Apache-2.0 */
#include "render/ansi.h"

#include "base/num.h"

#define CUBE_START 16u
#define GREY_START 232u
#define GREYS 24u

static const int cube_levels[] = { 0, 95, 135, 175, 215, 255 };

static int red(uint32_t rgb)
{
	return (int)(rgb >> 16 & 0xff);
}

static int green(uint32_t rgb)
{
	return (int)(rgb >> 8 & 0xff);
}

static int blue(uint32_t rgb)
{
	return (int)(rgb & 0xff);
}

static unsigned level_of(int value)
{
	unsigned i = 0;

	while (i < 5 && cube_levels[i + 1] - value <= value - cube_levels[i])
		i++;
	return i;
}

static int distance(uint32_t rgb, int r, int g, int b)
{
	int dr = red(rgb) - r, dg = green(rgb) - g, db = blue(rgb) - b;

	return dr * dr + dg * dg + db * db;
}

/* Greys are 8, 18, 28 ... 238. */
static unsigned grey_of(uint32_t rgb)
{
	int mean = (red(rgb) + green(rgb) + blue(rgb)) / 3;
	int i = (mean - 3) / 10;

	return i < 0 ? 0 : (unsigned)i < GREYS ? (unsigned)i : GREYS - 1;
}

unsigned ansi_256(uint32_t rgb)
{
	unsigned r = level_of(red(rgb)), g = level_of(green(rgb));
	unsigned b = level_of(blue(rgb)), grey = grey_of(rgb);
	int value = 8 + 10 * (int)grey;

	if (distance(rgb, value, value, value) <
	    distance(rgb, cube_levels[r], cube_levels[g], cube_levels[b]))
		return GREY_START + grey;
	return CUBE_START + 36 * r + 6 * g + b;
}

/* Hue in degrees: 0 red, 60 yellow, 120 green, 180 cyan, 240 blue, 300
 * magenta. */
static int hue_of(uint32_t rgb, int most, int range)
{
	int r = red(rgb), g = green(rgb), b = blue(rgb);

	if (most == r)
		return (60 * (g - b) / range + 360) % 360;
	if (most == g)
		return 120 + 60 * (b - r) / range;
	return 240 + 60 * (r - g) / range;
}

unsigned ansi_16(uint32_t rgb)
{
	static const struct {
		int end;
		unsigned color;
	} hues[] = { { 15, 9 },  { 75, 3 },  { 165, 2 }, { 190, 14 },
		     { 255, 6 }, { 340, 5 }, { 360, 9 } };
	int r = red(rgb), g = green(rgb), b = blue(rgb);
	int most = r > g ? r : g, least = r < g ? r : g;
	int hue;
	size_t i = 0;

	most = most > b ? most : b;
	least = least < b ? least : b;
	if (most - least < 16)
		return 7;
	hue = hue_of(rgb, most, most - least);
	while (hue >= hues[i].end)
		i++;
	return hues[i].color;
}

uint32_t ansi_shade(uint32_t rgb)
{
	return (uint32_t)(red(rgb) * 23 / 24) << 16 |
	       (uint32_t)(green(rgb) * 23 / 24) << 8 |
	       (uint32_t)(blue(rgb) * 23 / 24);
}
