/* SPDX-License-Identifier: Apache-2.0
 *
 * Formatted text for people: colors, cells truncated and padded by display
 * width, and paragraphs wrapped with a hanging indent. Foreign text is only
 * added through page_name() and page_foreign(), which escape it.
 */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "base/buf.h"
#include "base/notes.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "render/input.h"

/* Wider than any screen: limits padding. */
#define PAGE_MAX_COLUMNS 1000u
/* Without truncation, columns align up to this width; longer names push their
 * own row only. */
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

/* Returns the color of a name, always the same. */
enum paint paint_of_name(struct str name);

struct page {
	struct out *out;
	struct render_style style;
	size_t width;    /* columns, 0 = never truncate */
	struct buf cell; /* escaped text of a cell */
	struct buf line; /* the paragraph under construction */
	struct str
		source_root; /* removed from paths, see source_path_shorten() */
	bool is_list;        /* HTML: paragraphs are items, not terms */
};

/* page_end() releases; if memory ran out it makes `out` fail. */
void page_begin(struct page *p, const struct render_style *style,
		struct out *out);
void page_end(struct page *p);

/* Returns the name, "(no name)" if empty. */
struct str name_shown(struct str name);

/* ---- cells: written at once ---- */

enum align { ALIGN_LEFT = 0, ALIGN_RIGHT };

/* Escaped text with its middle replaced by dots: two thirds of the space go to
 * the end, which is the more specific part of a qualified name. */
struct cut {
	struct str head;
	struct str tail;
	bool is_cut;
	size_t columns;
};

/* Truncates to `max` columns (0 = never), including `dots` columns of dots. */
struct cut text_cut(struct str text, size_t max, size_t dots);

/* Returns a name without qualifiers: without the path of a Go package, or the
 * packages of a JVM class. */
struct str name_end(struct str name);

/* Returns the longest suffix of a name that is a name by itself and fits into
 * `columns`: "runtime.mallocgc", else "mallocgc". If none fits, the
 * shortest. */
struct str name_fit(struct str name, size_t columns);

/* A truncated name with fewer letters is useless. */
#define NAME_LETTERS_MIN 6u

/* Returns the columns that foreign text takes, at most max (0 = unlimited). */
size_t page_columns(struct page *p, struct str foreign, size_t max);

/* Writes foreign text, its middle truncated to max columns (0 = never), then
 * padded to `pad` columns. */
void page_cell(struct page *p, enum paint paint, struct str foreign, size_t max,
	       size_t pad);

/* Writes a function name, truncated as in flame graphs: leading qualifiers go
 * first (name_fit()), and the middle only if the rest is still too long. */
void page_name_cell(struct page *p, enum paint paint, struct str name,
		    size_t max, size_t pad);

/* Returns whether at least its last two parts fit into max columns: a method's
 * name says little without its type. */
bool page_name_fits(struct page *p, struct str name, size_t max);

/* Writes "file:line" (line 0 unknown), the file without p->source_root, in at
 * most max columns; leading folders are cut, since the end distinguishes
 * files. */
void page_place(struct page *p, enum paint paint, struct str file,
		uint32_t line, size_t max);
size_t page_place_columns(struct page *p, struct str file, uint32_t line);

/* Writes text of ours, aligned in a field. */
void page_field(struct page *p, enum paint paint, enum align align,
		size_t columns, const char *text);

/* Writes text of ours in this color. */
void page_paint(struct page *p, enum paint paint, const char *text);
void page_repeat(struct page *p, enum paint paint, const char *text,
		 size_t times);

/* Writes a bar of `cells` columns, filled in eighths according to share (0..1),
 * with at least a sliver if share > 0. */
void page_bar(struct page *p, enum paint paint, double share, size_t cells);

/* ---- paragraphs: put together, then wrapped ---- */

/* Text of ours; wraps at spaces. */
void page_text(struct page *p, const char *text);
void page_textf(struct page *p, const char *format, ...) PRINTF_LIKE(2, 3);

/* Text of ours that is kept on one line, such as "65.0 %". */
void page_number(struct page *p, const char *text);

/* Foreign prose: wraps at spaces, its middle truncated after a few lines. */
void page_foreign(struct page *p, struct str foreign);

/* A sentence of ours containing foreign names, which are already limited:
 * wraps, and is never truncated. */
void page_sentence(struct page *p, struct str text);

/* A foreign name, its middle truncated to max columns (0: after a few
 * lines). */
void page_name(struct page *p, struct str foreign, size_t max);

/* "file:line" within a paragraph. */
void page_place_text(struct page *p, struct str file, uint32_t line);

/* Writes the paragraph: label in the first `indent` columns, all lines indented
 * as far. Writes nothing if the paragraph is empty. */
void page_flush(struct page *p, enum paint paint, const char *label,
		size_t indent);

/* ---- shared wording ---- */

/* Columns of "note", "next" and the like under a table. */
#define PAGE_LABEL_COLUMNS 6u

/* Writes a paragraph for each note except `told`, which was shown already (may
 * be empty). */
void page_notes(struct page *p, const struct notes *notes, struct str told);

/* Writes a follow-up command at the beginning of a line, the first one after
 * "next". It is meant for pasting, so neither truncated nor wrapped. */
void page_next(struct page *p, struct str command, bool is_first);

/* A displayed time, in parts: UTC, or local with the offset of the zone. */
struct page_time {
	char date[11];         /* "2026-11-21" */
	char clock[19];        /* "10:05:30.123456789" */
	char zone[ZONE_BYTES]; /* "UTC", "+01:00" */
};

/* Formats time_ns. zone_ns: the time whose zone offset is used, one for a whole
 * list or window. */
void page_time(const struct page *p, int64_t time_ns, int64_t zone_ns,
	       struct page_time *out);

/* Writes "10:05-10:15 UTC", with dates if the window is not within the day of
 * day_ns (0: always). Nothing if the range is unknown. */
void page_window(struct page *p, struct time_range range, int64_t day_ns);

/* The amount of data behind one side of a comparison. */
struct extent {
	struct time_range range; /* both ends 0: unknown */
	int64_t samples;         /* -1 unknown */
	uint32_t instances;      /* 0 unknown */
	int64_t requests;        /* 0 or negative: unknown */
	bool is_sampled;         /* requests counts traced ones only */
};

/* Writes what is known: "10 m, 2 instances, 1,830 samples, 412 requests
 * traced". */
void page_extent(struct page *p, const struct extent *e);

/* Parts of a report that look different in Markdown: tables and code blocks. */

/* Returns a style for Markdown: no colors, no truncation. */
struct render_style render_style_markdown(const struct render_style *style);

/* In Markdown: columns of text, and commands, as code blocks. */
void markdown_text(struct page *p, const struct render_input *in,
		   void (*render)(struct page *p,
				  const struct render_input *in));
void markdown_commands(struct page *p, const struct str *commands,
		       size_t count);

/* Same for one command; in text, page_next() and a line feed. */
void markdown_next(struct page *p, struct str command, bool is_first);
/* Same for the content of a buffer, which is released; nothing if it is empty
 * or too long. */
void markdown_next_line(struct page *p, struct buf *line, bool is_first);

/* Starts a table with these columns, the first number_count of them numeric;
 * its rows follow. */
void markdown_head(struct page *p, const char *const *names, size_t count,
		   size_t number_count);
void markdown_name_cell(struct page *p, struct str foreign);
void markdown_place_cell(struct page *p, struct str file, uint32_t line);
/* The function whose change a row passes on. */
void markdown_link_cell(struct page *p, const char *word, struct str foreign);
/* "service name" of a span; empty if both are unknown. */
void markdown_pair_cell(struct page *p, struct str first, struct str second);
/* Text of ours. */
void markdown_cell(struct page *p, const char *text);
void markdown_row_end(struct page *p);
/* Ends the sentence above a table. */
void markdown_or_title(struct page *p);
/* Text of ours; outside Markdown a field of this width, right-aligned. */
void markdown_or_field(struct page *p, enum paint paint, size_t columns,
		       const char *text);

/* Sparklines. */

/* Writes values at equal intervals, none negative, as bars in `cells` columns.
 * If there are more values than cells, each cell is an average; if fewer, the
 * rest is blank. The largest cell has full height; 0 is blank, anything else at
 * least the lowest bar. */
void spark_write(struct page *p, enum paint paint, const double *values,
		 size_t count, size_t cells);

#endif
