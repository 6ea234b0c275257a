/* SPDX-License-Identifier: Apache-2.0
 *
 * What a renderer gets: the result with what it was made of, and how the user
 * wants it to look. Knows no format.
 */
#ifndef RENDER_INPUT_H
#define RENDER_INPUT_H

#include "base/buf.h"
#include "model/call_graph.h"
#include "model/flame.h"
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
	size_t brief_tokens; /* of the format brief */
	bool has_limit;      /* given by the user */
	bool is_quiet;
	bool is_short; /* no more than fits on a screen; set by report_slow() */
	bool has_callers; /* a row each for those that pass a change on */
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
	unsigned columns;  /* of a text that is no terminal's; 0: not said */
	unsigned min_width_cpx; /* narrower frames are left out; 1/100 pixel */
	bool has_root_below;    /* a flame, no icicle */
	enum palette palette;
};

struct otlp_attribute;

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
	/* RENDER_TAKES_ALL: samples of own_span alone, a span of the trace, of
	 * those in the flame graph; NULL without. */
	const struct profile *own_samples;
	const struct stack_line *own_stacks;
	size_t own_stack_count;
	uint32_t own_span;
	struct render_style style;
	struct picture_style picture; /* drawings */
	struct str repeat;            /* the command itself; empty: not known */
	int64_t asked_ns;             /* when servers were asked, 0: none was */
	const char *source_pattern;   /* of --source-url, or NULL */
	const char *trace_link;       /* of --trace-link, or NULL */
	const char *profile_link;     /* of --profile-link, or NULL */
	/* Of the format otlp: otlp_profiles_write(). */
	bool (*write_otlp)(struct str pprof, const struct otlp_attribute *about,
			   size_t about_count, int64_t start_ns,
			   struct buf *out, struct error *err);
	bool is_replay;
	/* Of a page that is to hold the case it was made from: gzip; else
	 * empty. */
	struct str embedded_case;
};

#endif
