/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <string.h>

#include "base/buf.h"
#include "base/redact.h"
#include "base/suggest.h"
#include "cli/commands.h"

static bool fail_no_format(struct str name, const struct command *command,
			   struct error *err)
{
	struct suggestion near;
	const char *known;
	struct buf list;

	suggestion_init(&near, name);
	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; (known = output_format_name(i)); i++) {
		if (command && !output_gives(command, known))
			continue;
		suggestion_offer(&near, known);
		buf_addf(&list, "%s%s", list.len ? ", " : "", known);
	}
	error_set(err, ERROR_USAGE, "unknown format '%s'%s%s%s (one of %s)",
		  text_quote(name).text, near.best[0] ? ": did you mean " : "",
		  near.best, near.best[0] ? "?" : "", buf_text(&list));
	buf_release(&list);
	return false;
}

static bool fail_suffix(const char *path, struct error *err)
{
	struct quoted shown = value_quote(path);
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	output_list_suffixes(&list);
	error_set(err, ERROR_USAGE,
		  "'%s' has no extension of a known format (%s); name the "
		  "format: -o FORMAT=FILE",
		  shown.text, buf_text(&list));
	buf_release(&list);
	return false;
}

/* No format has a dot or a slash in its name. */
static bool is_path(struct str word)
{
	return word.len && (memchr(word.ptr, '.', word.len) ||
			    memchr(word.ptr, '/', word.len));
}

bool output_is_file(const char *value)
{
	struct str front = { value, strcspn(value, "=") };

	return value[front.len] || is_path(front);
}

bool output_option_read(const char *value, const struct command *command,
			struct output_option *out, struct error *err)
{
	struct str name = { value, strcspn(value, "=") };
	const char *path = value[name.len] ? value + name.len + 1 : NULL;

	*out = (struct output_option){ output_format_find(name), path };
	if (out->format && path && !*path)
		return error_set(err, ERROR_USAGE, "no file after '%s='",
				 out->format);
	if (out->format)
		return true;
	if (!is_path(name))
		return fail_no_format(name, command, err);
	*out = (struct output_option){ output_format_of_file(str_from(value)),
				       value };
	return out->format || fail_suffix(value, err);
}
