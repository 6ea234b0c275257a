/* SPDX-License-Identifier: Apache-2.0
 *
 * The history of a page: how long the operation's requests took, drawn as a
 * histogram and over time. A bar is a link to examples of what it counts, which
 * stand under the drawings, closed. The figures are those of "history" in
 * tracefind-json(5).
 */
#ifndef RENDER_HTML_HISTORY_H
#define RENDER_HTML_HISTORY_H

#include "render/html.h"

/* Height of what is drawn, in pixels: a person tells 1 in 100 by it. */
#define HISTORY_HEIGHT 120
/* Room under it for what stands on its axis. */
#define HISTORY_AXIS 36

bool html_has_history(const struct render_input *in);

/* <section id="history">; nothing where there is none. */
void html_history_write(struct html *h);

/* Over time, and what its bars link to. */
void html_history_times(struct html *h, const struct request_history *history);
void html_history_time_details(struct html *h,
			       const struct request_history *history);

/* ' name="12.34%"': a place within 0 and 1 of the width. */
void html_history_place(struct html *h, const char *name, double part);

/* A table of examples, each with the command to look at it. */
void html_history_table(struct html *h, const struct request_example *examples,
			size_t count);

#endif
