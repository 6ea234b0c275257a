/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "backend/names.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/pages.h"

#define NAMES_BYTES (4 * MIB)

static const char *const words[] = { "bash", "zsh", "fish", "services",
				     "types", "contexts" };

#define WORD_SERVICES 3
#define WORD_TYPES 4
#define WORD_CONTEXTS 5

static bool fail_word(const char *name, struct error *err)
{
	struct suggestion near;

	if (!name)
		return error_set(err, ERROR_USAGE,
				 "no shell given: bash, zsh or fish");
	suggestion_init(&near, str_from(name));
	for (size_t i = 0; i < WORD_SERVICES; i++)
		suggestion_offer(&near, words[i]);
	return error_set(err, ERROR_USAGE,
			 "no completion for '%s'%s%s%s (bash, zsh or fish)",
			 value_quote(name).text,
			 near.best[0] ? "; did you mean " : "", near.best,
			 near.best[0] ? "?" : "");
}

/* ---- names ---- */

/* A word for a shell, without quotes and whatever else it would take apart. */
static bool is_word(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!ascii_is_alnum(name.ptr[i]) &&
		    !memchr("._:/@+-", name.ptr[i], 7))
			return false;
	return name.len && name.ptr[0] != '-';
}

/* Without a cache there are none, which is no error. */
static void write_cached(bool is_types, struct out *out)
{
	struct name_list names = { .count = 0 };
	struct error ignored;
	struct arena arena;
	struct str folder;

	arena_init(&arena, NAMES_BYTES);
	if (context_find_cache(&arena, &folder, &ignored))
		kept_names_read(folder.ptr, is_types, &arena, &names);
	for (size_t i = 0; i < names.count; i++)
		if (is_word(names.items[i]) &&
		    (i == 0 || !str_equal(names.items[i], names.items[i - 1])))
			outf(out, "%.*s\n", STR_ARGS(names.items[i]));
	arena_release(&arena);
}

/* Writes the contexts; a configuration that is wrong has none. */
static void write_contexts(struct out *out)
{
	struct config config;
	struct error ignored;

	config_init(&config);
	if (config_load_user(&config, &ignored))
		for (size_t i = 0; i < config.user.context_count; i++)
			outf(out, "%s\n", config.user.contexts[i].name);
	config_release(&config);
}

static bool write_word(const struct options *o, struct out *out,
		       struct error *err)
{
	const char *name = o->arg_count ? o->args[0] : NULL;
	const struct completion_script *s = o->completions;
	size_t word = 0;

	while (word < COUNT_OF(words) && (!name || strcmp(words[word], name)))
		word++;
	if (word == COUNT_OF(words))
		return fail_word(name, err);
	if (word == WORD_CONTEXTS) {
		write_contexts(out);
		return true;
	}
	if (word >= WORD_SERVICES) {
		write_cached(word == WORD_TYPES, out);
		return true;
	}
	while (s && s->shell && strcmp(s->shell, name) != 0)
		s++;
	if (!s || !s->shell)
		return error_set(err, ERROR_INTERNAL,
				 "no completion for %s was built in", name);
	out_add(out, s->text, s->len);
	return true;
}

int cmd_completion(const struct options *o)
{
	struct error err = { 0 };
	struct out out;
	bool done;

	if (!out_init_fd(&out, STDOUT_FILENO, &err)) {
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = write_word(o, &out, &err);
	if (done && !out_finish(&out, "standard output", &err))
		done = out_is_broken_pipe(&out);
	out_release(&out);
	if (!done)
		message_error(&err);
	return done ? 0 : error_exit_code(err.code);
}
