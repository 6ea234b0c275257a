/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/input.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/suggest.h"

bool window_is_given(const struct options *o)
{
	return o->from || o->to || o->since || o->around;
}

static bool parse_option_time(const char *option, const char *text,
			      int64_t now_ns, int64_t *out, struct error *err)
{
	return parse_time(str_from(text), now_ns, out, err) ||
	       error_prefix(err, "%s", option);
}

static bool check_order(struct time_range r, struct error *err)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	if (r.from_ns < r.to_ns)
		return true;
	format_rfc3339(r.from_ns, from);
	format_rfc3339(r.to_ns, to);
	return error_set(err, ERROR_USAGE,
			 "empty time window: its start %s is not before its "
			 "end %s",
			 from, to);
}

bool window_refuse_file(const struct options *o, const char *path,
			struct error *err)
{
	if (!path || !window_is_given(o))
		return true;
	return error_set(err, ERROR_USAGE,
			 "a time window (--from, --to, --since, --around) "
			 "applies to a server, not to %s",
			 strcmp(path, "-") ? path : "standard input");
}

bool window_resolve(const struct options *o, int64_t now_ns,
		    int64_t fallback_ns, struct time_range *out,
		    struct error *err)
{
	int64_t length_ns = fallback_ns, middle_ns;

	if (o->around && (o->from || o->to || o->since))
		return error_set(err, ERROR_USAGE,
				 "--around excludes --from, --to and --since; "
				 "use --pad for its width");
	if (o->since && o->from)
		return error_set(err, ERROR_USAGE,
				 "--since and --from both set the start: give "
				 "one");
	if (o->around) {
		if (!parse_option_time("--around", o->around, now_ns,
				       &middle_ns, err))
			return false;
		*out = window_around(middle_ns, middle_ns, o->pad_ns, now_ns);
		return check_order(*out, err);
	}
	if (o->since &&
	    (!parse_duration(str_from(o->since), &length_ns) || length_ns <= 0))
		return error_set(err, ERROR_USAGE,
				 "--since \"%s\": not a duration such as 30m, "
				 "1h30m or 7d",
				 o->since);
	out->to_ns = now_ns;
	if (o->to &&
	    !parse_option_time("--to", o->to, now_ns, &out->to_ns, err))
		return false;
	out->from_ns = sat_sub_i64(out->to_ns, length_ns);
	if (o->from &&
	    !parse_option_time("--from", o->from, now_ns, &out->from_ns, err))
		return false;
	return check_order(*out, err);
}

static bool set_kind(struct baseline_want *out, enum baseline_kind kind)
{
	out->kind = kind;
	return true;
}

static bool fail_baseline(struct str text, struct error *err)
{
	static const char *const words[] = { "auto", "previous", "fast", "none",
					     "version=V" };
	struct suggestion near;

	/* A mistyped word has neither. */
	if (memchr(text.ptr, '/', text.len) || memchr(text.ptr, '.', text.len))
		return error_set(err, ERROR_USAGE,
				 "--baseline: %.*s: no such file",
				 STR_ARGS(text));
	suggestion_init(&near, text);
	for (size_t i = 0; i < COUNT_OF(words); i++)
		suggestion_offer(&near, words[i]);
	return error_set(err, ERROR_USAGE,
			 "--baseline: no file '%s'%s%s%s (or one of auto, "
			 "previous, fast, none, version=V, a duration such as "
			 "1h, 1d or 7d, FROM..TO)",
			 text_quote(text).text,
			 near.best[0] ? "; did you mean " : "", near.best,
			 near.best[0] ? "?" : "");
}

bool baseline_parse(const struct options *o, int64_t now_ns,
		    struct baseline_want *out, struct error *err)
{
	struct str text = str_from(o->baseline ? o->baseline : "auto");
	const struct str version_word = STR("version=");
	size_t dots = str_find(text, STR(".."));
	int why_no_file;

	*out = (struct baseline_want){ .text = text.ptr };
	if (str_equal(text, STR("auto")))
		return set_kind(out, BASELINE_WANT_AUTO);
	if (str_equal(text, STR("previous")))
		return set_kind(out, BASELINE_WANT_PREVIOUS);
	if (str_equal(text, STR("none")))
		return set_kind(out, BASELINE_WANT_NONE);
	if (str_equal(text, STR("fast")))
		return set_kind(out, BASELINE_WANT_FAST);
	if (str_starts(text, version_word)) {
		out->version = str_slice(text, version_word.len, text.len);
		if (out->version.len)
			return set_kind(out, BASELINE_WANT_VERSION);
	}
	if (parse_duration(text, &out->shift_ns) && out->shift_ns > 0)
		return set_kind(out, BASELINE_WANT_SHIFT);
	if (str_equal(text, STR("-")) || access(text.ptr, F_OK) == 0) {
		out->path = text.ptr;
		return set_kind(out, BASELINE_WANT_FILE);
	}
	why_no_file = errno;
	if (dots != SIZE_MAX && !memchr(text.ptr, '/', text.len)) {
		if (parse_time(str_slice(text, 0, dots), now_ns,
			       &out->range.from_ns, err) &&
		    parse_time(str_slice(text, dots + 2, text.len), now_ns,
			       &out->range.to_ns, err) &&
		    check_order(out->range, err))
			return set_kind(out, BASELINE_WANT_RANGE);
		return error_prefix(err, "--baseline");
	}
	if (!input_is_absent(why_no_file))
		return file_fail_read(text.ptr, why_no_file, err);
	return fail_baseline(text, err);
}
