/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/option_checks.h"

#include <string.h>

#include "analyze/search_summary.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "cli/fail_on.h"
#include "render/link_pattern.h"
#include "render/source_link.h"
#include "wire/redact.h"

bool option_check_span(const char *value, struct error *err)
{
	unsigned char id[8];

	if (hex_decode(str_from(value), id, sizeof id))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a span id of 16 hex digits",
			 value_quote(value).text);
}

bool option_check_source_url(const char *value, struct error *err)
{
	return source_pattern_check(value, err);
}

bool option_check_trace_link(const char *value, struct error *err)
{
	return link_pattern_check(value, "{trace_id}", "the id",
				  "https://host/trace/{trace_id}", err);
}

bool option_check_profile_link(const char *value, struct error *err)
{
	return link_pattern_check(
		value, "{selector}", "what is looked at",
		"https://host/?query={type}{selector}&from={from_ms}", err);
}

bool option_check_since(const char *value, struct error *err)
{
	int64_t duration_ns;

	if (parse_duration(str_from(value), &duration_ns))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a duration such as 30m or 1d",
			 value_quote(value).text);
}

bool option_check_min_width(const char *value, struct error *err)
{
	double px;

	if (parse_f64(str_from(value), &px) && px >= 0 && px <= 100)
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%.40s' is not a number of pixels from 0 to 100",
			 value);
}

bool option_check_above(const char *value, struct error *err)
{
	unsigned permille;

	if (quantile_parse(str_from(value), &permille))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a quantile such as p95 or p99.9",
			 value_quote(value).text);
}

bool option_check_query(const char *value, struct error *err)
{
	if (str_trim(str_from(value)).len)
		return true;
	return error_set(err, ERROR_USAGE,
			 "an empty TraceQL query; try '{ status = error }'");
}

bool option_check_map(const char *value, struct error *err)
{
	const char *equals = strchr(value, '=');

	if (equals && equals != value && equals[1] != '\0')
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not of the form ATTRIBUTE=LABEL",
			 value_quote(value).text);
}

bool option_check_path_map(const char *value, struct error *err)
{
	const char *equals = strchr(value, '=');

	if (equals && equals[1] != '/')
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not of the form FROM=TO, TO being a path "
			 "within the repository",
			 value_quote(value).text);
}

bool option_check_fail_on(const char *value, struct error *err)
{
	struct gate_limits limits;

	return fail_on_parse(value, &limits, err);
}

/* Of what is left of 100 % a budget is made: it has to be more than nothing. */
bool option_check_objective(const char *value, struct error *err)
{
	double percent;

	if (parse_f64(str_from(value), &percent) && percent > 0 &&
	    percent <= 99.9999)
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not a percentage such as 99.9, at most "
			 "99.9999",
			 value_quote(value).text);
}

bool option_check_selector(const char *value, struct error *err)
{
	struct str text = str_trim(str_from(value));

	if (str_starts(text, STR("{")) && str_ends(text, STR("}")))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is not of the form {label=\"value\"}",
			 value_quote(value).text);
}
