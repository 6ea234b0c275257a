/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

static bool fail(const char *file, struct error *err)
{
	const char *why = dlerror();

	return error_set(err, ERROR_INTERNAL,
			 "%s cannot be loaded; is it installed? (%s)", file,
			 why ? why : "no reason is known");
}

bool library_load(const char *file, const struct library_symbol *symbols,
		  size_t count, struct error *err)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return fail(file, err);
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return fail(file, err);
		/* ISO C converts no object pointer to a function's. */
		memcpy(symbols[i].target, &symbol, sizeof symbol);
	}
	return true;
}
