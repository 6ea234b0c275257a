/* SPDX-License-Identifier: Apache-2.0
 *
 * What V8 writes: .cpuprofile (node --cpu-prof, Chrome's DevTools) and
 * .heapprofile (node --heap-prof). Of both, nodes are calls: CPU profiles list
 * them; heap profiles, and CPU profiles before 2017, nest them.
 */
#include "decode/formats.h"
#include "decode/v8_calls.h"

static bool read_document(struct v8_calls *c, struct error *err)
{
	struct str key;

	if (!json_enter(c->json, JSON_OBJECT))
		return json_check(c->json, err);
	while (json_next_key(c->json, &key))
		if (!v8_calls_read(c, key, err))
			return false;
	json_expect_end(c->json, "profile");
	return json_check(c->json, err);
}

bool decode_v8_profile(struct str bytes, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err)
{
	struct arena arena;
	struct v8_calls calls;
	struct v8_group g = {
		.arena = &arena,
		.json = json_new(bytes, err),
		.profile = out,
		.all = &calls,
		.count = 1,
	};
	bool is_done = false;

	if (!g.json)
		return false;
	arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
	g.build = profile_build_new(out, err);
	if (g.build) {
		v8_calls_init(&calls, &g);
		is_done = read_document(&calls, err) &&
			  v8_group_finish(&g, want, notes, err);
	}
	profile_build_free(g.build);
	arena_release(&arena);
	json_free(g.json);
	return is_done;
}
