/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/paging.h"

#include <stdint.h>

#include "base/ascii.h"
#include "base/count.h"

/* MongoDB, Elasticsearch and cursors of SQL. */
static const char *const cursor_operations[] = { "getMore", "scroll", "fetch",
						 "search_after" };

/* Parameters of the usual listing interfaces, among them those of GitHub,
 * Google, AWS, Kubernetes, JSON:API and OData; compared without case. */
static const char *const page_parameters[] = {
	"page",         "page[number]",
	"page[offset]", "page[cursor]",
	"page[after]",  "pageno",
	"page_no",      "pagenumber",
	"page_number",  "pageindex",
	"page_index",   "page_token",
	"pagetoken",    "next_token",
	"nexttoken",    "continue",
	"marker",       "cursor",
	"next_cursor",  "offset",
	"skip",         "$skip",
	"$skiptoken",   "start",
	"startat",      "start_after",
	"after",        "starting_after",
	"since_id",     "max_id",
	"scroll_id",    "continuation-token",
	"start-after",  "exclusivestartkey",
};

bool paging_is_cursor(struct str operation)
{
	return str_is_one_of_nocase(operation, cursor_operations,
				    COUNT_OF(cursor_operations));
}

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* Offset behind the word, or SIZE_MAX; the word is found without case. */
static size_t find_word(struct str text, const char *word)
{
	struct str wanted = str_from(word);

	for (size_t i = 0; i + wanted.len <= text.len; i++) {
		size_t end = i + wanted.len;

		if ((i && is_word(text.ptr[i - 1])) ||
		    (end < text.len && is_word(text.ptr[end])))
			continue;
		if (str_equal_nocase(str_slice(text, i, wanted.len), wanted))
			return end;
	}
	return SIZE_MAX;
}

/* What stands behind the word, up to a blank; NULL ptr without the word. */
static struct str value_behind(struct str text, const char *word)
{
	size_t at = find_word(text, word);
	size_t len = 0;

	if (at == SIZE_MAX)
		return (struct str){ NULL, 0 };
	text = str_trim(str_slice(text, at, text.len));
	while (len < text.len && (unsigned char)text.ptr[len] > ' ' &&
	       text.ptr[len] != ')' && text.ptr[len] != ';')
		len++;
	return str_slice(text, 0, len);
}

static bool is_literal(struct str value)
{
	return str_is_digits(value);
}

/* A place in a listing that moved, or one that cannot be seen. */
static bool has_moved(struct str before, struct str after)
{
	return before.ptr && after.ptr &&
	       (!str_equal(before, after) || !is_literal(after));
}

/* FETCH NEXT, FETCH FORWARD 100 FROM c: reads an open cursor. The clause
 * OFFSET ... FETCH NEXT holds a SELECT. */
static bool is_cursor_read(struct str query)
{
	struct str text = str_trim(query);

	return str_equal_nocase(str_slice(text, 0, 6), STR("FETCH ")) ||
	       str_find(text, STR("\"search_after\"")) != SIZE_MAX ||
	       str_find(text, STR("\"scroll_id\"")) != SIZE_MAX ||
	       str_find(text, STR("\"getMore\"")) != SIZE_MAX;
}

/* MySQL's LIMIT 200, 100. */
static bool has_moved_limit(struct str before, struct str after)
{
	struct str a = value_behind(before, "LIMIT");
	struct str b = value_behind(after, "LIMIT");

	return a.ptr && b.ptr && str_find(b, STR(",")) != SIZE_MAX &&
	       has_moved(a, b);
}

/* WHERE id > ? ORDER BY id LIMIT 100: goes on behind the last row read. LIMIT
 * 1 is how mappers look for one row. */
static bool is_behind_last(struct str query)
{
	struct str limit = value_behind(query, "LIMIT");

	return limit.len && !str_equal(limit, STR("1")) &&
	       find_word(query, "ORDER") != SIZE_MAX &&
	       find_word(query, "WHERE") != SIZE_MAX &&
	       (str_find(query, STR(" > ")) != SIZE_MAX ||
		str_find(query, STR(" < ")) != SIZE_MAX);
}

bool paging_is_next_query(struct str before, struct str after)
{
	return is_cursor_read(after) || has_moved_limit(before, after) ||
	       has_moved(value_behind(before, "OFFSET"),
			 value_behind(after, "OFFSET")) ||
	       is_behind_last(after);
}

static bool is_page_parameter(struct str name)
{
	return str_is_one_of_nocase(name, page_parameters,
				    COUNT_OF(page_parameters));
}

/* The query string of an address; a text without '?' is one itself, unless
 * it is a path. */
static struct str query_string(struct str url)
{
	size_t at = str_find(url, STR("?"));

	if (at != SIZE_MAX)
		return str_slice(url, at + 1, url.len);
	if (str_find(url, STR("/")) != SIZE_MAX &&
	    str_find(url, STR("=")) == SIZE_MAX)
		return (struct str){ "", 0 };
	return url;
}

/* Cuts the next name=value from the rest. */
static bool next_parameter(struct str *rest, struct str *name,
			   struct str *value)
{
	size_t end = str_find(*rest, STR("&"));
	struct str part;
	size_t eq;

	if (!rest->len)
		return false;
	end = end == SIZE_MAX ? rest->len : end;
	part = str_slice(*rest, 0, end);
	*rest = str_slice(*rest, end + 1, rest->len);
	eq = str_find(part, STR("="));
	*name = str_slice(part, 0, eq == SIZE_MAX ? part.len : eq);
	*value = str_slice(part, eq == SIZE_MAX ? part.len : eq + 1, part.len);
	return true;
}

/* The value of the first parameter that names a place in a listing. */
static struct str find_place(struct str url, struct str *place)
{
	struct str rest = query_string(url);
	struct str name, value;

	while (next_parameter(&rest, &name, &value)) {
		if (is_page_parameter(name)) {
			*place = value;
			return name;
		}
	}
	return (struct str){ NULL, 0 };
}

bool paging_is_next_url(struct str before, struct str after)
{
	struct str a = { "", 0 }, b = { "", 0 };
	struct str name = find_place(after, &b);

	if (str_find(after, STR("/_search/scroll")) != SIZE_MAX)
		return true;
	/* The first page often goes without its number or token. */
	return name.ptr && (!find_place(before, &a).ptr || !str_equal(a, b));
}

bool paging_is_any_query(struct str url)
{
	size_t end = str_find(url, STR("?"));

	return str_ends(str_slice(url, 0, end), STR("/graphql"));
}

/* From the path on. */
static struct str skip_host(struct str url)
{
	size_t at = str_find(url, STR("://"));

	if (at == SIZE_MAX)
		return url;
	url = str_slice(url, at + 3, url.len);
	at = str_find(url, STR("/"));
	return str_slice(url, at == SIZE_MAX ? url.len : at, url.len);
}

bool paging_is_same_path(struct str a, struct str b)
{
	return str_equal(skip_host(a), skip_host(b));
}
