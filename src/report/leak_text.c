/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "render/units.h"
#include "report/leak_answer.h"

const char *leak_kind_word(enum growth_kind kind)
{
	static const char *const words[] = {
		[GROWTH_NONE] = "noise",
		[GROWTH_SMALL] = "little",
		[GROWTH_UNEVEN] = "uneven",
		[GROWTH_LEVELS_OFF] = "levels off",
		[GROWTH_WITH_LOAD] = "with load",
		[GROWTH_ENDLESS] = "grows",
	};

	return words[kind];
}

const char *leak_kind_name(enum growth_kind kind)
{
	static const char *const names[] = {
		[GROWTH_NONE] = "noise",
		[GROWTH_SMALL] = "small",
		[GROWTH_UNEVEN] = "uneven",
		[GROWTH_LEVELS_OFF] = "levels_off",
		[GROWTH_WITH_LOAD] = "with_load",
		[GROWTH_ENDLESS] = "endless",
	};

	return names[kind];
}

const char *leak_subject_word(const struct leak_subject *s)
{
	if (s->what == LEAK_MEMORY)
		return "memory";
	if (str_find(s->type_id, STR("objects")) != SIZE_MAX)
		return "objects";
	return str_find(s->type_id, STR("goroutine")) != SIZE_MAX ? "goroutines"
								  : "threads";
}

void leak_format_held(const struct leak_subject *s, double value,
		      char out[UNIT_TEXT_BYTES])
{
	if (s->what == LEAK_MEMORY)
		format_size(sat_round_f64(value), out);
	else
		snprintf(out, UNIT_TEXT_BYTES, "%.0f", value);
}

void leak_format_number(const struct leak_subject *s, double value,
			bool has_sign, char out[UNIT_TEXT_BYTES])
{
	snprintf(out, UNIT_TEXT_BYTES, has_sign ? "%+.*f" : "%.*f",
		 s->what == LEAK_MEMORY ? 1 : 0,
		 s->what == LEAK_MEMORY ? value / MIB : value);
}

const struct leak_function *leak_function_of(const struct leak_subject *s)
{
	for (size_t i = 0; i < s->function_count; i++)
		if (s->functions[i].found.growth.kind == GROWTH_ENDLESS)
			return &s->functions[i];
	return NULL;
}

const struct growth *leak_growth_told(const struct leak_subject *s)
{
	const struct leak_function *f = leak_function_of(s);

	return s->total.kind != GROWTH_ENDLESS && f ? &f->found.growth
						    : &s->total;
}

const struct leak_subject *leak_leading(const struct leak *l)
{
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].is_leak)
			return &l->subjects[i];
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].segment_count)
			return &l->subjects[i];
	return &l->subjects[0];
}

/* ---- nothing to judge ---- */

static bool explain_types(const struct leak *l, struct error *err)
{
	const char *type = l->v->question->type;
	struct buf list;

	if (type)
		return error_set(
			err, ERROR_NOT_FOUND,
			"--type %s counts what is made or taken, not "
			"what stays: inuse, inuse_objects, goroutine and "
			"goroutineleak do",
			type);
	if (l->path_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s no memory in use and no goroutines: leak "
				 "takes heap profiles, not those of CPU or "
				 "allocations",
				 l->path_count == 1 ? "the file holds"
						    : "the files hold");
	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < l->found.types.count && list.len < 300; i++) {
		struct str word = profile_type_word(l->found.types.items[i],
						    &l->found.types);

		if (word.len)
			buf_addf(&list, "%s%.*s", list.len ? ", " : "",
				 STR_ARGS(word));
	}
	error_set(err, ERROR_NOT_FOUND,
		  "\"%s\" sends no profiles of what it holds (inuse, "
		  "goroutine), only %s: allocations tell what is made, not "
		  "what stays; tracefind types --guide tells how to switch "
		  "them on",
		  l->service, list.len ? buf_text(&list) : "others");
	buf_release(&list);
	return false;
}

static bool explain_odd(const struct leak *l, struct error *err)
{
	struct str own = l->odd_type;
	enum leak_what what =
		str_ends(own, STR("/bytes")) ? LEAK_MEMORY : LEAK_THREADS;

	if (!own.ptr)
		return error_set(
			err, ERROR_FORMAT,
			"%s does not say when it was taken: leak takes "
			"profiles that have a time, as pprof files do",
			l->odd->path);
	return error_set(err, ERROR_FORMAT,
			 "%s holds %.*s, others %.*s: ask for what all of "
			 "them have with --type",
			 l->odd->path, STR_ARGS(own),
			 STR_ARGS(l->subjects[what].type_id));
}

bool leak_explain(const struct leak *l, struct error *err)
{
	int64_t longest_ns = 0;
	char lived[24], least[24];

	if (err->message[0])
		return false;
	if (l->odd)
		return explain_odd(l, err);
	if (err->code != ERROR_NOT_FOUND)
		return false;
	if (leak_lack(l) == LEAK_NO_TYPE)
		return explain_types(l, err);
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].longest_ns > longest_ns)
			longest_ns = l->subjects[i].longest_ns;
	format_duration(longest_ns, lived);
	format_duration(LEAK_LEAST_NS, least);
	if (l->path_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "too little to judge: the longest that the "
				 "files of a process go over is %s; %s in all "
				 "and two files or more in each of %u blocks "
				 "are needed",
				 longest_ns ? lived : "nothing", least,
				 GROWTH_BLOCKS);
	return error_set(err, ERROR_NOT_FOUND,
			 "too little to judge: the longest that an instance of "
			 "\"%s\" sent profiles in this window is %s; %u blocks "
			 "with uploads in each and %s in all are needed "
			 "(--since %s)",
			 l->service, longest_ns ? lived : "nothing",
			 GROWTH_BLOCKS, least, "6h");
}
