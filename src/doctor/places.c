/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "doctor/doctor.h"

/* Values of a label; of more, the first. */
#define LISTED_VALUES 3u

#define LABELS (INSTANCE_LABELS + PLACE_LABELS)

struct places_round {
	const char *labels[LABELS];
	struct series_job jobs[LIMIT_CHECKED_SERVICES];
	struct doctor_service *rows[LIMIT_CHECKED_SERVICES];
	size_t count;
};

static bool narrow(struct doctor *d, struct doctor_service *row,
		   struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	selector_add(&text, STR("service_name"), row->found);
	for (size_t i = 0; i < row->places.count; i++)
		selector_add(&text, str_from(row->places.items[i].label),
			     row->places.items[i].value);
	selector_close(&text);
	row->selector = arena_str(&d->arena, buf_str(&text));
	buf_release(&text);
	return row->selector.ptr || arena_fail(&d->arena, "a selector", err);
}

/* What is not answered is not judged: slow asks for the same. */
static bool take(struct doctor *d, struct doctor_service *row,
		 const struct series_job *job, struct error *err)
{
	const struct series_list *series = &job->series;
	struct place_rows rows = {
		.values = series->values,
		.label_count = series->label_count,
		.count = series->count,
		.place_first = INSTANCE_LABELS,
	};

	if (!job->job.has_answer)
		return true;
	rows.is_ours =
		arena_array(&d->arena, series->count + 1, sizeof *rows.is_ours);
	if (!rows.is_ours)
		return arena_fail(&d->arena, "the server's series", err);
	memset(rows.is_ours, true, series->count * sizeof *rows.is_ours);
	return places_choose(&rows, &d->trace, row->resource, false, &d->arena,
			     &row->places, err) &&
	       (!row->places.count || narrow(d, row, err));
}

/* Those that a trace can tell apart. */
static bool wants_places(const struct doctor *d,
			 const struct doctor_service *row)
{
	return doctor_service_is_found(row) && row->types.count &&
	       row->resource != RESOURCE_NONE &&
	       places_are_told(&d->trace, row->resource);
}

static void ask(struct places_round *q, struct doctor_service *row,
		struct time_range range)
{
	series_job_init(&q->jobs[q->count], row->selector.ptr, q->labels,
			LABELS, range);
	q->rows[q->count++] = row;
}

bool doctor_places(struct doctor *d, struct time_range range, struct error *err)
{
	struct places_round *q = arena_alloc(&d->arena, sizeof *q);
	struct job *jobs[LIMIT_CHECKED_SERVICES];

	if (!q)
		return arena_fail(&d->arena, "the requests", err);
	q->count = 0;
	memcpy(q->labels, instance_labels, sizeof instance_labels);
	memcpy(q->labels + INSTANCE_LABELS, place_labels, sizeof place_labels);
	for (size_t i = 0; i < d->row_count; i++)
		if (wants_places(d, &d->rows[i]))
			ask(q, &d->rows[i], range);
	for (size_t i = 0; i < q->count; i++)
		jobs[i] = &q->jobs[i].job;
	if (q->count && !jobs_run(d->backends, jobs, q->count, err))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (!take(d, q->rows[i], &q->jobs[i], err))
			return false;
	return true;
}

/* ---- judging ---- */

static void add_values(struct buf *out, const struct name_list *values)
{
	for (size_t i = 0; i < values->count && i < LISTED_VALUES; i++)
		buf_addf(out, "%s\"%.*s\"", i ? ", " : "",
			 STR_ARGS(values->items[i]));
	if (values->count > LISTED_VALUES)
		buf_addf(out, " and %zu more", values->count - LISTED_VALUES);
}

static void judge_narrowed(struct doctor *d, const struct doctor_service *row,
			   const struct place *place)
{
	check_ok(&d->checks, "profiles", "place",
		 "\"%.*s\" runs in several places: profiles with "
		 "%s=\"%.*s\" are taken, as by --map %s=%s",
		 STR_ARGS(row->name), place->label, STR_ARGS(place->value),
		 place->attr, place->label);
}

static void judge_doubt(struct doctor *d, const struct doctor_service *row)
{
	const struct place_doubt *doubt = &row->places.doubt;
	struct buf values, map;

	buf_init(&values, LIMIT_CHECK_BYTES);
	buf_init(&map, LIMIT_CHECK_BYTES);
	add_values(&values, &doubt->present);
	selector_add(&map, STR("service_name"), row->found);
	selector_add(&map, str_from(doubt->label), doubt->present.items[0]);
	selector_close(&map);
	if (doubt->trouble == PLACES_ABSENT)
		check_warn(&d->checks, "profiles", "place",
			   "\"%.*s\" sends no profiles from where the trace is "
			   "(%s \"%.*s\"): those there are have %s %s",
			   STR_ARGS(row->name), doubt->attr,
			   STR_ARGS(doubt->value), doubt->label,
			   buf_text(&values));
	else
		check_warn(&d->checks, "profiles", "place",
			   "\"%.*s\" sends profiles from several places (%s: "
			   "%s), and the trace does not say which is its own",
			   STR_ARGS(row->name), doubt->label,
			   buf_text(&values));
	check_fix(&d->checks,
		  "--map ATTRIBUTE=%s with an attribute of the trace that has "
		  "these values, or --selector '%s'",
		  doubt->label, buf_text(&map));
	buf_release(&values);
	buf_release(&map);
}

void doctor_judge_places(struct doctor *d)
{
	for (size_t i = 0; i < d->row_count; i++) {
		const struct doctor_service *row = &d->rows[i];

		for (size_t k = 0; k < row->places.count; k++)
			judge_narrowed(d, row, &row->places.items[k]);
		if (row->places.doubt.trouble)
			judge_doubt(d, row);
	}
}
