/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/window_parts.h"

#include "base/limits.h"
#include "base/num.h"

static void part_begin(struct window_parts *p, int64_t from_ns)
{
	int64_t to_ns = p->whole.to_ns;

	if (from_ns < p->edge_ns)
		to_ns = min_i64(to_ns, p->edge_ns);
	if (p->longest_ns)
		to_ns = min_i64(to_ns, sat_add_i64(from_ns, p->longest_ns));
	p->part = (struct time_range){ from_ns, to_ns };
}

static bool check_count(const struct window_parts *p, struct error *err)
{
	int64_t length_ns = sat_sub_i64(p->whole.to_ns, p->whole.from_ns);
	char longest[24];

	if (!p->longest_ns || length_ns / p->longest_ns < LIMIT_WINDOW_PARTS)
		return true;
	format_duration(p->longest_ns, longest);
	return error_set(err, ERROR_LIMIT,
			 "the server takes windows of %s: this one would be "
			 "over %u requests; narrow it with --from and --to",
			 longest, LIMIT_WINDOW_PARTS);
}

bool window_parts_start(struct window_parts *p, struct time_range whole,
			int64_t now_ns, int64_t longest_ns, struct error *err)
{
	*p = (struct window_parts){
		.whole = whole,
		.longest_ns = longest_ns,
		.edge_ns = sat_sub_i64(now_ns, SERVER_LOOKBACK_NS),
	};
	part_begin(p, whole.from_ns);
	return check_count(p, err);
}

bool window_parts_shorten(struct window_parts *p, int64_t longest_ns,
			  struct error *err)
{
	int64_t length_ns = sat_sub_i64(p->part.to_ns, p->part.from_ns);

	if (longest_ns <= 0 || longest_ns >= length_ns)
		return error_set(err, ERROR_LIMIT,
				 "the server refuses the window as too long, "
				 "and its limit does not tell how to part it");
	p->longest_ns = longest_ns;
	part_begin(p, p->part.from_ns);
	return check_count(p, err);
}

bool window_parts_is_whole(const struct window_parts *p)
{
	return p->part.from_ns == p->whole.from_ns &&
	       p->part.to_ns == p->whole.to_ns;
}

bool window_parts_next(struct window_parts *p)
{
	if (p->part.to_ns >= p->whole.to_ns)
		return false;
	part_begin(p, p->part.to_ns);
	return true;
}
