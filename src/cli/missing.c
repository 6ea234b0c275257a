/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/missing.h"

#include "backend/selector.h"
#include "base/buf.h"

#define NEAREST_MAX 3

/* So many names fit into one line; of more, a few stand for all. */
#define LISTED_MAX 10u
#define EXAMPLES_MAX 5u

static bool is_known(const struct missing_profile *m)
{
	if (m->is_known)
		return true;
	for (size_t i = 0; i < m->services->count; i++)
		if (str_equal(m->services->items[i], m->service))
			return true;
	return false;
}

static void add_name(struct buf *text, size_t index, struct str name)
{
	buf_addf(text, "%s\"%.*s\"", index ? ", " : "", STR_ARGS(name));
}

static void add_list(struct buf *text, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_name(text, i, names[i]);
}

static void add_tried(const struct missing_profile *m, struct buf *text)
{
	if (m->tried_count < 2)
		return;
	buf_add_text(text, ", nor for ");
	add_list(text, m->tried + 1, m->tried_count - 1);
}

/* Returns the first near name, or a stand-in. */
static struct str add_names(const struct missing_profile *m, struct buf *text)
{
	const struct name_list *list = m->services;
	struct str near[NEAREST_MAX];
	size_t count = nearest_names(list, m->service, near, NEAREST_MAX);
	size_t shown = list->count > LISTED_MAX ? EXAMPLES_MAX : list->count;

	if (m->doubt_count) {
		buf_add_text(text, "; it could be ");
		add_list(text, m->doubts, m->doubt_count);
		return m->doubts[0];
	}
	if (count) {
		buf_add_text(text, "; nearest: ");
		add_list(text, near, count);
		return near[0];
	}
	if (shown < list->count)
		buf_addf(text, "; %zu services have profiles, such as ",
			 list->count);
	else
		buf_add_text(text, "; those with profiles: ");
	add_list(text, list->items, shown);
	return STR("NAME");
}

static void add_service(const struct missing_profile *m, struct buf *text)
{
	struct buf selector;
	struct str name;

	buf_addf(text, "no profile for service \"%.*s\"", STR_ARGS(m->service));
	add_tried(m, text);
	name = add_names(m, text);
	if (!m->has_trace)
		return;
	buf_init(&selector, LIMIT_OPTION_VALUE_BYTES);
	selector_add(&selector, STR("service_name"), name);
	selector_close(&selector);
	buf_addf(text, "; choose with --selector '%s'", buf_text(&selector));
	buf_release(&selector);
}

static void add_lookback(const struct missing_profile *m, struct buf *text)
{
	if (m->is_google) {
		if (m->window.from_ns < m->now_ns - GOOGLE_RETENTION_NS)
			buf_add_text(text, "; Cloud Profiler keeps profiles "
					   "for 30 days");
		return;
	}
	if (m->window.from_ns < m->now_ns - SERVER_LOOKBACK_NS)
		buf_add_text(text, "; servers look back 7 days by default, so "
				   "older data may be out of reach");
}

static void add_window(const struct missing_profile *m, struct buf *text)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(m->window.from_ns, from);
	format_rfc3339(m->window.to_ns, to);
	buf_addf(text, " between %.19sZ and %.19sZ", from, to);
	add_lookback(m, text);
}

bool missing_profile_explain(const struct missing_profile *m, struct error *err)
{
	char to[TIME_RFC3339_BYTES];
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	if (m->selector) {
		buf_addf(&text, "no samples match %s", m->selector);
		add_window(m, &text);
	} else if (!m->is_known && m->services->count == 0) {
		format_rfc3339(m->window.to_ns, to);
		buf_addf(&text,
			 "no service has sent profiles in the day before "
			 "%.19sZ; is it the right %s%s?",
			 to, m->is_google ? "project" : "server",
			 m->has_tenant ? " and tenant" : "");
		add_lookback(m, &text);
	} else if (!is_known(m)) {
		add_service(m, &text);
	} else {
		buf_addf(&text,
			 "service \"%.*s\" has profiles, but no samples of "
			 "%.*s",
			 STR_ARGS(m->service), STR_ARGS(m->type_id));
		add_window(m, &text);
		buf_addf(&text, "; widen with %s",
			 m->has_trace ? "--pad" : "--since");
	}
	error_set(err, ERROR_NOT_FOUND, "%s", buf_text(&text));
	buf_release(&text);
	return false;
}
