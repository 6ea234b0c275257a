/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/checkups.h"
#include "backend/backends.h"
#include "backend/parca/parca_calls.h"
#include "base/buf.h"

static const struct parca_facts *facts_of(const struct checkup *c)
{
	return parca_facts_of(&c->backends->profiles);
}

static void check_label(struct checkup *c)
{
	const struct parca_facts *facts = facts_of(c);

	if (facts->has_service_label) {
		check_ok(c->checks, "profiles", "label",
			 "services are told apart by \"%s\"",
			 facts->service_label);
		return;
	}
	check_warn(c->checks, "profiles", "label",
		   "no label names services: neither service_name nor job, app "
		   "or another that is known");
	check_fix(c->checks, "external labels of parca-agent, or "
			     "relabel_configs in Parca's scrape_configs, that "
			     "set service_name");
}

/* ---- types ---- */

enum type_group { DELTAS, GAUGES, TOTALS };

static enum type_group group_of(const struct parca_type *type)
{
	if (type->is_delta)
		return DELTAS;
	return profile_type_is_gauge(type->id) ? GAUGES : TOTALS;
}

static struct str family_of(struct str id)
{
	return str_slice(id, 0, str_find(id, STR(":")));
}

/* Ids for which --type has no word are named when their whole family has
 * none. */
static bool has_word_in_family(const struct name_list *ids, struct str family)
{
	for (size_t i = 0; i < ids->count; i++)
		if (str_equal(family_of(ids->items[i]), family) &&
		    profile_type_word(ids->items[i], ids).len)
			return true;
	return false;
}

static void add_type(struct buf *out, struct str id,
		     const struct name_list *ids)
{
	struct str word = profile_type_word(id, ids);

	if (!word.len && !has_word_in_family(ids, family_of(id)))
		word = id;
	if (word.len)
		buf_addf(out, " %.*s", STR_ARGS(word));
}

static bool list_ids(struct checkup *c, struct name_list *ids,
		     struct error *err)
{
	const struct parca_facts *facts = facts_of(c);

	*ids = (struct name_list){ arena_array(
		c->checks->arena, facts->type_count + 1, sizeof *ids->items) };
	if (!ids->items)
		return arena_fail(c->checks->arena, "the types", err);
	for (size_t i = 0; i < facts->type_count; i++)
		ids->items[ids->count++] = facts->types[i].id;
	return true;
}

static bool has_cpu_delta(const struct parca_facts *facts)
{
	for (size_t i = 0; i < facts->type_count; i++)
		if (facts->types[i].is_delta &&
		    str_find(facts->types[i].id, STR(":cpu:nanoseconds")) !=
			    SIZE_MAX)
			return true;
	return false;
}

static void say_types(struct checkup *c, const char *text)
{
	if (has_cpu_delta(facts_of(c))) {
		check_ok(c->checks, "profiles", "types", "%s", text);
		return;
	}
	check_warn(c->checks, "profiles", "types",
		   "no CPU of intervals (delta): %s", text);
	check_fix(c->checks,
		  "in Parca's scrape_configs: profiling_config: pprof_config: "
		  "process_cpu: with enabled and delta true");
}

static void add_group(struct checkup *c, enum type_group group,
		      const char *head, const struct name_list *ids,
		      struct buf *out)
{
	const struct parca_facts *facts = facts_of(c);
	struct buf names;

	buf_init(&names, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < facts->type_count; i++)
		if (group_of(&facts->types[i]) == group)
			add_type(&names, ids->items[i], ids);
	if (names.len)
		buf_addf(out, "%s%s%s", out->len ? "; " : "", head,
			 buf_text(&names));
	buf_release(&names);
}

/* Only deltas and gauges can be compared between two windows. */
static bool check_types(struct checkup *c, struct error *err)
{
	struct name_list ids;
	struct buf text;

	if (!list_ids(c, &ids, err))
		return false;
	buf_init(&text, LIMIT_CHECK_BYTES);
	add_group(c, DELTAS, "of intervals:", &ids, &text);
	add_group(c, GAUGES, "of a moment:", &ids, &text);
	add_group(c, TOTALS,
		  "totals since each process began, not compared:", &ids,
		  &text);
	say_types(c, buf_text(&text));
	buf_release(&text);
	return true;
}

/* ---- data ---- */

static void check_no_data(struct checkup *c)
{
	check_fail(c->checks, ERROR_NOT_FOUND, "profiles", "data",
		   "the server has no profile at all");
	check_fix(c->checks,
		  "scrape_configs in its parca.yaml, or parca-agent with "
		  "--remote-store-address of it");
}

static bool judge(struct checkup *c, const struct http_response *answers,
		  struct error *err)
{
	(void)answers;
	if (!facts_of(c)->type_count) {
		check_no_data(c);
		return true;
	}
	check_label(c);
	return check_types(c, err) && checkup_find_recent(c, err);
}

static bool request(const struct backends *b, size_t ask,
		    struct http_request *request, struct error *err)
{
	if (!parca_facts_request(&b->profiles.endpoint, (enum parca_fact)ask,
				 request, err))
		return false;
	request->is_probe = true;
	return true;
}

const struct profile_checkup checkup_parca = {
	.title = "Parca",
	.ask_count = PARCA_FACTS,
	.request = request,
	.is_proof = parca_is,
	.learn = parca_adopt,
	.judge = judge,
	.add_fix = "have Parca scrape it, or run parca-agent beside it",
	.logs_fix = "look at the logs of the SDKs or of Alloy; ",
	.elsewhere_fix = "another tenant: --profiles-tenant-id NAME",
	.nowhere_fix = "another server: --profiles-url URL",
};
