/* SPDX-License-Identifier: Apache-2.0
 *
 * Results to render, and the comparison with golden files. With
 * UPDATE_GOLDEN=1 in the environment golden_check() writes the files instead
 * (tests/update-golden.sh).
 */
#ifndef TEST_RENDER_SUPPORT_H
#define TEST_RENDER_SUPPORT_H

#include "base/buf.h"
#include "render/render.h"

#define SAMPLE_ROWS_MAX 8
#define SAMPLE_SPANS_MAX 128

/* A result with everything it borrows. */
struct sample {
	struct result result;
	struct trace trace;
	struct function_row rows[SAMPLE_ROWS_MAX];
	struct trace_finding findings[3];
	uint64_t span_ids[2];
	struct request_info requests[2];
	struct str path[3];
	struct str next[2];
	struct waterfall_row waterfall[SAMPLE_SPANS_MAX];
	struct span spans[SAMPLE_SPANS_MAX];
	struct resource resources[3];
	struct stack_line stacks[5];
	struct str frames[5][3];
	size_t stack_count;
	bool has_flame;
	struct flame flame;
	struct flame_function functions[8];
	struct flame_node nodes[9];
	struct picture_style picture;
	struct request_history history;
	struct request_slot slots[3];
};

/* An N+1 under a slow repository call, with profile and baseline. */
void sample_slow(struct sample *s);
/* Two windows of a service; nothing of a trace. */
void sample_diff(struct sample *s);
/* One CPU profile alone. */
void sample_profile(struct sample *s);
/* A tree with repeats, an error, a guilty span and orphans. */
void sample_show(struct sample *s);
/* Adds a few stacks of both sides. */
void sample_stacks(struct sample *s);
/* Adds a small flame graph, with both sides where the result has a baseline:
 * what grew, shrank, is new, is gone, and noise. */
void sample_flame(struct sample *s);
void sample_release(struct sample *s);

/* Puts text into every borrowed string of the result. */
void sample_poison(struct sample *s, struct str text);

struct str sample_hostile(void);
/* Of LIMIT_STRING_BYTES bytes, with words, wide and combining characters. */
struct str sample_huge(void);

/* Renders into out (initialised here; the caller releases it); a failure
 * stays in out. */
void render_unchecked(const struct sample *s, const char *format,
		      struct render_style style, struct buf *out);

/* The same, and fails when the output did. */
void render_to(const struct sample *s, const char *format,
	       struct render_style style, struct buf *out);

/* Renders and compares with TESTDATA/golden/<name>. */
void golden_check(const struct sample *s, const char *format,
		  struct render_style style, const char *name);

/* The same of text that is there. */
void golden_check_text(struct str text, const char *name);

/* Fails when a line is wider than width or holds a byte that a terminal
 * obeys. Lines of commands are exempt from the width. */
void text_check(const struct buf *text, size_t width);

#endif
