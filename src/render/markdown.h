/* SPDX-License-Identifier: Apache-2.0
 *
 * What looks different in Markdown than on a page: tables and blocks of code.
 */
#ifndef RENDER_MARKDOWN_H
#define RENDER_MARKDOWN_H

#include "render/page.h"

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
/* Text of ours; on a page a field of so many columns, aligned right. */
void markdown_or_field(struct page *p, enum paint paint, size_t columns,
		       const char *text);

#endif
