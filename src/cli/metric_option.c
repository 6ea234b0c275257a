/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/metric_option.h"

#include "base/ascii.h"
#include "base/suggest.h"
#include "wire/redact.h"

static bool fail_metric(struct str name, struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, name);
	for (size_t i = 0; i < metric_name_count; i++)
		suggestion_offer(&near, metric_names[i].name);
	return error_set(err, ERROR_USAGE,
			 "'%s' is no metric whose unit and labels are known%s%s"
			 "%s (tracefind-dash(1) lists those)",
			 text_quote(name).text,
			 near.best[0] ? ": did you mean " : "", near.best,
			 near.best[0] ? "?" : "");
}

static bool is_label(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '_' && !ascii_is_alnum(text.ptr[i]))
			return false;
	return text.len && !ascii_is_digit(text.ptr[0]);
}

bool metric_option_read(const char *value, const struct metric_name **name,
			struct str *label, struct error *err)
{
	struct str text = str_from(value);
	size_t brace = str_until(text, 0, '{');

	*label = STR("");
	*name = metric_name_find(str_slice(text, 0, brace));
	if (!*name)
		return fail_metric(str_slice(text, 0, brace), err);
	if (brace == text.len)
		return true;
	*label = str_slice(text, brace + 1, text.len - brace - 2);
	return (str_ends(text, STR("}")) && is_label(*label)) ||
	       error_set(err, ERROR_USAGE,
			 "'%s' is not of the form NAME{LABEL}",
			 value_quote(value).text);
}

bool metric_option_check(const char *value, struct error *err)
{
	const struct metric_name *name;
	struct str label;

	return metric_option_read(value, &name, &label, err);
}
