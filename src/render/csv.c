/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranked functions as comma-separated values (RFC 4180). Columns are the same
 * for all commands; new ones are only appended.
 */
#include <inttypes.h>
#include <math.h>

#include "base/escape.h"
#include "render/render.h"

static void put_text(struct out *out, struct str text)
{
	out_char(out, ',');
	if (text.ptr)
		escape_csv(out, text);
}

/* Empty if unknown. */
static void put_number(struct out *out, double value, bool is_known)
{
	out_char(out, ',');
	if (is_known && isfinite(value))
		outf(out, "%.6f", value);
}

static void put_comparison(struct out *out, const struct function_row *row,
			   bool has_baseline)
{
	put_number(out, row->baseline_self_lib, has_baseline);
	put_number(out, row->baseline_self, has_baseline);
	put_number(out, row->baseline_total, has_baseline);
	put_number(out, row->delta, has_baseline);
	put_number(out, row->delta_low, has_baseline);
	put_number(out, row->delta_high, has_baseline);
	put_number(out, row->q, has_baseline);
	out_char(out, ',');
	if (has_baseline)
		out_text(out, change_name(row->change)
				      ? change_name(row->change)
				      : "");
}

static void put_row(struct out *out, const struct result *r,
		    const struct function_row *row)
{
	outf(out, "%" PRIu32, row->rank);
	put_text(out, row->name);
	put_text(out, row->file);
	out_char(out, ',');
	if (row->line)
		outf(out, "%" PRIu32, row->line);
	outf(out, ",%s", row->kind ? row->kind : "");
	put_text(out, row->leaf);
	put_text(out, r->profile.unit);
	put_number(out, row->self_lib, true);
	put_number(out, row->self, true);
	put_number(out, row->total, true);
	outf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64, row->self_lib_value,
	     row->self_value, row->total_value);
	put_comparison(out, row, r->has_baseline);
	out_char(out, '\n');
}

void render_csv(const struct render_input *in, struct out *out)
{
	const struct result *r = in->result;

	out_text(out, "rank,function,file,line,kind,leaf,unit,"
		      "owned,self,total,owned_value,self_value,total_value,"
		      "baseline_owned,baseline_self,baseline_total,"
		      "delta,delta_low,delta_high,q,change\n");
	for (size_t i = 0; i < r->function_count; i++)
		put_row(out, r, &r->functions[i]);
}
