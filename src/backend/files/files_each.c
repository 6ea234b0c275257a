/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of pprof one by one, as they are.
 */
#include "backend/files/files_answers.h"

#include <string.h>

#include "backend/profile_folder.h"
#include "base/count.h"
#include "base/outfile.h"

/* Files lack the name that Pyroscope has in front of a type: what its own
 * agents give, by the front of the name of the file's own samples. Those of
 * mutex and block profiles are called alike. */
static struct str kind_of(struct str type, const char *path)
{
	static const struct {
		const char *front;
		struct str kind;
	} kinds[] = {
		{ "cpu", { "process_cpu", 11 } },
		{ "samples", { "process_cpu", 11 } },
		{ "alloc_", { "memory", 6 } },
		{ "inuse_", { "memory", 6 } },
		{ "space", { "memory", 6 } },
		{ "objects", { "memory", 6 } },
		{ "contentions", { "mutex", 5 } },
		{ "delay", { "mutex", 5 } },
	};

	if (str_find(str_from(path), STR("block")) != SIZE_MAX &&
	    (str_equal(type, STR("delay")) ||
	     str_equal(type, STR("contentions"))))
		return STR("block");
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_starts(type, str_from(kinds[i].front)))
			return kinds[i].kind;
	return type;
}

/* What it holds is looked at for its type and its time. */
static bool describe(struct backends *b, const char *path, struct str bytes,
		     struct whole_profile *w, struct error *err)
{
	struct profile_want want = b->want;
	struct profile p;
	struct buf storage;
	struct str plain;
	char looks_like[256];
	bool is_ok;

	profile_init(&p);
	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	plain = decode_plain(bytes, path, &storage, err);
	is_ok = plain.ptr != NULL;
	if (is_ok &&
	    format_sniff(plain, looks_like, sizeof looks_like) != FORMAT_PPROF)
		is_ok = error_set(err, ERROR_FORMAT,
				  "only pprof is sent as it is; tracefind "
				  "profile FILE -o pprof=NEW converts others");
	is_ok = is_ok &&
		decode_profile(FORMAT_PPROF, plain, &want, &p, NULL, err);
	if (is_ok) {
		w->kind = arena_str(b->arena,
				    kind_of(profile_type_name(&p), path));
		w->start_ns = p.time_ns;
	}
	profile_release(&p);
	buf_release(&storage);
	return is_ok && (w->kind.ptr || arena_fail(b->arena, "a profile", err));
}

/* A file is known by what it holds. */
static bool give(struct backends *b, const char *path,
		 const struct whole_query *query,
		 const struct whole_taker *taker, struct error *err)
{
	struct whole_profile w = { .name = str_from(path) };
	struct error why = { 0 };
	struct buf bytes;
	bool is_ok = true;

	if (query->service)
		w.labels[w.label_count++] =
			(struct whole_label){ STR("service_name"),
					      str_from(query->service) };
	buf_init(&bytes, LIMIT_BODY_WIRE_BYTES);
	if (!file_read(path, &bytes, &why) ||
	    !describe(b, path, buf_str(&bytes), &w, &why)) {
		if (why.code == ERROR_FORMAT)
			error_prefix(&why, "%s", path);
		is_ok = taker->take(taker->context, &w, &why, err);
	} else {
		w.name = buf_str(&bytes);
		if (taker->wants(taker->context, &w)) {
			w.bytes = buf_str(&bytes);
			is_ok = taker->take(taker->context, &w, NULL, err);
		}
	}
	buf_release(&bytes);
	return is_ok;
}

bool files_each(struct backends *b, const struct whole_query *query,
		const struct whole_taker *taker, struct error *err)
{
	struct path_list list;

	if (!profile_paths_expand(&list, query->paths, query->path_count,
				  b->arena, err))
		return false;
	for (size_t i = 0; i < list.count; i++)
		if (!give(b, list.items[i], query, taker, err))
			return false;
	return true;
}
