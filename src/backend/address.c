/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/address.h"

#include <string.h>

#include "base/buf.h"

/* Returns the nth prefix of the table; NULL past the last. */
static const char *prefix_at(size_t n)
{
	for (size_t i = 0; i < backend_table_count; i++)
		if (backend_table[i].prefix && n-- == 0)
			return backend_table[i].prefix;
	return NULL;
}

static bool fail_beginning(struct error *err)
{
	const char *prefix;
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; (prefix = prefix_at(i)) != NULL; i++)
		buf_addf(&list, "%s%s",
			 i == 0             ? ""
			 : prefix_at(i + 1) ? ", "
					    : " or ",
			 prefix);
	error_set(err, ERROR_USAGE,
		  "an address begins with http:// or https://, with %s before "
		  "it, or it is gcp://PROJECT or file:PATH",
		  buf_text(&list));
	buf_release(&list);
	return false;
}

#define HTTP "http://"

/* Returns whether a text is HOST:PORT, "localhost:3200",
 * "tempo.example:3200/prefix": servers on such ports mostly do not use TLS. A
 * name alone may be either. */
static bool lacks_scheme(struct str text)
{
	struct str host = str_slice(text, 0, str_until(text, 0, '/'));
	size_t colon = host.len;

	if (str_find(text, STR("://")) != SIZE_MAX)
		return false;
	while (colon > 0 && host.ptr[colon - 1] != ':')
		colon--;
	return str_equal(host, STR("localhost")) ||
	       (colon > 1 &&
		str_is_digits(str_slice(host, colon, host.len)));
}

/* Adds the missing scheme, in the buffer. */
static struct str whole_url(struct str text, struct buf *room)
{
	if (!lacks_scheme(text))
		return text;
	buf_addf(room, HTTP "%.*s", STR_ARGS(text));
	return buf_str(room);
}

/* None of these messages repeats the text: it may hold a password. */
static bool check_whole(struct str url, enum server_side side,
			struct error *err)
{
	const char *own = side == SERVER_TO ? "to-" : "";
	struct url_parts parts;

	if (!url_split(url, &parts)) {
		if (str_find(url, STR("://")) == SIZE_MAX)
			return fail_beginning(err);
		return error_set(err, ERROR_USAGE,
				 "not a usable address: only http and https, "
				 "a plain host name, a port of 1..65535, no "
				 "blanks");
	}
	if (parts.user_info.len)
		return error_set(err, ERROR_USAGE,
				 "an address must not hold a user name or "
				 "password: use --%susername and "
				 "--%spassword-file (address: %.*s)",
				 own, own, STR_ARGS(parts.authority));
	/* Paths are appended, which is not possible after a query. */
	for (size_t i = 0; i < parts.rest.len; i++)
		if (parts.rest.ptr[i] == '?' || parts.rest.ptr[i] == '#')
			return error_set(err, ERROR_USAGE,
					 "the address of %.*s must end before "
					 "the '%c': a server is named by host "
					 "and path only",
					 STR_ARGS(parts.authority),
					 parts.rest.ptr[i]);
	return true;
}

static bool check_url(struct str url, enum server_side side,
		      struct error *err)
{
	struct buf room;
	bool is_ok;

	buf_init(&room, LIMIT_OPTION_VALUE_BYTES + sizeof HTTP);
	is_ok = check_whole(whole_url(url, &room), side, err);
	buf_release(&room);
	return is_ok;
}

static bool is_project(const struct backend_row *row, const char *text)
{
	return row->is_project && row->is_project(text);
}

static void set_row(struct address *a, const struct backend_row *row,
		    enum server_side side)
{
	struct str prefix = str_from(row->prefix);

	if (is_project(row, a->rest)) {
		if (backend_row_holds(row, side))
			a->row = row;
	} else if (prefix.len &&
		   str_equal_nocase(str_slice(str_from(a->rest), 0, prefix.len),
				    prefix)) {
		a->row = row;
		a->rest += prefix.len;
	}
}

bool address_parse(const char *text, enum server_side side, struct address *a,
		   struct error *err)
{
	struct project_address project;

	*a = (struct address){ .rest = text };
	if (str_starts(str_from(text), STR("file:"))) {
		a->is_file = true;
		a->rest += 5;
		return *a->rest != '\0' ||
		       error_set(err, ERROR_USAGE, "file: without a path");
	}
	for (size_t i = 0; !a->row && i < backend_table_count; i++)
		set_row(a, &backend_table[i], side);
	if (a->row && a->row->is_project)
		return a->row->project_parse(a->rest, &project, err) &&
		       (!project.base.len ||
			check_url(project.base, side, err));
	return check_url(str_from(a->rest), side, err);
}

bool address_set(const struct address *a, struct arena *arena,
		 struct endpoint *endpoint, struct error *err)
{
	struct project_address project;
	struct buf room;

	endpoint->url = a->rest;
	if (!a->is_file && lacks_scheme(str_from(a->rest))) {
		buf_init(&room, LIMIT_OPTION_VALUE_BYTES + sizeof HTTP);
		endpoint->url =
			arena_str(arena, whole_url(str_from(a->rest), &room))
				.ptr;
		buf_release(&room);
		return endpoint->url || arena_fail(arena, "an address", err);
	}
	if (!a->row || !a->row->is_project)
		return true;
	if (!a->row->project_parse(a->rest, &project, err))
		return false;
	endpoint->url = project.base.len ? arena_str(arena, project.base).ptr
					 : a->row->default_url;
	endpoint->project = arena_str(arena, project.project).ptr;
	return (endpoint->url && endpoint->project) ||
	       arena_fail(arena, "an address", err);
}

bool address_split(const char *text, struct url_parts *parts)
{
	struct project_address project;
	struct error ignored;
	struct address a;

	if (!address_parse(text, SERVER_TRACES, &a, &ignored))
		return false;
	if (!a.row || !a.row->is_project)
		return url_split(str_from(a.rest), parts);
	return a.row->project_parse(text, &project, &ignored) &&
	       url_split(project.base.len ? project.base
					  : str_from(a.row->default_url),
			 parts);
}

const char *address_beside_traces(const char *traces_url, const char *url)
{
	if (url || !traces_url)
		return url;
	for (size_t i = 0; i < backend_table_count; i++)
		if (is_project(&backend_table[i], traces_url))
			return traces_url;
	return NULL;
}

/* Returns whether a receiver accepts traces, or profiles. */

static bool receiver_takes(const struct receiver *r, bool is_of_profiles)
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
		if (receiver_takes(receiver_table[i], is_of_profiles))
			buf_addf(&list, "%s%shttp://HOST",
				 list.len ? " or " : "",
				 receiver_table[i]->prefix);
	error_set(err, ERROR_USAGE,
		  "name the receiver of %s: %s (or https), or give a path",
		  what, buf_text(&list));
	buf_release(&list);
	return false;
}

/* Checks whether a receiver accepts this data and these credentials. */
static bool check_receiver(const struct receiver *r, const struct side *to,
			   bool is_of_profiles, struct error *err)
{
	const struct endpoint *e = &to->endpoint;

	if (!receiver_takes(r, is_of_profiles) && r->no_profiles)
		return error_set(err, ERROR_USAGE,
				 "%s: export them to a Pyroscope "
				 "(pyroscope+http://HOST) or into a folder",
				 r->no_profiles);
	if (!receiver_takes(r, is_of_profiles))
		return fail_kind(is_of_profiles, err);
	return !r->token_header || e->token || to->token_command ||
	       e->header_count ||
	       error_set(err, ERROR_AUTH,
			 "%s requires the %s: give it with --to-token-file or "
			 "TRACEFIND_TO_TOKEN",
			 r->title, r->token_name);
}

/* Addresses copied from a manual often include the route. */
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
	d->receiver = is_of_profiles ? NULL : receiver_table[0];
	for (size_t i = 0; i < receiver_table_count; i++) {
		struct str prefix = str_from(receiver_table[i]->prefix);

		if (!str_equal_nocase(str_slice(str_from(text), 0, prefix.len),
				      prefix))
			continue;
		d->receiver = receiver_table[i];
		text += prefix.len;
		break;
	}
	if (!d->receiver)
		return fail_kind(is_of_profiles, err);
	if (!check_receiver(d->receiver, to, is_of_profiles, err))
		return false;
	d->endpoint.token_header = d->receiver->token_header;
	d->endpoint.url_option =
		is_of_profiles ? "--to-profiles" : "--to-traces";
	d->endpoint.url_origin = d->endpoint.url_option;
	return set_url(d, text,
		       is_of_profiles ? d->receiver->profiles_suffix
				      : d->receiver->traces_suffix,
		       arena, err);
}
