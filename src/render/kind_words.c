/* SPDX-License-Identifier: Apache-2.0 */
#include "render/kind_words.h"

const char *code_kind_words(enum code_kind kind)
{
	static const char *const words[CODE_KIND_COUNT] = {
		[CODE_APPLICATION] = "application",
		[CODE_DATABASE] = "database",
		[CODE_HTTP_CLIENT] = "HTTP client",
		[CODE_SERIALISATION] = "serialisation",
		[CODE_LOCK] = "locks",
		[CODE_GC_ALLOC] = "gc and allocation",
		[CODE_RUNTIME] = "runtime",
		[CODE_KERNEL] = "kernel",
		[CODE_IDLE] = "idle or waiting",
		[CODE_LIBRARY] = "libraries",
		[CODE_STDLIB] = "standard library",
		[CODE_UNKNOWN] = "unknown",
	};

	return words[kind];
}

const char *request_role_words(enum request_role role)
{
	static const char *const words[REQUEST_ROLES] = {
		[REQUESTS_NOW] = "in these minutes",
		[REQUESTS_PREVIOUS] = "just before",
		[REQUESTS_THIRD_HOUR] = "twenty minutes before",
		[REQUESTS_TWO_THIRDS] = "forty minutes before",
		[REQUESTS_HOUR] = "an hour before",
		[REQUESTS_THREE_HOURS] = "three hours before",
		[REQUESTS_DAY] = "a day before",
		[REQUESTS_WEEK] = "a week before",
	};

	return words[role];
}
