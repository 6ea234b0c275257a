/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/count.h"
#include "base/escape.h"
#include "base/timefmt.h"
#include "render/link_pattern.h"

#define MS_BYTES 24

static void fill_trace(const struct html *h, struct buf *out)
{
	const struct trace_info *t = &h->in->result->trace;
	const struct link_value values[] = { { STR("{trace_id}"), t->id } };

	if (!h->in->result->has_trace)
		return;
	if (h->in->trace_link)
		link_pattern_fill(h->in->trace_link, values, COUNT_OF(values),
				  out);
	else
		buf_add(out, t->page.ptr, t->page.len);
}

static void add_profile(const struct html *h, struct str from_ms,
			struct str to_ms, struct buf *out)
{
	const struct profile_info *p = &h->in->result->profile;
	const struct link_value values[] = {
		{ STR("{type}"), p->type },
		{ STR("{selector}"), p->selector },
		{ STR("{from_ms}"), from_ms },
		{ STR("{to_ms}"), to_ms },
	};

	link_pattern_fill(h->in->profile_link, values, COUNT_OF(values), out);
}

/* What is of files, or of spans by their ids, no server can be asked for so. */
static void fill_profile(const struct html *h, struct buf *out)
{
	const struct profile_info *p = &h->in->result->profile;
	char from[MS_BYTES], to[MS_BYTES];

	if (!h->in->profile_link || p->is_file ||
	    !str_starts(p->selector, STR("{")))
		return;
	snprintf(from, sizeof from, "%" PRId64, p->range.from_ns / NS_PER_MS);
	snprintf(to, sizeof to, "%" PRId64, p->range.to_ns / NS_PER_MS);
	add_profile(h, str_from(from), str_from(to), out);
}

static bool has_address(const struct html *h, const struct buf *address)
{
	if (address->state != BUF_OK)
		out_fail_memory(h->out);
	return address->state == BUF_OK && address->len;
}

static void write_link(struct html *h, const struct buf *address,
		       const char *text)
{
	if (!has_address(h, address))
		return;
	out_text(h->out, "<a rel=\"noreferrer\" href=\"");
	html_text(h, buf_str(address));
	outf(h->out, "\">%s</a>\n", text);
}

void html_links_write(struct html *h)
{
	struct buf trace, profile;

	buf_init(&trace, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&profile, LIMIT_PAGE_TEXT_BYTES);
	fill_trace(h, &trace);
	fill_profile(h, &profile);
	if (has_address(h, &trace) || has_address(h, &profile)) {
		out_text(h->out, "<p class=\"origin\">");
		write_link(h, &trace, "open the trace");
		write_link(h, &profile, "open the profile");
		out_text(h->out, "</p>\n");
	}
	buf_release(&trace);
	buf_release(&profile);
}
