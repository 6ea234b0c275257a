/* SPDX-License-Identifier: Apache-2.0 */
#include "base/optparse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/redact.h"
#include "base/suggest.h"
#include "base/timefmt.h"

bool option_form_get(const struct option_table *table, size_t number,
		     struct option_form *form)
{
	size_t row = number % table->row_count;
	size_t prefix = number / table->row_count;

	if (prefix >= table->prefix_count)
		return false;
	*form = (struct option_form){ &table->rows[row],
				      &table->prefixes[prefix], number };
	return true;
}

static bool form_exists(const struct option_form *form)
{
	return form->prefix->text[0] == '\0' ||
	       (form->row->flags & OPTION_SIDED);
}

void option_form_name(const struct option_form *form,
		      char out[OPTION_NAME_BYTES])
{
	snprintf(out, OPTION_NAME_BYTES, "%s%s", form->prefix->text,
		 form->row->name);
}

static bool is_named(const char *name, struct str wanted)
{
	return name && wanted.len && *name == *wanted.ptr &&
	       str_equal(wanted, str_from(name));
}

bool option_form_find(const struct option_table *table, struct str name,
		      struct option_form *form)
{
	for (size_t p = 0; p < table->prefix_count; p++) {
		struct str prefix = str_from(table->prefixes[p].text);
		struct str bare = str_slice(name, prefix.len, name.len);

		for (size_t i = 0;
		     i < table->row_count && str_starts(name, prefix); i++)
			if (option_form_get(table, p * table->row_count + i,
					    form) &&
			    form_exists(form) &&
			    (is_named(form->row->name, bare) ||
			     is_named(form->row->alias, bare)))
				return true;
	}
	return false;
}

void option_reader_init(struct option_reader *r,
			const struct option_table *table, int argc,
			const char *const *argv)
{
	memset(r, 0, sizeof *r);
	r->table = table;
	r->argc = argc;
	r->argv = argv;
}

static bool takes_value(const struct option_row *row)
{
	return row->kind != OPTION_FLAG;
}

/* Suggests the option without the prefix, for one that has no forms. */
static void offer_bare(const struct option_table *table,
		       struct suggestion *near)
{
	struct option_form form;

	for (size_t i = 1; i < table->prefix_count; i++) {
		struct str prefix = str_from(table->prefixes[i].text);
		struct str name =
			str_slice(near->wanted, prefix.len, near->wanted.len);
		struct suggestion bare;

		if (!str_starts(near->wanted, prefix) ||
		    !option_form_find(table, name, &form))
			continue;
		suggestion_init(&bare, name);
		suggestion_offer(&bare, form.row->name);
		*near = bare;
	}
}

static void offer_names(const struct option_table *table,
			struct suggestion *near)
{
	struct option_form form;
	char name[OPTION_NAME_BYTES];
	char negated[OPTION_NAME_BYTES + 3];

	offer_bare(table, near);
	if (near->best[0])
		return;
	for (size_t i = 0; option_form_get(table, i, &form); i++) {
		if (!form_exists(&form) ||
		    (form.row->flags & OPTION_CONFIG && !form.row->commands))
			continue;
		option_form_name(&form, name);
		suggestion_offer(near, name);
		if (!(form.row->flags & OPTION_NEGATABLE))
			continue;
		snprintf(negated, sizeof negated, "no-%s", name);
		suggestion_offer(near, negated);
	}
}

static bool fail_unknown(const struct option_table *table, const char *dashes,
			 struct str name, struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, name);
	offer_names(table, &near);
	error_set(err, ERROR_USAGE, "unknown option %s%s", dashes,
		  text_quote(name).text);
	if (near.best[0]) {
		size_t len = strlen(err->message);

		snprintf(err->message + len, sizeof err->message - len,
			 "; did you mean --%s?", near.best);
	}
	return false;
}

static bool fail_missing(const struct option_form *form, const char *next,
			 struct error *err)
{
	char name[OPTION_NAME_BYTES];

	option_form_name(form, name);
	if (!next)
		return error_set(err, ERROR_USAGE,
				 "--%s needs a value: --%s %s", name, name,
				 form->row->metavar);
	return error_set(err, ERROR_USAGE,
			 "--%s needs a value, and the next word is an option; "
			 "a value that begins with a dash is given as "
			 "--%s=VALUE",
			 name, name);
}

/* Takes the next word as the value. A lone dash is a value: standard input. */
static bool take_next(struct option_reader *r, struct option_token *token,
		      struct error *err)
{
	const char *word = r->next < r->argc ? r->argv[r->next] : NULL;

	if (!word || (word[0] == '-' && word[1] != '\0'))
		return fail_missing(&token->form, word, err);
	token->arg = r->next++;
	token->value = word;
	return true;
}

static bool next_long(struct option_reader *r, struct option_token *token,
		      struct error *err)
{
	const char *word = r->argv[r->next];
	const char *equals = strchr(word, '=');
	struct str name = str_from(word + 2);
	bool is_known;

	if (equals)
		name.len = (size_t)(equals - word) - 2;
	is_known = option_form_find(r->table, name, &token->form);
	if (!is_known && str_starts(name, STR("no-"))) {
		token->is_negated = true;
		is_known =
			option_form_find(r->table, str_slice(name, 3, name.len),
					 &token->form) &&
			(token->form.row->flags & OPTION_NEGATABLE);
	}
	if (!is_known)
		return fail_unknown(r->table, "--", name, err);
	if (equals && !takes_value(token->form.row))
		return error_set(err, ERROR_USAGE, "--%.*s takes no value",
				 (int)name.len, name.ptr);
	r->next++;
	if (!takes_value(token->form.row))
		return true;
	if (!equals)
		return take_next(r, token, err);
	token->arg = r->next - 1;
	token->value = equals + 1;
	token->value_at = (size_t)(equals + 1 - word);
	return true;
}

/* "-span" parses as letters of which the first is unknown; --span was meant. */
static bool fail_letter(const struct option_reader *r, struct error *err)
{
	const char *word = r->argv[r->next];
	struct option_form form;

	if (option_form_find(r->table, str_from(word + 1), &form))
		return error_set(err, ERROR_USAGE,
				 "unknown option %s; did you mean -%s?",
				 value_quote(word).text,
				 value_quote(word).text);
	return fail_unknown(
		r->table, "-",
		(struct str){ r->bundle,
			      utf8_floor(r->bundle, strlen(r->bundle), 1) },
		err);
}

static bool next_letter(struct option_reader *r, struct option_token *token,
			struct error *err)
{
	const char *word = r->argv[r->next];
	size_t row = 0;

	while (row < r->table->row_count &&
	       r->table->rows[row].letter != r->bundle[0])
		row++;
	if (row == r->table->row_count ||
	    !option_form_get(r->table, row, &token->form))
		return fail_letter(r, err);
	r->bundle++;
	if (!takes_value(token->form.row)) {
		if (*r->bundle)
			return true;
		r->bundle = NULL;
		r->next++;
		return true;
	}
	r->next++;
	/* "-o=svg" means "--output=svg". */
	if (*r->bundle == '=')
		r->bundle++;
	else if (!*r->bundle)
		r->bundle = NULL;
	if (r->bundle) {
		token->arg = r->next - 1;
		token->value = r->bundle;
		token->value_at = (size_t)(r->bundle - word);
		r->bundle = NULL;
		return true;
	}
	r->bundle = NULL;
	return take_next(r, token, err);
}

bool option_reader_next(struct option_reader *r, struct option_token *token,
			struct error *err)
{
	const char *word;

	memset(token, 0, sizeof *token);
	token->kind = OPTION_TOKEN_OPTION;
	if (r->bundle)
		return next_letter(r, token, err);
	if (!r->has_ended && r->next < r->argc &&
	    !strcmp(r->argv[r->next], "--")) {
		r->has_ended = true;
		r->next++;
	}
	if (r->next >= r->argc) {
		token->kind = OPTION_TOKEN_END;
		return true;
	}
	word = r->argv[r->next];
	if (r->has_ended || word[0] != '-' || word[1] == '\0') {
		token->kind = OPTION_TOKEN_ARGUMENT;
		token->value = word;
		token->arg = r->next++;
		return true;
	}
	if (word[1] == '-')
		return next_long(r, token, err);
	r->bundle = word + 1;
	return next_letter(r, token, err);
}

static char *target_base(const struct option_form *form, void *target)
{
	bool is_sided = form->row->flags & OPTION_SIDED;

	return (char *)target + (is_sided ? form->prefix->offset : 0);
}

void *option_target(const struct option_form *form, void *target)
{
	return target_base(form, target) + form->row->offset;
}

size_t *option_target_count(const struct option_form *form, void *target)
{
	return (size_t *)(void *)(target_base(form, target) +
				  form->row->count_offset);
}

static bool store_flag(const struct option_form *form, const char *value,
		       bool is_negated, void *target, struct error *err)
{
	static const char *const words[] = { "0", "no",  "false",
					     "1", "yes", "true" };
	bool is_on = !is_negated;
	size_t i = 0;

	if (value) {
		while (i < 6 &&
		       !str_equal_nocase(str_from(value), str_from(words[i])))
			i++;
		if (i == 6)
			return error_set(err, ERROR_USAGE,
					 "'%s' is neither yes nor no", value);
		is_on = i >= 3;
	}
	if (form->row->flags & OPTION_REPEATABLE) {
		unsigned *count = option_target(form, target);

		*count = is_on ? *count + (*count < 9) : 0;
	} else {
		*(bool *)option_target(form, target) = is_on;
	}
	return true;
}

static bool store_text(const struct option_form *form, const char *value,
		       void *target, struct error *err)
{
	const struct option_row *row = form->row;
	const char **items = option_target(form, target);
	size_t *count;

	if (!(row->flags & OPTION_REPEATABLE)) {
		*items = value;
		return true;
	}
	count = option_target_count(form, target);
	if (*count >= row->max_count)
		return error_set(err, ERROR_USAGE, "given more than %zu times",
				 row->max_count);
	items[(*count)++] = value;
	return true;
}

static bool fail_range(const struct option_row *row, const char *value,
		       struct error *err)
{
	char low[32], high[32];

	if (row->kind == OPTION_DURATION) {
		format_duration_option((int64_t)row->min, low);
		format_duration_option((int64_t)row->max, high);
	} else {
		snprintf(low, sizeof low, "%" PRIu64, row->min);
		snprintf(high, sizeof high, "%" PRIu64, row->max);
	}
	return error_set(err, ERROR_USAGE, "%.40s is outside %s to %s", value,
			 low, high);
}

static bool store_duration(const struct option_form *form, const char *value,
			   void *target, struct error *err)
{
	int64_t duration_ns;

	if (!parse_duration(str_from(value), &duration_ns))
		return error_set(err, ERROR_USAGE,
				 "'%s' is not a duration such as 500ms, "
				 "30s or 1h30m",
				 value_quote(value).text);
	if (duration_ns < (int64_t)form->row->min ||
	    duration_ns > (int64_t)form->row->max)
		return fail_range(form->row, value, err);
	*(int64_t *)option_target(form, target) = duration_ns;
	return true;
}

static bool store_u64(const struct option_form *form, const char *value,
		      void *target, struct error *err)
{
	bool is_size = form->row->kind == OPTION_SIZE;
	uint64_t number;

	if (is_size ? !parse_size(str_from(value), &number)
		    : !parse_u64(str_from(value), &number))
		return error_set(err, ERROR_USAGE,
				 is_size ? "'%s' is no size such as 536870912, "
					   "512MiB or 1Gi"
					 : "'%s' is not a whole number",
				 value_quote(value).text);
	if (number < form->row->min || number > form->row->max)
		return fail_range(form->row, value, err);
	*(uint64_t *)option_target(form, target) = number;
	return true;
}

static bool fail_word(const struct option_row *row, const char *value,
		      struct error *err)
{
	struct suggestion near;
	char list[256];
	size_t len = 0;

	suggestion_init(&near, str_from(value));
	list[0] = '\0';
	for (size_t i = 0; row->words[i] && len < sizeof list; i++) {
		suggestion_offer(&near, row->words[i]);
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
					i ? ", " : "", row->words[i]);
	}
	if (near.best[0])
		return error_set(err, ERROR_USAGE,
				 "unknown value '%s', did you mean %s? "
				 "(one of %s)",
				 value_quote(value).text, near.best, list);
	return error_set(err, ERROR_USAGE, "unknown value '%s' (one of %s)",
			 value_quote(value).text, list);
}

static bool store_word(const struct option_form *form, const char *value,
		       void *target, struct error *err)
{
	const struct option_row *row = form->row;

	for (int i = 0; row->words[i]; i++) {
		if (strcmp(row->words[i], value))
			continue;
		if (row->kind == OPTION_INDEX)
			*(int *)option_target(form, target) = i;
		else
			*(const char **)option_target(form, target) =
				row->words[i];
		return true;
	}
	return fail_word(row, value, err);
}

/* File names may be any bytes; other values end up in requests and reports. */
static bool check_text(const char *value, struct error *err)
{
	for (struct str left = str_from(value); left.len;) {
		size_t len = utf8_length(left);

		if (len == 0)
			return error_set(err, ERROR_USAGE,
					 "the value is not valid UTF-8");
		if ((unsigned char)*left.ptr < 0x20 || *left.ptr == 0x7F)
			return error_set(err, ERROR_USAGE,
					 "the value holds a control character");
		left = str_slice(left, len, left.len);
	}
	return true;
}

static bool check_value(const struct option_row *row, const char *value,
			struct error *err)
{
	size_t len = strnlen(value, LIMIT_OPTION_VALUE_BYTES + 1);

	if (len == 0)
		return error_set(err, ERROR_USAGE, "the value is empty");
	if (len > LIMIT_OPTION_VALUE_BYTES)
		return error_set(err, ERROR_USAGE,
				 "the value is longer than %zu bytes",
				 LIMIT_OPTION_VALUE_BYTES);
	if (row->kind != OPTION_FILE && !check_text(value, err))
		return false;
	return !row->check || row->check(value, err);
}

static bool store_value(const struct option_form *form, const char *value,
			bool is_negated, void *target, struct error *err)
{
	if (form->row->kind == OPTION_FLAG)
		return store_flag(form, value, is_negated, target, err);
	if (!check_value(form->row, value, err))
		return false;
	if (form->row->store)
		return form->row->store(target, value, err);
	switch (form->row->kind) {
	case OPTION_DURATION:
		return store_duration(form, value, target, err);
	case OPTION_U64:
	case OPTION_SIZE:
		return store_u64(form, value, target, err);
	case OPTION_WORD:
	case OPTION_INDEX:
		return store_word(form, value, target, err);
	default:
		return store_text(form, value, target, err);
	}
}

bool option_store(const struct option_form *form, const char *value,
		  bool is_negated, const char *subject, void *target,
		  struct error *err)
{
	if (store_value(form, value, is_negated, target, err))
		return true;
	return error_prefix(err, "%s", subject);
}

bool option_check(const struct option_form *form, const char *value,
		  const char *subject, struct error *err)
{
	if (check_value(form->row, value, err))
		return true;
	return error_prefix(err, "%s", subject);
}
