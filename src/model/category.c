/* SPDX-License-Identifier: Apache-2.0 */
#include "model/category.h"

static const char *const names[CODE_KIND_COUNT] = {
	[CODE_APPLICATION] = "application",
	[CODE_DATABASE] = "database",
	[CODE_HTTP_CLIENT] = "http_client",
	[CODE_SERIALISATION] = "serialisation",
	[CODE_LOCK] = "lock",
	[CODE_GC_ALLOC] = "gc_alloc",
	[CODE_RUNTIME] = "runtime",
	[CODE_KERNEL] = "kernel",
	[CODE_IDLE] = "idle",
	[CODE_LIBRARY] = "library",
	[CODE_STDLIB] = "stdlib",
	[CODE_UNKNOWN] = "unknown",
};

const char *code_kind_name(enum code_kind kind)
{
	return names[kind];
}

bool code_kind_parse(struct str name, enum code_kind *kind)
{
	for (int i = 0; i < CODE_KIND_COUNT; i++) {
		if (!str_equal(name, str_from(names[i])))
			continue;
		*kind = (enum code_kind)i;
		return true;
	}
	return false;
}

double kind_share(const struct category_shares *s, enum code_kind kind)
{
	return s->total > 0 ? (double)s->value[kind] / (double)s->total : 0;
}
