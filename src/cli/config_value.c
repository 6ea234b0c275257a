/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_value.h"

#include <string.h>

#include "backend/address.h"
#include "cli/options.h"
#include "wire/redact.h"
#include "wire/url.h"

/* A password in an address would lie in a file that is no place for it, and
 * no request would go out with it. */
static bool check_address(const struct option_form *form, const char *key,
			  const char *value, struct error *err)
{
	const char *name = form->row->name;
	struct address address;
	struct url_parts parts;

	if (!strcmp(name, "traces-url") || !strcmp(name, "profiles-url") ||
	    !strcmp(name, "metrics-url"))
		return address_parse(value, SERVER_TRACES, &address, err) ||
		       error_prefix(err, "%s", key);
	if (strcmp(name, "proxy") || !url_split(str_from(value), &parts) ||
	    !parts.user_info.len)
		return true;
	return error_set(err, ERROR_USAGE,
			 "%s: an address with a password does not belong on a "
			 "command line; write it into the file with an editor",
			 key);
}

bool config_value_check(const struct option_form *form, const char *key,
			const char *value, struct error *err)
{
	struct options scratch;
	struct str name = header_name(str_from(value));

	if (form->row->flags & OPTION_SECRET &&
	    !header_is_harmless(str_trim(name)))
		return error_set(err, ERROR_USAGE,
				 "%s: a header that may be secret does not "
				 "belong on a command line; write it into the "
				 "file with an editor, or use a token-file",
				 key);
	options_init(&scratch);
	return option_store(form, value, false, key, &scratch, err) &&
	       check_address(form, key, value, err);
}
