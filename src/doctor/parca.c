/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_profile.h"
#include "backend/parca/parca.h"
#include "base/num.h"
#include "doctor/doctor.h"

static const struct parca_facts *facts_of(const struct doctor *d)
{
	return d->backends->profiles.endpoint.parca;
}

static void check_label(struct doctor *d)
{
	const struct parca_facts *facts = facts_of(d);

	if (facts->has_service_label) {
		check_ok(&d->checks, "profiles", "label",
			 "services are told apart by \"%s\"",
			 facts->service_label);
		return;
	}
	check_warn(&d->checks, "profiles", "label",
		   "no label names services: neither service_name nor job, app "
		   "or another that is known");
	check_fix(&d->checks, "external labels of parca-agent, or "
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

static bool list_ids(struct doctor *d, struct name_list *ids, struct error *err)
{
	const struct parca_facts *facts = facts_of(d);

	*ids = (struct name_list){ arena_array(&d->arena, facts->type_count + 1,
					       sizeof *ids->items) };
	if (!ids->items)
		return arena_fail(&d->arena, "the types", err);
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

static void say_types(struct doctor *d, const char *text)
{
	if (has_cpu_delta(facts_of(d))) {
		check_ok(&d->checks, "profiles", "types", "%s", text);
		return;
	}
	check_warn(&d->checks, "profiles", "types",
		   "no CPU of intervals (delta): %s", text);
	check_fix(&d->checks,
		  "in Parca's scrape_configs: profiling_config: pprof_config: "
		  "process_cpu: with enabled and delta true");
}

static void add_group(struct doctor *d, enum type_group group, const char *head,
		      const struct name_list *ids, struct buf *out)
{
	const struct parca_facts *facts = facts_of(d);
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
static bool check_types(struct doctor *d, struct error *err)
{
	struct name_list ids;
	struct buf text;

	if (!list_ids(d, &ids, err))
		return false;
	buf_init(&text, LIMIT_CHECK_BYTES);
	add_group(d, DELTAS, "of intervals:", &ids, &text);
	add_group(d, GAUGES, "of a moment:", &ids, &text);
	add_group(d, TOTALS,
		  "totals since each process began, not compared:", &ids,
		  &text);
	say_types(d, buf_text(&text));
	buf_release(&text);
	return true;
}

/* ---- data ---- */

static void check_no_data(struct doctor *d)
{
	check_fail(&d->checks, ERROR_NOT_FOUND, "profiles", "data",
		   "the server has no profile at all");
	check_fix(&d->checks,
		  "scrape_configs in its parca.yaml, or parca-agent with "
		  "--remote-store-address of it");
}

static bool find_recent(struct doctor *d, struct error *err)
{
	struct time_range hour = { sat_sub_i64(d->backends->now_ns,
					       NS_PER_HOUR),
				   d->backends->now_ns };
	struct names_job job;
	struct job *jobs[] = { &job.job };

	services_job_init(&job, hour);
	if (!jobs_run(d->backends, jobs, 1, err))
		return false;
	d->recent = job.names;
	return true;
}

bool doctor_parca(struct doctor *d, struct error *err)
{
	if (!facts_of(d)->type_count) {
		check_no_data(d);
		return true;
	}
	check_label(d);
	return check_types(d, err) && find_recent(d, err);
}
