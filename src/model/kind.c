/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kind.h"

struct kind_text {
	const char *name;
	const char *words;
};

static const struct kind_text texts[CODE_KIND_COUNT] = {
	[CODE_APPLICATION] = { "application", "application" },
	[CODE_DATABASE] = { "database", "database" },
	[CODE_HTTP_CLIENT] = { "http_client", "HTTP client" },
	[CODE_SERIALISATION] = { "serialisation", "serialisation" },
	[CODE_LOCK] = { "lock", "locks" },
	[CODE_GC_ALLOC] = { "gc_alloc", "gc and allocation" },
	[CODE_RUNTIME] = { "runtime", "runtime" },
	[CODE_KERNEL] = { "kernel", "kernel" },
	[CODE_IDLE] = { "idle", "idle or waiting" },
	[CODE_LIBRARY] = { "library", "libraries" },
	[CODE_STDLIB] = { "stdlib", "standard library" },
	[CODE_UNKNOWN] = { "unknown", "unknown" },
};

const char *code_kind_name(enum code_kind kind)
{
	return texts[kind].name;
}

const char *code_kind_words(enum code_kind kind)
{
	return texts[kind].words;
}

bool code_kind_parse(struct str name, enum code_kind *kind)
{
	for (int i = 0; i < CODE_KIND_COUNT; i++) {
		if (!str_equal(name, str_from(texts[i].name)))
			continue;
		*kind = (enum code_kind)i;
		return true;
	}
	return false;
}

double kind_share(const struct kind_shares *s, enum code_kind kind)
{
	return s->total > 0 ? (double)s->value[kind] / (double)s->total : 0;
}
