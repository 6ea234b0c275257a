/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of text for people: colours, cells cut and padded by display width,
 * and paragraphs that wrap with a hanging indent. Foreign text enters only
 * through page_name() and page_foreign(), which escape it.
 */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "base/buf.h"
#include "base/notes.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "render/input.h"

/* Wider than any screen: keeps padding bounded. */
#define PAGE_MAX_COLUMNS 1000u
/* When nothing is cut, columns still align up to here; a longer name only
 * pushes its own row. */
#define PAGE_ALIGN_COLUMNS 100u

enum paint {
	PAINT_NONE = 0,
	PAINT_BOLD,
	PAINT_DIM,
	PAINT_BAD,
	PAINT_GOOD,
	PAINT_MARK,
	PAINT_NAME_FIRST, /* see paint_of_name() */
	PAINT_NAME_LAST = PAINT_NAME_FIRST + 7,
};

/* A colour that this name always has. */
enum paint paint_of_name(struct str name);

struct page {
	struct out *out;
	struct render_style style;
	size_t width;    /* columns, 0 = never cut */
	struct buf cell; /* the escaped text of one cell */
	struct buf line; /* the paragraph being put together */
	struct str
		source_root; /* that places lose, see source_path_shorten() */
	bool is_list;        /* HTML: paragraphs are items, not terms */
};

/* page_end() releases; when memory ran out it makes `out` fail. */
void page_begin(struct page *p, const struct render_style *style,
		struct out *out);
void page_end(struct page *p);

/* The name, or "(no name)" for an empty one. */
struct str name_shown(struct str name);

/* ---- cells: written at once ---- */

enum align { ALIGN_LEFT = 0, ALIGN_RIGHT };

/* Escaped text without its middle, dots in its place: two thirds of the room go
 * to the end, which tells more of a qualified name. */
struct cut {
	struct str head;
	struct str tail;
	bool is_cut;
	size_t columns;
};

/* To at most max columns (0 = never), of which the dots take so many. */
struct cut text_cut(struct str text, size_t max, size_t dots);

/* A name without what stands in front of its last parts: the path of a Go
 * package, the packages of a class of the JVM. */
struct str name_end(struct str name);

/* The longest end of a name that is a name by itself and fits into so many
 * columns: "runtime.mallocgc", else "mallocgc". The shortest one, too wide,
 * where none does. */
struct str name_fit(struct str name, size_t columns);

/* Fewer letters of a name that is cut say nothing. */
#define NAME_LETTERS_MIN 6u

/* Columns that foreign text takes, at most max (0 = no limit). */
size_t page_columns(struct page *p, struct str foreign, size_t max);

/* Foreign text, its middle cut to at most max columns (0 = never), then
 * blanks up to `pad` columns. */
void page_cell(struct page *p, enum paint paint, struct str foreign, size_t max,
	       size_t pad);

/* The name of a function, cut as frames of flame graphs are: its front goes, in
 * whole parts (name_fit()), and the middle only of what is too long by
 * itself. */
void page_name_cell(struct page *p, enum paint paint, struct str name,
		    size_t max, size_t pad);

/* Returns whether at least its last two parts fit in max columns: a method's
 * name says little without its type. */
bool page_name_fits(struct page *p, struct str name, size_t max);

/* "file:line" (line 0 unknown), the file without p->source_root, of at most
 * max columns; folders at the front are cut, since the end tells the files
 * apart. */
void page_place(struct page *p, enum paint paint, struct str file,
		uint32_t line, size_t max);
size_t page_place_columns(struct page *p, struct str file, uint32_t line);

/* Text of ours in a field. */
void page_field(struct page *p, enum paint paint, enum align align,
		size_t columns, const char *text);

/* Text of ours as it is, painted. */
void page_paint(struct page *p, enum paint paint, const char *text);
void page_repeat(struct page *p, enum paint paint, const char *text,
		 size_t times);

/* A bar of `cells` columns, filled to share (0..1) of them in eighths, at
 * least a sliver when share > 0. */
void page_bar(struct page *p, enum paint paint, double share, size_t cells);

/* ---- paragraphs: put together, then wrapped ---- */

/* Text of ours; blanks in it are places to wrap. */
void page_text(struct page *p, const char *text);
void page_textf(struct page *p, const char *format, ...) PRINTF_LIKE(2, 3);

/* Text of ours that stays on one line, such as "65.0 %". */
void page_number(struct page *p, const char *text);

/* Foreign prose: wraps at its blanks, its middle cut after a few lines. */
void page_foreign(struct page *p, struct str foreign);

/* A sentence of ours with foreign names in it, which have limits of their own:
 * it wraps, and nothing of it is cut. */
void page_sentence(struct page *p, struct str text);

/* A foreign name: its middle cut to max columns (0: after a few lines). */
void page_name(struct page *p, struct str foreign, size_t max);

/* "file:line" within a paragraph. */
void page_place_text(struct page *p, struct str file, uint32_t line);

/* Writes the paragraph: label in the first `indent` columns, the lines under
 * it indented as far. Empty paragraphs write nothing. */
void page_flush(struct page *p, enum paint paint, const char *label,
		size_t indent);

/* ---- shared wording ---- */

/* Columns of "note", "next" and the like under a table. */
#define PAGE_LABEL_COLUMNS 6u

/* A paragraph of each note but the one told already (may be empty). */
void page_notes(struct page *p, const struct notes *notes, struct str told);

/* A command to go on with, behind "next" when it is the first, at the begin
 * of a line. It is to be pasted, so neither cut nor wrapped. */
void page_next(struct page *p, struct str command, bool is_first);

/* A time as the page has it, in parts: UTC, or with the offset of its zone. */
struct page_time {
	char date[11];         /* "2026-11-21" */
	char clock[19];        /* "10:05:30.123456789" */
	char zone[ZONE_BYTES]; /* "UTC", "+01:00" */
};

/* zone_ns: the time whose offset is taken, which for a list or a window is
 * one for all. */
void page_time(const struct page *p, int64_t time_ns, int64_t zone_ns,
	       struct page_time *out);

/* "10:05-10:15 UTC", with dates when the window is not within the day of
 * day_ns (0: always with dates). Nothing when the range is unknown. */
void page_window(struct page *p, struct time_range range, int64_t day_ns);

/* How much lies behind one side of a comparison. */
struct extent {
	struct time_range range; /* both 0: unknown */
	int64_t samples;         /* -1 unknown */
	uint32_t instances;      /* 0 unknown */
	int64_t requests;        /* 0 and less: unknown */
	bool is_sampled;         /* requests that were traced, not all */
};

/* "10 m, 2 instances, 1,830 samples, 412 requests traced": what is known. */
void page_extent(struct page *p, const struct extent *e);

/* The parts of a page that look different in Markdown: tables and blocks of
 * code. */

/* A style for Markdown: no colours, nothing cut. */
struct render_style render_style_markdown(const struct render_style *style);

/* In Markdown: text in columns as a block of code, and commands. */
void markdown_text(struct page *p, const struct render_input *in,
		   void (*render)(struct page *p,
				  const struct render_input *in));
void markdown_commands(struct page *p, const struct str *commands,
		       size_t count);

/* The same of one command; on a page page_next() and the end of its line. */
void markdown_next(struct page *p, struct str command, bool is_first);
/* The same of one that was put together, and is released; nothing when it is
 * empty or too long. */
void markdown_next_line(struct page *p, struct buf *line, bool is_first);

/* A table with so many columns, the first of them numbers; then its rows. */
void markdown_head(struct page *p, const char *const *names, size_t count,
		   size_t number_count);
void markdown_name_cell(struct page *p, struct str foreign);
void markdown_place_cell(struct page *p, struct str file, uint32_t line);
/* The function whose change a row passes on. */
void markdown_link_cell(struct page *p, const char *word, struct str foreign);
/* "service name" of a span; empty when neither is known. */
void markdown_pair_cell(struct page *p, struct str first, struct str second);
/* Text of ours. */
void markdown_cell(struct page *p, const char *text);
void markdown_row_end(struct page *p);
/* Ends the sentence above a table. */
void markdown_or_title(struct page *p);
/* Text of ours; on a page a field of so many columns, aligned right. */
void markdown_or_field(struct page *p, enum paint paint, size_t columns,
		       const char *text);

/* A row of small bars: how a value went over time. */

/* Values of equal steps, none below 0, as `cells` columns. Several steps that
 * fall into a cell are averaged; fewer steps than cells leave blanks behind
 * them. The tallest bar is the largest cell; what is 0 stays blank, and what
 * is more gets at least the lowest bar. */
void spark_write(struct page *p, enum paint paint, const double *values,
		 size_t count, size_t cells);

#endif
