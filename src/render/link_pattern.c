/* SPDX-License-Identifier: Apache-2.0 */
#include "render/link_pattern.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static bool is_of_url(char c)
{
	return c > ' ' && c < 0x7f && !strchr("\"'<>\\^`|", c);
}

bool link_pattern_check(const char *pattern, const char *name, const char *what,
			const char *example, struct error *err)
{
	struct str text = str_from(pattern);
	size_t i = 0;

	while (i < text.len && is_of_url(text.ptr[i]))
		i++;
	if (i < text.len || (!str_starts(text, STR("https://")) &&
			     !str_starts(text, STR("http://"))))
		return error_set(err, ERROR_USAGE,
				 "an address with http:// or https:// is "
				 "needed, as %s",
				 example);
	if (str_find(text, str_from(name)) == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "%s has to be in it, where %s goes", name,
				 what);
	return true;
}

void link_escape(struct buf *out, const char *kept, struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		if (isalnum(c) || (c && (strchr("-_.~", c) || strchr(kept, c))))
			buf_add_char(out, (char)c);
		else
			buf_addf(out, "%%%02X", c);
	}
}

void link_pattern_fill(const char *pattern, const struct link_value *values,
		       size_t count, struct buf *out)
{
	struct str rest = str_from(pattern);

	while (rest.len) {
		size_t i = 0;

		while (i < count && !str_starts(rest, values[i].name))
			i++;
		if (i < count)
			link_escape(out, "", values[i].value);
		else
			buf_add_char(out, rest.ptr[0]);
		rest = str_slice(rest, i < count ? values[i].name.len : 1,
				 rest.len);
	}
}
