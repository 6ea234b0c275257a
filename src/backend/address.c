/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/address.h"

#include "base/buf.h"

/* The nth prefix there is; NULL past the last. */
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

/* None of these messages repeats the text: it may hold a password. */
static bool check_url(struct str url, enum server_side side,
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
	/* Paths are appended, which behind a query makes no sense. */
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

static bool check_project(const struct address *a, enum server_side side,
			  struct error *err)
{
	struct project_address project;

	return a->row->project_parse(a->rest, &project, err) &&
	       (!project.base.len || check_url(project.base, side, err));
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
		return check_project(a, side, err);
	return check_url(str_from(a->rest), side, err);
}

bool address_set(const struct address *a, struct arena *arena,
		 struct endpoint *endpoint, struct error *err)
{
	struct project_address project;

	endpoint->url = a->rest;
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
