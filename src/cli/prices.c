/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/prices.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/outfile.h"
#include "cli/price_words.h"
#include "wire/redact.h"

/* Where the values of a file, or of options, go. */
struct texts {
	const char *cpu, *memory, *request, *currency, *note;
};

struct price_key {
	const char *name;
	size_t at; /* in struct texts */
	bool (*check)(const char *text, struct error *err);
};

static const struct price_key keys[] = {
	{ "cpu", offsetof(struct texts, cpu), price_check },
	{ "memory", offsetof(struct texts, memory), price_check },
	{ "request", offsetof(struct texts, request), price_request_check },
	{ "currency", offsetof(struct texts, currency), currency_check },
	{ "note", offsetof(struct texts, note), NULL },
};

static const struct price_key *find_key(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_equal(str_from(keys[i].name), name))
			return &keys[i];
	return NULL;
}

static bool read_line(struct texts *t, struct str line, struct arena *arena,
		      struct error *err)
{
	size_t equals = str_find(line, STR("="));
	const struct price_key *key;
	struct str name, value;
	const char **at;

	if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
		return true;
	if (equals == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "neither KEY = VALUE nor a comment");
	name = str_trim(str_slice(line, 0, equals));
	value = str_trim(str_slice(line, equals + 1, line.len));
	key = find_key(name);
	if (!key)
		return error_set(err, ERROR_USAGE,
				 "unknown key '%s': there are cpu, memory, "
				 "request, currency and note",
				 text_quote(name).text);
	at = (const char **)(void *)((char *)t + key->at);
	if (*at)
		return error_set(err, ERROR_USAGE, "%s stands there twice",
				 key->name);
	*at = arena_str(arena, value).ptr;
	if (!*at)
		return arena_fail(arena, "the prices", err);
	return !key->check || key->check(*at, err);
}

static bool read_lines(struct texts *t, struct str rest, const char *path,
		       struct arena *arena, struct error *err)
{
	for (unsigned line = 1; rest.len; line++) {
		size_t end = str_find(rest, STR("\n"));
		struct str text = str_trim(str_slice(rest, 0, end));

		if (memchr(text.ptr, '\0', text.len))
			error_set(err, ERROR_USAGE, "this is no text");
		else if (read_line(t, text, arena, err))
			goto next;
		return error_prefix(err, "%s:%u", path, line);
	next:
		rest = end == SIZE_MAX ? STR("")
				       : str_slice(rest, end + 1, rest.len);
	}
	return true;
}

static bool read_file(struct texts *t, const char *path, struct arena *arena,
		      struct error *err)
{
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_PRICE_FILE_BYTES);
	done = file_read(path, &text, err) &&
	       read_lines(t, buf_str(&text), path, arena, err);
	buf_release(&text);
	return done;
}

static bool settle(const struct texts *t, struct cost_prices *out,
		   struct error *err)
{
	*out = (struct cost_prices){ .cpu = -1,
				     .memory = -1,
				     .request = -1,
				     .currency = t->currency,
				     .note = t->note };
	return (!t->cpu || price_parse(t->cpu, true, &out->cpu, err)) &&
	       (!t->memory ||
		price_parse(t->memory, true, &out->memory, err)) &&
	       (!t->request ||
		price_parse(t->request, false, &out->request, err));
}

bool prices_read(const struct options *o, struct arena *arena,
		 struct cost_prices *out, struct error *err)
{
	struct texts t = { o->price_cpu, o->price_memory, o->price_request,
			   o->currency, o->price_note };

	if (!o->prices)
		return settle(&t, out, err);
	if (t.cpu || t.memory || t.request || t.currency || t.note)
		return error_set(err, ERROR_USAGE,
				 "--prices and single prices (--price-cpu, "
				 "--currency, ...) exclude each other");
	if (!read_file(&t, o->prices, arena, err))
		return error_prefix(err, "--prices");
	return settle(&t, out, err);
}
