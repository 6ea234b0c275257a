/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_extent.h"

#include "base/num.h"

/* Longer functions are generated, and nobody looks for their authors. */
#define LINES_MOST 3000u

/* Columns of a tab; sources mix it with blanks in units of eight. */
#define TAB_COLUMNS 8u

/* ---- the name ---- */

static bool is_of_word(char c)
{
	return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Parts that a compiler puts behind the name of the function that a piece of
 * code stands in: main.run.func1.2, main.(*T).f-fm, Users.lambda$find$0. */
static bool is_of_compiler(struct str word)
{
	static const char *const numbered[] = { "", "func", "gowrap" };

	if (str_equal(word, STR("fm")))
		return true;
	for (size_t i = 0; i < COUNT_OF(numbered); i++) {
		struct str front = str_from(numbered[i]);

		if (str_starts(word, front) &&
		    str_is_digits(str_slice(word, front.len, word.len)))
			return true;
	}
	return false;
}

/* Returns the last word before the parameters that stands in no brackets, in
 * which are receivers and types: "load" of "shop/store.(*Users).load.func1". */
static struct str plain_name(struct str name)
{
	struct str found = STR("");
	unsigned depth = 0;

	for (size_t i = 0; i < name.len;) {
		size_t from = i;

		while (i < name.len && is_of_word(name.ptr[i]))
			i++;
		if (i > from) {
			struct str word = str_slice(name, from, i - from);

			if (!depth && !is_of_compiler(word))
				found = word;
			if (!depth && i < name.len && name.ptr[i] == '(')
				break;
			continue;
		}
		if (memchr("([{<", name.ptr[i], 4))
			depth++;
		else if (depth && memchr(")]}>", name.ptr[i], 4))
			depth--;
		i++;
	}
	return found;
}

static bool has_word(struct str line, struct str word)
{
	for (size_t i = 0; i + word.len <= line.len; i++)
		if ((!i || !is_of_word(line.ptr[i - 1])) &&
		    str_starts(str_slice(line, i, line.len), word) &&
		    (i + word.len == line.len ||
		     !is_of_word(line.ptr[i + word.len])))
			return true;
	return false;
}

/* ---- lines ---- */

/* The nesting of a line; LINE_NONE: irrelevant, such as blank lines and those
 * for the preprocessor. */
enum line_kind { LINE_NONE, LINE_CLOSES, LINE_PLAIN };

static enum line_kind kind_of(struct str line, size_t *indent)
{
	struct str text = str_trim(line);
	size_t word = 0, columns = 0;

	for (size_t i = 0; line.ptr + i < text.ptr; i++)
		columns += line.ptr[i] == '\t'
				   ? TAB_COLUMNS - columns % TAB_COLUMNS
				   : 1;
	*indent = columns;
	while (word < text.len && is_of_word(text.ptr[word]))
		word++;
	/* Labels of C, access of C++: at the edge of whatever they stand in. */
	if (!text.len || text.ptr[0] == '#' ||
	    (word && word + 1 == text.len && text.ptr[word] == ':'))
		return LINE_NONE;
	if (memchr(")]}", text.ptr[0], 3) || str_equal(text, STR("end")))
		return LINE_CLOSES;
	return text.ptr[0] == '{' ? LINE_NONE : LINE_PLAIN;
}

/* Where each of the lines up to the last one of interest begins. */
struct lines {
	struct str source;
	size_t at; /* of the line */
	uint32_t number;
};

static struct str line_at(const struct lines *l)
{
	size_t end = str_until(l->source, l->at, '\n');

	return str_slice(l->source, l->at, end - l->at);
}

static bool line_next(struct lines *l)
{
	size_t end = str_until(l->source, l->at, '\n');

	if (end + 1 >= l->source.len)
		return false;
	l->at = end + 1;
	l->number++;
	return true;
}

/* Goes outwards, from one line to that which it stands in, until one has the
 * name. The line itself comes last: a function may call itself there. */
static bool find_first(struct lines *l, struct str word, size_t *indent)
{
	const struct lines own = *l;
	size_t least, columns;

	if (kind_of(line_at(l), &least) == LINE_NONE)
		return false;
	*indent = least;
	for (unsigned i = 0; i < LINES_MOST && least && l->at; i++) {
		struct str line;

		l->at = str_behind_last(str_slice(l->source, 0, l->at - 1),
					'\n');
		l->number--;
		line = line_at(l);
		if (kind_of(line, &columns) != LINE_PLAIN || columns >= least)
			continue;
		least = columns;
		if (!has_word(line, word))
			continue;
		*indent = columns;
		return true;
	}
	*l = own;
	return has_word(line_at(l), word);
}

/* Goes down to what closes the function, or to what follows it. */
static void find_last(struct lines *l, size_t indent, struct lines *last)
{
	size_t columns;

	*last = *l;
	for (unsigned i = 0; i < LINES_MOST && line_next(l); i++) {
		enum line_kind kind = kind_of(line_at(l), &columns);

		if (kind == LINE_PLAIN && columns <= indent)
			return;
		if (kind != LINE_NONE)
			*last = *l;
		if (kind == LINE_CLOSES && columns <= indent) {
			struct str text = str_trim(line_at(l));

			/* ") {" of a signature of several lines. */
			if (!str_ends(text, STR("{")))
				return;
		}
	}
}

bool function_extent_find(struct str source, struct str name, uint32_t line,
			  struct function_extent *out)
{
	struct str word = plain_name(name);
	struct lines first = { .source = source, .number = 1 };
	struct lines down, last;
	size_t indent = 0;

	while (first.number < line)
		if (!line_next(&first))
			return false;
	down = first;
	if (!word.len || !line || !source.len ||
	    !find_first(&first, word, &indent))
		return false;
	find_last(&down, indent, &last);
	*out = (struct function_extent){ .first = first.number,
					 .last = last.number };
	out->text = str_slice(source, first.at,
			      last.at + line_at(&last).len - first.at);
	return true;
}
