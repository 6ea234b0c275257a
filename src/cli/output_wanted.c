/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include "base/limits.h"

static const struct output_option default_output = { "table", NULL };

const struct output_option *output_wanted(const struct options *o,
					  size_t *count)
{
	bool is_default = !o->output_count && !o->interactive;

	*count = is_default ? 1 : o->output_count;
	return is_default ? &default_output : o->outputs;
}

size_t output_count_of(const struct options *o, const char *formats)
{
	size_t count, found = 0;
	const struct output_option *list = output_wanted(o, &count);

	for (size_t i = 0; i < count; i++)
		found += words_have(formats, str_from(list[i].format));
	return found;
}

bool output_is_only(const struct options *o, const char *formats)
{
	size_t count;

	output_wanted(o, &count);
	return output_count_of(o, formats) == count;
}

bool output_needs(const struct options *o, unsigned needs)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);

	if (o->interactive && (needs & RENDER_NEEDS_FLAME))
		return true;
	for (size_t i = 0; i < count; i++)
		if (output_format_needs(list[i].format, needs))
			return true;
	return false;
}

bool output_shows_ranks(const struct options *o)
{
	size_t count;
	const struct output_option *list = output_wanted(o, &count);

	for (size_t i = 0; i < count; i++) {
		const struct render_format *f =
			render_find(str_from(list[i].format));

		if (!f || !(f->needs & RENDER_IS_UNRANKED))
			return true;
	}
	return o->interactive;
}

size_t output_functions(const struct options *o)
{
	return output_needs(o, RENDER_TAKES_ALL) ? LIMIT_PAGE_FUNCTIONS : 0;
}
