/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/export_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/timefmt.h"

#define HEAD "tracefind export 1"

/* A line has 32 digits, a blank and seconds. */
#define LINE_BYTES 64u

/* Up to this size the state is written after each batch; larger ones, where
 * that takes longer than a batch, once a second. */
#define SMALL_COUNT 10000u

struct entry {
	struct export_key key;
	int64_t time_ns;
};

struct export_state {
	const char *path;
	struct lock lock;
	struct str head; /* the lines that name source and destination */
	struct arena arena;
	struct map by_key;
	struct entry *entries;
	size_t count, cap;
	size_t saved_count;
	int64_t saved_ns;
};

/* Two hashes with different seeds. */
struct export_key export_key_of_text(struct str text)
{
	const uint64_t hashes[2] = { fnv64(FNV64_BEGIN, text),
				     fnv64(FNV64_OTHER_BEGIN, text) };
	struct export_key key;

	for (unsigned i = 0; i < sizeof key.bytes; i++)
		key.bytes[i] = (unsigned char)(hashes[i / 8] >> i % 8 * 8);
	return key;
}

static struct str key_str(const struct export_key *key)
{
	return (struct str){ (const char *)key->bytes, sizeof key->bytes };
}

bool export_state_has(const struct export_state *s,
		      const struct export_key *key)
{
	return map_find(&s->by_key, key_str(key)) != MAP_NONE;
}

bool export_state_add(struct export_state *s, const struct export_key *key,
		      int64_t time_ns, struct error *err)
{
	void *entries = s->entries;
	uint32_t known;
	struct str copy;

	if (export_state_has(s, key))
		return true;
	if (!arena_reserve(&s->arena, &entries, &s->cap, s->count + 1,
			   sizeof *s->entries))
		return arena_fail(&s->arena, "the state", err);
	s->entries = entries;
	copy = arena_str(&s->arena, key_str(key));
	if (!copy.ptr ||
	    !map_insert(&s->by_key, copy, (uint32_t)s->count, &known))
		return arena_fail(&s->arena, "the state", err);
	s->entries[s->count++] =
		(struct entry){ .key = *key, .time_ns = time_ns };
	return true;
}

/* ---- reading ---- */

static bool read_entry(struct export_state *s, struct str line,
		       struct error *err)
{
	struct export_key key;
	int64_t seconds;

	if (line.len < 34 || line.ptr[32] != ' ' ||
	    !hex_decode(str_slice(line, 0, 32), key.bytes, sizeof key.bytes) ||
	    !parse_i64(str_slice(line, 33, line.len), &seconds))
		return error_set(err, ERROR_FORMAT,
				 "%s is damaged: unexpected line \"%s\"; "
				 "delete the file to send everything again",
				 s->path, text_quote(line).text);
	return export_state_add(s, &key, sat_mul_i64(seconds, NS_PER_S), err);
}

static bool read_text(struct export_state *s, struct str text,
		      struct error *err)
{
	if (!str_starts(text, STR(HEAD "\n")))
		return error_set(err, ERROR_USAGE,
				 "%s is not the state of an export", s->path);
	if (!str_starts(text, s->head))
		return error_set(
			err, ERROR_USAGE,
			"%s is the state of another export: its first lines "
			"name its source and destination",
			s->path);
	text = str_slice(text, s->head.len, text.len);
	if (text.len && !str_ends(text, STR("\n")))
		return error_set(err, ERROR_FORMAT,
				 "%s is damaged: it ends within a line; delete "
				 "the file to send everything again",
				 s->path);
	while (text.len)
		if (!read_entry(s, str_take_line(&text), err))
			return false;
	s->saved_count = s->count;
	return true;
}

static bool read_state(struct export_state *s, struct error *err)
{
	struct stat st;
	struct buf text;
	bool is_ok;

	if (stat(s->path, &st) && file_is_absent(errno))
		return true;
	buf_init(&text, (LIMIT_EXPORT_KEPT + 16u) * LINE_BYTES);
	is_ok = file_read(s->path, &text, err) &&
		read_text(s, buf_str(&text), err);
	buf_release(&text);
	return is_ok;
}

struct export_state *export_state_open(const char *path, const char *what,
				       struct str from, struct str to,
				       struct error *err)
{
	struct export_state *s = mem_calloc(1, sizeof *s);

	if (!s) {
		error_memory(err, "the state");
		return NULL;
	}
	s->path = path;
	s->lock.fd = -1;
	arena_init(&s->arena, LIMIT_CONTEXT_BYTES);
	map_init(&s->by_key, &s->arena);
	s->head = arena_printf(&s->arena, HEAD "\n%s\nfrom %.*s\nto %.*s\n",
			       what, STR_ARGS(from), STR_ARGS(to));
	if (!s->head.ptr)
		(void)arena_fail(&s->arena, "the state", err);
	else if (lock_take(&s->lock, path, 0, err) && read_state(s, err))
		return s;
	export_state_free(s);
	return NULL;
}

void export_state_free(struct export_state *s)
{
	if (!s)
		return;
	lock_release(&s->lock);
	arena_release(&s->arena);
	mem_free(s);
}

/* ---- writing ---- */

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return memcmp(x->key.bytes, y->key.bytes, sizeof x->key.bytes);
}

/* The map has keys and not positions, so entries can be moved. */
static bool write_state(struct export_state *s, struct error *err)
{
	size_t first =
		s->count > LIMIT_EXPORT_KEPT ? s->count - LIMIT_EXPORT_KEPT : 0;
	struct outfile f;
	char hex[33];

	qsort(s->entries, s->count, sizeof *s->entries, by_time);
	if (!outfile_open(&f, s->path, 0600, err))
		return false;
	out_str(&f.out, s->head);
	for (size_t i = first; i < s->count; i++) {
		hex_encode(s->entries[i].key.bytes, 16, hex);
		outf(&f.out, "%.32s %" PRId64 "\n", hex,
		     s->entries[i].time_ns / NS_PER_S);
	}
	return outfile_commit(&f, err);
}

bool export_state_save(struct export_state *s, bool is_end, struct error *err)
{
	int64_t now_ns = clock_monotonic_ns();

	if (s->count == s->saved_count || (!is_end && s->count > SMALL_COUNT &&
					   now_ns - s->saved_ns < NS_PER_S))
		return true;
	s->saved_count = s->count;
	s->saved_ns = now_ns;
	return write_state(s, err);
}
