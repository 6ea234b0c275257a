/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/escape.h"
#include "base/notes.h"
#include "base/num.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "model/source_path.h"
#include "render/input.h"
#include "render/units.h"

/* A non-breaking space. Escaped text contains no control characters, so this is
 * unambiguous. */
#define HARD_BLANK '\x01'

/* Lines of a foreign text before its middle is truncated. */
#define FOREIGN_LINES 3u

static const char *const paint_codes[] = {
	[PAINT_NONE] = "",
	[PAINT_BOLD] = "\033[1m",
	[PAINT_DIM] = "\033[2m",
	[PAINT_BAD] = "\033[31m",
	[PAINT_GOOD] = "\033[32m",
	[PAINT_MARK] = "\033[33m",
	/* Not the red of errors or the yellow of marks. */
	"\033[36m",
	"\033[35m",
	"\033[34m",
	"\033[32m",
	"\033[96m",
	"\033[95m",
	"\033[94m",
	"\033[92m",
};

/* With 16 colors, bright ones are hard to read on white, and blue on black.
 * With 256, names have colors of medium luminance (0.16 to 0.25): a contrast of
 * at least 3.5 with both. */
#define NAME_COLORS (PAINT_NAME_LAST - PAINT_NAME_FIRST + 1)
static const char *const name_codes_256[NAME_COLORS] = {
	"\033[38;5;32m", "\033[38;5;133m", "\033[38;5;29m", "\033[38;5;130m",
	"\033[38;5;30m", "\033[38;5;168m", "\033[38;5;62m", "\033[38;5;64m",
};

/* The same on every machine and in every trace. */
enum paint paint_of_name(struct str name)
{
	uint32_t hash = fnv32_mixed(name);

	return (enum paint)(PAINT_NAME_FIRST +
			    hash % (PAINT_NAME_LAST - PAINT_NAME_FIRST + 1));
}

/* Minimum width of the layout; on narrower terminals lines wrap. */
#define PAGE_MIN_COLUMNS 60u

void page_begin(struct page *p, const struct render_style *style,
		struct out *out)
{
	*p = (struct page){ .out = out, .style = *style };
	p->width = style->width;
	if (p->width && p->width < PAGE_MIN_COLUMNS)
		p->width = PAGE_MIN_COLUMNS;
	if (p->width > PAGE_MAX_COLUMNS)
		p->width = PAGE_MAX_COLUMNS;
	buf_init(&p->cell, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&p->line, LIMIT_PAGE_TEXT_BYTES);
}

void page_end(struct page *p)
{
	if (p->cell.state != BUF_OK || p->line.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&p->cell);
	buf_release(&p->line);
}

/* ---- cells ---- */

static void paint_on(struct page *p, enum paint paint)
{
	bool is_name = paint >= PAINT_NAME_FIRST && p->style.has_256_colors;

	if (p->style.use_color)
		out_text(p->out,
			 is_name ? name_codes_256[paint - PAINT_NAME_FIRST]
				 : paint_codes[paint]);
}

static void paint_off(struct page *p, enum paint paint)
{
	if (p->style.use_color && paint != PAINT_NONE)
		out_text(p->out, "\033[m");
}

/* Records a failure, since the buffer is reused. */
static struct str escape_cell(struct page *p, struct str foreign)
{
	enum buf_state state = p->cell.state;

	buf_clear(&p->cell);
	escape_terminal_buf(&p->cell, foreign);
	if (p->cell.state == BUF_OK)
		p->cell.state = state;
	return buf_str(&p->cell);
}

static const char *page_ellipsis(const struct page *p)
{
	return p->style.use_unicode ? "…" : "...";
}

/* Returns the last `columns` columns of text that is `total` columns wide. A
 * wide character at the edge is left out. */
static struct str last_columns(struct str text, size_t total, size_t columns)
{
	size_t skip = total - columns;
	size_t at = text_fit(text, skip);

	if (text_width(str_slice(text, 0, at)) < skip)
		at = text_fit(text, skip + 1);
	return str_slice(text, at, text.len);
}

struct cut text_cut(struct str text, size_t max, size_t dots)
{
	size_t total = text_width(text);
	size_t keep = max > dots ? max - dots : 0;
	size_t head = text_fit(text, keep / 3);
	struct str tail;

	if (!max || total <= max)
		return (struct cut){ text, STR(""), false, total };
	tail = last_columns(text, total, keep - keep / 3);
	return (struct cut){
		.head = str_slice(text, 0, head),
		.tail = tail,
		.is_cut = true,
		.columns = text_width(str_slice(text, 0, head)) + dots +
			   text_width(tail),
	};
}

static size_t dots_of(const struct page *p)
{
	return text_width(str_from(page_ellipsis(p)));
}

struct str name_shown(struct str name)
{
	return name.len ? name : STR("(no name)");
}

size_t page_columns(struct page *p, struct str foreign, size_t max)
{
	size_t columns = text_width(escape_cell(p, foreign));

	return max && columns > max ? max : columns;
}

void page_cell(struct page *p, enum paint paint, struct str foreign, size_t max,
	       size_t pad)
{
	struct cut cut = text_cut(escape_cell(p, foreign), max, dots_of(p));

	paint_on(p, paint);
	out_str(p->out, cut.head);
	if (cut.is_cut)
		out_text(p->out, page_ellipsis(p));
	out_str(p->out, cut.tail);
	paint_off(p, paint);
	if (cut.columns < pad)
		out_repeat(p->out, " ", pad - cut.columns);
}

/* Returns where the last parts begin. Separators in arguments do not count. */
static size_t end_start(struct str name)
{
	size_t end = 0, slash = 0, dot = 0, before = 0;

	while (end < name.len && !strchr("(<[ ", name.ptr[end])) {
		if (name.ptr[end] == '/')
			slash = end + 1;
		if (name.ptr[end] == '.') {
			before = dot;
			dot = end + 1;
		}
		end++;
	}
	if (slash)
		return slash < name.len ? slash : 0;
	return before && dot < end ? before : 0;
}

/* Returns a name without qualifiers, see page.h. */
struct str name_end(struct str name)
{
	return str_slice(name, end_start(name), name.len);
}

/* Returns whether the text at `at`, outside of brackets, looks like a name,
 * unlike versions and line numbers. */
static bool is_part(struct str name, size_t at)
{
	char before = name.ptr[at - 1], first = name.ptr[at];

	if (before != '.' &&
	    !(before == ':' && at >= 2 && name.ptr[at - 2] == ':'))
		return false;
	return first != '.' && first != ':' && first != ' ' &&
	       !(first >= '0' && first <= '9');
}

struct str name_fit(struct str name, size_t columns)
{
	struct str end = name_end(name);
	size_t start = end.len, width = 0, depth = 0;

	if (text_width(end) <= columns)
		return end;
	for (size_t at = end.len; at-- > 1;) {
		char c = end.ptr[at];

		/* Read from the end, a closing bracket opens a level. */
		if (c == ')' || c == '>' || c == ']')
			depth++;
		else if (depth && (c == '(' || c == '<' || c == '['))
			depth--;
		if (depth || !is_part(end, at))
			continue;
		width += text_width(str_slice(end, at, start - at));
		if (width > columns && start < end.len)
			break;
		start = at;
		if (width > columns)
			break;
	}
	return start < end.len ? str_slice(end, start, end.len) : end;
}

bool page_name_fits(struct page *p, struct str name, size_t max)
{
	struct str text = escape_cell(p, name), end;

	if (text_width(text) <= max)
		return true;
	if (max <= dots_of(p))
		return false;
	end = name_fit(text, max - dots_of(p));
	return text_width(end) <= max - dots_of(p) &&
	       name_fit(end, text_width(end) - 1).len < end.len;
}

void page_name_cell(struct page *p, enum paint paint, struct str name,
		    size_t max, size_t pad)
{
	struct str text = escape_cell(p, name), end;
	size_t room = max > dots_of(p) ? max - dots_of(p) : 0;
	size_t columns;

	end = name_fit(text, room);
	columns = text_width(end) + dots_of(p);
	if (!max || text_width(text) <= max || columns > max) {
		page_cell(p, paint, name, max, pad);
		return;
	}
	paint_on(p, paint);
	out_text(p->out, page_ellipsis(p));
	out_str(p->out, end);
	paint_off(p, paint);
	if (columns < pad)
		out_repeat(p->out, " ", pad - columns);
}

/* Formats "file:line" in the cell buffer. */
static struct str escape_place(struct page *p, struct str file, uint32_t line)
{
	if (!file.len)
		return STR("");
	escape_cell(p, source_path_shorten(file, p->source_root));
	if (line)
		buf_addf(&p->cell, ":%" PRIu32, line);
	return buf_str(&p->cell);
}

size_t page_place_columns(struct page *p, struct str file, uint32_t line)
{
	return text_width(escape_place(p, file, line));
}

void page_place(struct page *p, enum paint paint, struct str file,
		uint32_t line, size_t max)
{
	struct str text = escape_place(p, file, line);
	size_t total = text_width(text);
	size_t dots = dots_of(p), slash;

	paint_on(p, paint);
	if (max && total > max) {
		out_text(p->out, page_ellipsis(p));
		text = last_columns(text, total, max > dots ? max - dots : 0);
		/* Skips a truncated folder at the beginning. */
		slash = str_until(text, 0, '/');
		if (slash < text.len)
			text = str_slice(text, slash, text.len);
	}
	out_str(p->out, text);
	paint_off(p, paint);
}

void page_field(struct page *p, enum paint paint, enum align align,
		size_t columns, const char *text)
{
	size_t width = text_width(str_from(text));
	size_t blanks = width < columns ? columns - width : 0;

	if (align == ALIGN_RIGHT)
		out_repeat(p->out, " ", blanks);
	page_paint(p, paint, text);
	if (align == ALIGN_LEFT)
		out_repeat(p->out, " ", blanks);
}

void page_paint(struct page *p, enum paint paint, const char *text)
{
	if (!*text)
		return;
	paint_on(p, paint);
	out_text(p->out, text);
	paint_off(p, paint);
}

void page_repeat(struct page *p, enum paint paint, const char *text,
		 size_t times)
{
	paint_on(p, paint);
	out_repeat(p->out, text, times);
	paint_off(p, paint);
}

void page_bar(struct page *p, enum paint paint, double share, size_t cells)
{
	static const char *const eighths[] = { "",  "▏", "▎", "▍",
					       "▌", "▋", "▊", "▉" };
	size_t steps = p->style.use_unicode ? 8 : 1;
	size_t filled = 0;

	if (share > 0)
		filled = (size_t)lround(fmin(share, 1) *
					(double)(cells * steps));
	if (share > 0 && !filled)
		filled = 1;
	paint_on(p, paint);
	out_repeat(p->out, p->style.use_unicode ? "█" : "#", filled / steps);
	out_text(p->out, eighths[filled % steps]);
	paint_off(p, paint);
	out_repeat(p->out, " ", cells - (filled + steps - 1) / steps);
}

/* ---- paragraphs ---- */

void page_text(struct page *p, const char *text)
{
	if (p->style.is_html) {
		struct out line;

		/* HTML is escaped when added to the line. */
		out_init_memory(&line, &p->line);
		escape_xml(&line, str_from(text));
	} else {
		buf_add_text(&p->line, text);
	}
}

void page_textf(struct page *p, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	page_text(p, text);
}

void page_number(struct page *p, const char *text)
{
	for (; *text; text++) {
		if (*text != ' ')
			buf_add_char(&p->line, *text);
		else if (p->style.is_html)
			buf_add_text(&p->line, "&#160;");
		else
			buf_add_char(&p->line, HARD_BLANK);
	}
}

static bool has_markup(const struct page *p)
{
	return p->style.is_markdown || p->style.is_html;
}

/* In Markdown and HTML names are code and not truncated. */
static void add_markup(struct page *p, struct str foreign, bool is_name)
{
	struct out line;

	out_init_memory(&line, &p->line);
	if (p->style.is_html) {
		out_text(&line, is_name ? "<code>" : "");
		escape_xml(&line, foreign);
		out_text(&line, is_name ? "</code>" : "");
	} else if (is_name) {
		escape_markdown_code(&line, foreign, false);
	} else {
		escape_markdown(&line, foreign);
	}
}

static void add_cut(struct page *p, struct str foreign, size_t max)
{
	struct cut cut = text_cut(escape_cell(p, foreign), max, dots_of(p));

	buf_add_str(&p->line, cut.head);
	if (cut.is_cut)
		buf_add_text(&p->line, page_ellipsis(p));
	buf_add_str(&p->line, cut.tail);
}

void page_foreign(struct page *p, struct str foreign)
{
	if (has_markup(p))
		add_markup(p, foreign, false);
	else
		add_cut(p, foreign,
			p->width ? FOREIGN_LINES * (p->width - 10) : 0);
}

void page_sentence(struct page *p, struct str text)
{
	if (has_markup(p))
		add_markup(p, text, false);
	else
		add_cut(p, text, 0);
}

void page_name(struct page *p, struct str foreign, size_t max)
{
	if (p->width && !max)
		max = FOREIGN_LINES * (p->width - 10);
	if (has_markup(p))
		add_markup(p, name_shown(foreign), true);
	else
		add_cut(p, name_shown(foreign), p->width ? max : 0);
}

void page_place_text(struct page *p, struct str file, uint32_t line)
{
	if (!file.len)
		return;
	if (has_markup(p)) {
		add_markup(p, escape_place(p, file, line), true);
		return;
	}
	page_name(p, source_path_shorten(file, p->source_root), 0);
	if (line)
		page_textf(p, ":%" PRIu32, line);
}

/* Returns the length of the text that fits into a line; *skip: bytes up to the
 * next line's first word. */
static size_t line_break(struct str text, size_t columns, size_t *skip)
{
	size_t fit = text_fit(text, columns);
	size_t at = fit;

	*skip = 0;
	if (fit == text.len)
		return fit;
	while (at && text.ptr[at] != ' ')
		at--;
	while (at && text.ptr[at - 1] == ' ')
		at--;
	if (!at)
		return fit ? fit : 1;
	while (at + *skip < text.len && text.ptr[at + *skip] == ' ')
		(*skip)++;
	return at;
}

static void write_line(struct page *p, enum paint paint, struct str text)
{
	paint_on(p, paint);
	while (text.len) {
		const char *hard = memchr(text.ptr, HARD_BLANK, text.len);
		size_t len = hard ? (size_t)(hard - text.ptr) : text.len;

		out_add(p->out, text.ptr, len);
		if (hard)
			out_char(p->out, ' ');
		text = str_slice(text, hard ? len + 1 : len, text.len);
	}
	paint_off(p, paint);
	out_char(p->out, '\n');
}

/* Removes the indentation. */
static struct str label_name(const char *label)
{
	struct str name = str_from(label);

	while (name.len && name.ptr[0] == ' ')
		name = str_slice(name, 1, name.len);
	return name;
}

/* Writes a verdict in bold, or a list item; lines without a label belong to the
 * item above. */
static void flush_markdown(struct page *p, enum paint paint, const char *label,
			   size_t indent)
{
	const char *bold = paint == PAINT_BOLD ? "**" : "";
	struct str name = label_name(label);

	if (!p->line.len)
		return;
	if (name.len) {
		out_text(p->out, "- **");
		escape_markdown(p->out, name);
		out_text(p->out, "** ");
	} else if (indent) {
		out_text(p->out, "  - ");
	}
	out_text(p->out, bold);
	buf_add_text(&p->line, bold);
	write_line(p, PAINT_NONE, buf_str(&p->line));
}

/* Writes a line; indented ones are list items: of a plain list if page.is_list,
 * else of a definition list, where lines without a label describe the term
 * above. */
static void flush_html(struct page *p, const char *label, size_t indent)
{
	struct str name = label_name(label);
	const char *tag = p->is_list ? "li" : "dd";

	if (!p->line.len)
		return;
	if (name.len && !p->is_list) {
		out_text(p->out, "<dt>");
		escape_xml(p->out, name);
		out_text(p->out, "</dt>");
	}
	if (indent)
		outf(p->out, "<%s>", tag);
	out_str(p->out, buf_str(&p->line));
	if (indent)
		outf(p->out, "</%s>", tag);
	out_char(p->out, '\n');
}

void page_flush(struct page *p, enum paint paint, const char *label,
		size_t indent)
{
	struct str text = buf_str(&p->line);
	enum buf_state state = p->line.state;
	bool is_first = true;

	if (p->style.is_html)
		flush_html(p, label, indent);
	else if (p->style.is_markdown)
		flush_markdown(p, paint, label, indent);
	if (has_markup(p))
		text.len = 0;
	while (text.len) {
		size_t skip = 0;
		size_t len = text.len;

		if (p->width)
			len = line_break(text, p->width - indent, &skip);
		page_field(p, PAINT_DIM, ALIGN_LEFT, indent,
			   is_first ? label : "");
		write_line(p, paint, str_slice(text, 0, len));
		text = str_slice(text, len + skip, text.len);
		is_first = false;
	}
	buf_clear(&p->line);
	p->line.state = state;
}

/* ---- shared wording ---- */

static int64_t offset_of(const struct page *p, int64_t time_ns)
{
	return p->style.use_local_time ? local_offset_ns(time_ns) : 0;
}

void page_time(const struct page *p, int64_t time_ns, int64_t zone_ns,
	       struct page_time *out)
{
	int64_t offset_ns = offset_of(p, zone_ns);
	char text[TIME_RFC3339_BYTES];

	format_rfc3339(sat_add_i64(time_ns, offset_ns), text);
	snprintf(out->date, sizeof out->date, "%.10s", text);
	snprintf(out->clock, sizeof out->clock, "%.18s", text + 11);
	format_zone(offset_ns, out->zone);
}

static void add_date(struct page *p, int64_t time_ns)
{
	char text[TIME_RFC3339_BYTES];

	format_rfc3339(time_ns, text);
	page_textf(p, "%.10s", text);
	page_number(p, " ");
}

/* Rounds down, for times before 1970. */
static int64_t day_of(int64_t time_ns)
{
	return time_ns / NS_PER_DAY - (time_ns % NS_PER_DAY < 0);
}

void page_window(struct page *p, struct time_range range, int64_t day_ns)
{
	bool with_seconds =
		!p->style.is_short &&
		(range.from_ns % NS_PER_MIN || range.to_ns % NS_PER_MIN);
	int64_t offset_ns = offset_of(p, range.from_ns);
	bool has_day = day_ns != 0, is_one_day;
	char clock[16], zone[ZONE_BYTES];

	if (!range.from_ns && !range.to_ns)
		return;
	format_zone(offset_ns, zone);
	day_ns = sat_add_i64(day_ns, offset_ns);
	range.from_ns = sat_add_i64(range.from_ns, offset_ns);
	range.to_ns = sat_add_i64(range.to_ns, offset_ns);
	is_one_day = day_of(range.from_ns) == day_of(range.to_ns);
	if (!is_one_day || !has_day || day_of(range.from_ns) != day_of(day_ns))
		add_date(p, range.from_ns);
	format_clock(range.from_ns, with_seconds, clock);
	page_text(p, clock);
	page_text(p, is_one_day ? "-" : " to ");
	if (!is_one_day)
		add_date(p, range.to_ns);
	format_clock(range.to_ns, with_seconds, clock);
	page_text(p, clock);
	page_number(p, " ");
	page_number(p, zone);
}

static void add_count(struct page *p, bool *is_first, int64_t count,
		      const char *what, const char *end)
{
	char text[UNIT_TEXT_BYTES];

	format_count(count, text);
	page_textf(p, "%s%s %s%s%s", *is_first ? "" : ", ", text, what,
		   count == 1 ? "" : "s", end);
	*is_first = false;
}

void page_extent(struct page *p, const struct extent *e)
{
	bool is_first = !e->range.from_ns && !e->range.to_ns;
	char text[UNIT_TEXT_BYTES];

	if (!is_first) {
		format_duration(e->range.to_ns - e->range.from_ns, text);
		page_number(p, text);
	}
	if (e->instances)
		add_count(p, &is_first, e->instances, "instance", "");
	if (e->samples >= 0)
		add_count(p, &is_first, e->samples, "sample", "");
	if (e->requests > 0)
		add_count(p, &is_first, e->requests, "request",
			  e->is_sampled ? " traced" : "");
}

void page_notes(struct page *p, const struct notes *notes, struct str told)
{
	for (size_t i = 0; i < notes->count; i++) {
		struct str text = str_from(notes->text[i]);

		if (str_equal(text, told))
			continue;
		page_foreign(p, text);
		page_flush(p, PAINT_NONE, "note", PAGE_LABEL_COLUMNS);
	}
	if (!notes->dropped)
		return;
	page_textf(p, "%zu more notes were dropped", notes->dropped);
	page_flush(p, PAINT_NONE, "note", PAGE_LABEL_COLUMNS);
}

void page_next(struct page *p, struct str command, bool is_first)
{
	page_field(p, PAINT_DIM, ALIGN_LEFT, PAGE_LABEL_COLUMNS,
		   is_first ? "next" : "");
	page_cell(p, PAINT_NONE, command, 0, 0);
}

/* Sparklines. */

#define LEVELS 8

static const char *const blocks[LEVELS + 1] = { " ", "▁", "▂", "▃", "▄",
						"▅", "▆", "▇", "█" };
static const char *const plain[LEVELS + 1] = { " ", ".", ":", "-", "=",
					       "+", "*", "#", "@" };

static double cell_value(const double *values, size_t count, size_t cell,
			 size_t cells)
{
	size_t from = count * cell / cells, to = count * (cell + 1) / cells;
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

void spark_write(struct page *p, enum paint paint, const double *values,
		 size_t count, size_t cells)
{
	const char *const *marks = p->style.use_unicode ? blocks : plain;
	size_t used = min_size(count, cells);
	double top = 0;

	for (size_t i = 0; i < used; i++)
		top = fmax(top, cell_value(values, count, i, used));
	for (size_t i = 0; i < used; i++) {
		double value = cell_value(values, count, i, used);
		int level = top > 0 ? (int)ceil(value / top * LEVELS) : 0;

		page_paint(p, paint, marks[level > LEVELS ? LEVELS : level]);
	}
	page_repeat(p, PAINT_NONE, " ", cells - used);
}
