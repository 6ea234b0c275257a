/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/destination.h"

#include <string.h>

#include "backend/address.h"

static bool takes(const struct receiver *r, bool is_of_profiles)
{
	return is_of_profiles ? r->profile_request != NULL
			      : r->traces_request != NULL;
}

static bool fail_kind(bool is_of_profiles, struct error *err)
{
	const char *what = is_of_profiles ? "profiles" : "traces";
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < receiver_table_count; i++)
		if (takes(receiver_table[i], is_of_profiles))
			buf_addf(&list, "%s%shttp://HOST",
				 list.len ? " or " : "",
				 receiver_table[i]->prefix);
	error_set(err, ERROR_USAGE,
		  "say what takes %s there: %s (or https), or give a path",
		  what, buf_text(&list));
	buf_release(&list);
	return false;
}

static bool starts_nocase(const char *text, const char *prefix)
{
	return str_equal_nocase(str_slice(str_from(text), 0, strlen(prefix)),
				str_from(prefix));
}

static const struct receiver *receiver_of(const char **text,
					  bool is_of_profiles)
{
	for (size_t i = 0; i < receiver_table_count; i++) {
		const struct receiver *r = receiver_table[i];

		if (starts_nocase(*text, r->prefix)) {
			*text += strlen(r->prefix);
			return takes(r, is_of_profiles) ? r : NULL;
		}
	}
	return is_of_profiles ? NULL : receiver_table[0];
}

/* Those who copy an address out of a manual have the route as well. */
static bool set_url(struct destination *d, const char *url, const char *suffix,
		    struct arena *arena, struct error *err)
{
	struct str whole = str_from(url);
	struct address a;

	if (!address_parse(url, SERVER_TO, &a, err))
		return false;
	if (a.row || a.is_file)
		return error_set(err, ERROR_USAGE,
				 "an address begins with http:// or https://");
	if (suffix && str_ends(whole, str_from(suffix)))
		whole.len -= strlen(suffix);
	d->endpoint.url = arena_str(arena, whole).ptr;
	d->name = arena_printf(arena, "%s %.*s", d->receiver->title,
			       STR_ARGS(whole));
	return (d->endpoint.url && d->name.ptr) ||
	       arena_fail(arena, "an address", err);
}

bool destination_parse(struct destination *d, const struct side *to,
		       const char *text, bool is_of_profiles,
		       struct arena *arena, struct error *err)
{
	bool is_address = strstr(text, "://") != NULL;

	*d = (struct destination){ .endpoint = to->endpoint };
	if (!is_address) {
		d->path = text + (strncmp(text, "file:", 5) ? 0 : 5);
		d->name = str_from(d->path);
		return (*d->path && strcmp(d->path, "-") != 0) ||
		       error_set(err, ERROR_USAGE, "%s is to be named",
				 is_of_profiles ? "a folder" : "a file");
	}
	d->receiver = receiver_of(&text, is_of_profiles);
	if (!d->receiver)
		return fail_kind(is_of_profiles, err);
	d->endpoint.url_option =
		is_of_profiles ? "--to-profiles" : "--to-traces";
	d->endpoint.url_origin = d->endpoint.url_option;
	return set_url(d, text,
		       is_of_profiles ? d->receiver->profiles_suffix
				      : d->receiver->traces_suffix,
		       arena, err);
}
