/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/explorer.h"

#include <string.h>

#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"

/* Limit of steps per name. Names are untrusted, and 100,000 may be matched at
 * each key press. */
#define STEPS 5000u

#define ANY_CASE "(?i)"

bool search_init(struct search *s, const struct flame *f)
{
	*s = (struct search){
		.f = f,
		.is_match = mem_calloc((size_t)f->function_count + 1,
				       sizeof *s->is_match),
	};
	return s->is_match != NULL;
}

void search_release(struct search *s)
{
	regex_free(s->re);
	mem_free(s->is_match);
}

void search_clear(struct search *s)
{
	s->len = 0;
	s->text[0] = '\0';
	s->is_active = s->is_late = false;
	regex_free(s->re);
	s->re = NULL;
	memset(s->is_match, 0, s->f->function_count * sizeof *s->is_match);
}

/* Compiles the pattern; if it is not a valid expression (yet), such as
 * "(*Conn", searches for it literally. */
static struct regex *search_compile(const struct search *s)
{
	char text[2 * SEARCH_BYTES + 8];
	struct error err = { 0 };
	struct regex *re;
	size_t len = 0;
	bool has_upper = false;

	for (size_t i = 0; i < s->len; i++)
		has_upper |= ascii_is_upper(s->text[i]);
	/* Lower case patterns match both cases. */
	if (!has_upper) {
		len = sizeof ANY_CASE - 1;
		memcpy(text, ANY_CASE, len);
	}
	memcpy(text + len, s->text, s->len);
	re = regex_new((struct str){ text, len + s->len }, "/", &err);
	if (re)
		return re;
	for (size_t i = 0; i < s->len; i++) {
		char c = s->text[i];

		if (!ascii_is_alnum(c) && c != '_' && (unsigned char)c < 0x80)
			text[len++] = '\\';
		text[len++] = c;
	}
	return regex_new((struct str){ text, len }, "/", &err);
}

static void matches_look(struct search *s)
{
	struct error err = { 0 };

	memset(s->is_match, 0, s->f->function_count * sizeof *s->is_match);
	regex_free(s->re);
	s->is_late = false;
	s->is_active = s->len > 0;
	s->re = s->is_active ? search_compile(s) : NULL;
	if (!s->re)
		return;
	regex_limit_steps(s->re, STEPS);
	for (uint32_t i = 0; i < s->f->function_count && !s->is_late; i++)
		s->is_late = !regex_match(s->re, s->f->functions[i].name,
					  &s->is_match[i], &err);
}

bool search_finds_text(struct search *s, struct str a, struct str b)
{
	struct error err = { 0 };
	bool is_found = false;

	if (!s->re || s->is_late)
		return false;
	s->is_late = !regex_match(s->re, a, &is_found, &err) ||
		     (!is_found && !regex_match(s->re, b, &is_found, &err));
	return is_found;
}

/* Encodes as UTF-8, at most four bytes. */
static size_t utf8_put(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

void search_add(struct search *s, uint32_t character)
{
	char bytes[4];
	size_t count;

	if (character < 0x20 || (character >= 0x7f && character < 0xa0) ||
	    character > 0x10ffff)
		return;
	count = utf8_put(character, bytes);
	if (s->len + count > SEARCH_BYTES)
		return;
	memcpy(s->text + s->len, bytes, count);
	s->len += count;
	s->text[s->len] = '\0';
	matches_look(s);
}

void search_drop(struct search *s)
{
	if (s->len)
		s->len = utf8_floor(s->text, s->len, s->len - 1);
	s->text[s->len] = '\0';
	matches_look(s);
}

bool search_finds(const struct search *s, uint32_t node)
{
	return s->is_active && s->is_match[s->f->nodes[node].function];
}

double search_share(const struct search *s, enum flame_side side, uint32_t node)
{
	const struct flame_node *nodes = s->f->nodes;
	double sum = 0, whole = (double)nodes[node].values[side].total;

	for (uint32_t i = node; i < nodes[node].end;) {
		bool is_found = search_finds(s, i);

		sum += is_found ? (double)nodes[i].values[side].total : 0;
		i = is_found ? nodes[i].end : i + 1;
	}
	return whole > 0 ? sum / whole : 0;
}
