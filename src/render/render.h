/* SPDX-License-Identifier: Apache-2.0
 *
 * Results to bytes. One file a format, one row a format in the table; a
 * renderer gets a writer and the neutral result and knows no command.
 * Foreign text passes base/escape.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "base/error.h"
#include "base/out.h"
#include "model/flame.h"
#include "model/drawn_graph.h"
#include "model/profile.h"
#include "model/result.h"
#include "model/trace.h"

/* Decided once by cli/. */
struct render_style {
	unsigned width; /* columns; 0 = do not cut names (not a terminal) */
	bool use_color;
	bool has_truecolor;  /* 24 bits */
	bool has_256_colors; /* else 16 */
	bool use_unicode;    /* bars and tree lines; else ASCII */
	bool use_local_time; /* by the zone of TZ; else UTC */
	size_t limit;        /* rows of tables, 0 = all */
	bool is_quiet;
	bool is_markdown; /* for a ticket; set by the format */
	bool is_html;     /* words within a page; set by the format */
};

enum palette {
	PALETTE_AUTO = 0, /* diff with a comparison, else kind */
	PALETTE_HOT,      /* warm, by name */
	PALETTE_JAVA,     /* by language */
	PALETTE_KIND,     /* by kind of code */
	PALETTE_DIFF,     /* orange what grew, blue what shrank */
};

/* How flame graphs are drawn. */
struct picture_style {
	unsigned width_px; /* 0: not said; 1200, or as wide as the window */
	unsigned min_width_cpx; /* narrower frames are left out; 1/100 pixel */
	bool is_inverted;       /* the root on top */
	bool has_rows;          /* the limit of the style was asked for */
	enum palette palette;
};

/* Only what a format needs is set. */
struct render_input {
	const struct result *result;
	const struct trace *trace;       /* show, RENDER_TAKES_ALL */
	const struct stack_line *stacks; /* folded, difffolded: sorted */
	size_t stack_count;
	const struct flame *flame;       /* drawings */
	const struct drawn_graph *graph; /* RENDER_NEEDS_GRAPH */
	const struct profile *profile;   /* RENDER_NEEDS_PROFILE */
	const struct profile *baseline;  /* NULL without one */
	struct render_style style;
	struct picture_style picture; /* drawings */
	struct str repeat;            /* the command itself; empty: not known */
	int64_t asked_ns;             /* when servers were asked, 0: none was */
	bool has_requests;            /* that they are listed was asked for */
};

enum render_needs {
	RENDER_NEEDS_PROFILE = 1 << 0,
	RENDER_NEEDS_BASELINE = 1 << 1,
	RENDER_IS_BINARY = 1 << 2,
	RENDER_NEEDS_STACKS = 1 << 3,
	RENDER_NEEDS_SPANS = 1 << 4, /* result.spans, of show only */
	RENDER_NEEDS_FLAME = 1 << 5,
	RENDER_NEEDS_POSITIVE = 1 << 6, /* values, on both sides */
	RENDER_NEEDS_GRAPH = 1 << 7,
	/* All that there is of a case: flame, waterfall with the attributes of
	 * spans, functions beyond the limit; but none of them has to be. */
	RENDER_TAKES_ALL = 1 << 8,
	/* Shows stacks only: no row, kind or note of the result. */
	RENDER_IS_UNRANKED = 1 << 9,
	RENDER_IS_PACKED = 1 << 10, /* or a part of it */
	RENDER_DRAWS_FLAME = RENDER_NEEDS_FLAME | RENDER_TAKES_ALL,
};

struct render_format {
	const char *name;   /* "table" */
	const char *suffix; /* ".json" */
	unsigned needs;
	const char *help;
	void (*render)(const struct render_input *in, struct out *out);
};

/* The same for Markdown: no colours, nothing cut. */
struct render_style render_style_markdown(const struct render_style *style);

/* NULL when there is no such format. */
const struct render_format *render_find(struct str name);

/* The table, ended by a row without a name. */
extern const struct render_format render_formats[];

#endif
