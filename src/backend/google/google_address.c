/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_address.h"

#include "base/ascii.h"

/* Google's documentation on creating projects: 6 to 30 characters. Those of
 * an organisation are older than the rule and may be shorter. */
#define ID_MIN 6u
#define ID_MAX 30u
/* Longest name of a host (RFC 1035). */
#define DOMAIN_MAX 253u
/* Of an int64. */
#define NUMBER_DIGITS 19u

static const struct str own = { "gcp://", 6 };
static const struct str other = { "gcp+", 4 };
static const struct str folder = { "/projects/", 10 };

static bool has_prefix(struct str text, struct str prefix)
{
	return str_equal_nocase(str_slice(text, 0, prefix.len), prefix);
}

bool google_address_is(const char *text)
{
	struct str all = str_from(text);

	return has_prefix(all, own) || has_prefix(all, other);
}

/* ---- projects ---- */

static bool is_id(struct str id, size_t min)
{
	if (id.len < min || id.len > ID_MAX || !ascii_is_lower(id.ptr[0]) ||
	    id.ptr[id.len - 1] == '-')
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (!ascii_is_lower(id.ptr[i]) && !ascii_is_digit(id.ptr[i]) &&
		    id.ptr[i] != '-')
			return false;
	return true;
}

/* "example.com": at least two labels, none of them empty. */
static bool is_domain(struct str domain)
{
	char before = '.';
	bool has_dot = false;

	if (domain.len > DOMAIN_MAX)
		return false;
	for (size_t i = 0; i < domain.len; i++) {
		char c = domain.ptr[i];

		if (c == '.' ? before == '.'
			     : !ascii_is_lower(c) && !ascii_is_digit(c) &&
				       c != '-')
			return false;
		has_dot |= c == '.';
		before = c;
	}
	return has_dot && before != '.';
}

bool google_project_check(struct str project, struct error *err)
{
	size_t colon = str_find(project, STR(":"));

	if (project.len == 0)
		return error_set(err, ERROR_USAGE,
				 "an address of Google Cloud names a project: "
				 "gcp://PROJECT");
	if (colon != SIZE_MAX
		    ? is_domain(str_slice(project, 0, colon)) &&
			      is_id(str_slice(project, colon + 1, project.len),
				    1)
		    : is_id(project, ID_MIN) || (str_is_digits(project) &&
						 project.len <= NUMBER_DIGITS))
		return true;
	return error_set(err, ERROR_USAGE,
			 "gcp://PROJECT: the project is not written as an id "
			 "(6 to 30 lower-case letters, digits and hyphens, as "
			 "in gcloud projects list) nor as a number");
}

/* ---- addresses ---- */

/* The last, for a prefix may hold the word, too. */
static size_t find_folder(struct str text)
{
	for (size_t i = text.len; i-- > 0;)
		if (str_starts(str_slice(text, i, text.len), folder))
			return i;
	return SIZE_MAX;
}

static struct str without_slash(struct str text, size_t from)
{
	struct str rest = str_slice(text, from, text.len);

	return str_slice(rest, 0, rest.len - str_ends(rest, STR("/")));
}

bool google_address_parse(const char *text, struct project_address *address,
			  struct error *err)
{
	struct str all = str_from(text);
	size_t at;

	*address = (struct project_address){ .base = STR("") };
	if (has_prefix(all, own)) {
		address->project = without_slash(all, own.len);
		return google_project_check(address->project, err);
	}
	all = str_slice(all, other.len, all.len);
	at = find_folder(all);
	if (at == SIZE_MAX || at == 0)
		return error_set(err, ERROR_USAGE,
				 "an address of Google Cloud by another host "
				 "ends with the project: "
				 "gcp+https://HOST/projects/PROJECT");
	address->base = str_slice(all, 0, at);
	address->project = without_slash(all, at + folder.len);
	return google_project_check(address->project, err);
}
