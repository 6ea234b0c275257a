/* SPDX-License-Identifier: Apache-2.0
 *
 * Input of a renderer: the result with the data it was computed from, and
 * display settings. Independent of formats.
 */
#ifndef RENDER_INPUT_H
#define RENDER_INPUT_H

#include "base/buf.h"
#include "model/call_graph.h"
#include "model/flame.h"
#include "model/profile.h"
#include "model/result.h"
#include "model/trace.h"

/* Set by cli/. */
struct render_style {
	/* Columns; 0 = do not truncate names (not a terminal). */
	unsigned width;
	bool use_color;
	bool has_truecolor;  /* 24-bit color */
	bool has_256_colors; /* else 16 */
	bool use_unicode;    /* bars and tree lines; else ASCII */
	bool use_local_time; /* time zone of TZ; else UTC */
	size_t limit;        /* maximum rows of tables, 0 = all */
	size_t brief_tokens; /* for the format brief */
	bool has_limit;      /* limit was set by the user */
	bool is_quiet;
	bool is_short;    /* at most a screenful; set by report_slow() */
	bool has_callers; /* show rows of callers that only pass a change on */
	bool is_markdown; /* for a ticket; set by the format */
	bool is_html;     /* text within an HTML report; set by the format */
};

enum palette {
	PALETTE_AUTO = 0, /* diff for a comparison, else kind */
	PALETTE_HOT,      /* warm colors, by name */
	PALETTE_JAVA,     /* by language */
	PALETTE_KIND,     /* by kind of code */
	PALETTE_DIFF,     /* orange: grew, blue: shrank */
};

/* Settings for flame graphs. */
struct picture_style {
	unsigned width_px;      /* 0: unset, 1200 or the width of the window */
	unsigned columns;       /* for text not on a terminal; 0: unset */
	unsigned min_width_cpx; /* narrower frames are left out; 1/100 pixel */
	bool has_root_below;    /* flame instead of icicle graph */
	enum palette palette;
};

struct otlp_attribute;

/* Only the fields needed by the format are set. */
struct render_input {
	const struct result *result;
	const struct trace *trace;       /* show, RENDER_TAKES_ALL */
	const struct stack_line *stacks; /* folded, difffolded: sorted */
	size_t stack_count;
	const struct flame *flame;       /* flame graphs */
	const struct drawn_graph *graph; /* RENDER_NEEDS_GRAPH */
	const struct profile *profile;   /* RENDER_NEEDS_PROFILE */
	const struct profile *baseline;  /* NULL if none */
	/* RENDER_TAKES_ALL: samples of the span own_span only, a subset of
	 * those in the flame graph; NULL if none. */
	const struct profile *own_samples;
	const struct stack_line *own_stacks;
	size_t own_stack_count;
	uint32_t own_span;
	struct render_style style;
	struct picture_style picture; /* drawings */
	struct str repeat;            /* the command line; empty: unknown */
	/* Time of the first query, 0: no queries. */
	int64_t asked_ns;
	const char *source_pattern; /* of --source-url, or NULL */
	const char *trace_link;     /* of --trace-link, or NULL */
	const char *profile_link;   /* of --profile-link, or NULL */
	/* For the format otlp: otlp_profiles_write(). */
	bool (*write_otlp)(struct str pprof, const struct otlp_attribute *about,
			   size_t about_count, int64_t start_ns,
			   struct buf *out, struct error *err);
	bool is_replay;
	/* For an HTML report that contains its case: gzip; else empty. */
	struct str embedded_case;
};

#endif
