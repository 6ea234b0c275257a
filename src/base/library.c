/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/system.h"

#ifdef SYSTEM_LINUX
#include <link.h>
#endif

static bool library_fail(const char *file, struct error *err)
{
	const char *why = dlerror();

	return error_set(err, ERROR_INTERNAL,
			 "%s cannot be loaded; is it installed? (%s)", file,
			 why ? why : "no reason is known");
}

/* Loads a library with lazy binding: libcurl and its dependencies have 2,000
 * functions, of which a run calls few. */
static bool symbols_load(const char *file, const struct library_symbol *symbols,
			 size_t count, struct error *err)
{
	void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return library_fail(file, err);
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return library_fail(file, err);
		/* ISO C has no conversion from object to function pointers. */
		memcpy(symbols[i].target, &symbol, sizeof symbol);
	}
	return true;
}

/* Both sides of a diff may need one at the same time. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

bool library_load(const char *file, const struct library_symbol *symbols,
		  size_t count, atomic_bool *is_loaded, struct error *err)
{
	bool is_done;

	pthread_mutex_lock(&loading);
	is_done = *is_loaded || symbols_load(file, symbols, count, err);
	*is_loaded = is_done;
	pthread_mutex_unlock(&loading);
	return is_done;
}

#ifdef SYSTEM_LINUX
struct visitor {
	void (*visit)(const char *path, void *data);
	void *data;
};

static int visit_one(struct dl_phdr_info *info, size_t size, void *visitor)
{
	const struct visitor *v = visitor;

	(void)size;
	/* The program itself and the vDSO have no path. */
	if (info->dlpi_name && info->dlpi_name[0] == '/')
		v->visit(info->dlpi_name, v->data);
	return 0;
}

void library_each(void (*visit)(const char *path, void *data), void *data)
{
	struct visitor visitor = { visit, data };

	dl_iterate_phdr(visit_one, &visitor);
}
#else
void library_each(void (*visit)(const char *path, void *data), void *data)
{
	(void)visit;
	(void)data;
}
#endif

#ifdef SYSTEM_GLIBC
/* Returns NULL if the system does not support it. */
static Dl_serinfo *search_list(void *program)
{
	Dl_serinfo size, *list;

	if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size))
		return NULL;
	list = mem_alloc(size.dls_size);
	if (!list)
		return NULL;
	*list = size;
	if (!dlinfo(program, RTLD_DI_SERINFO, list))
		return list;
	mem_free(list);
	return NULL;
}

void library_folders(void (*visit)(const char *folder, void *data), void *data)
{
	void *program = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo *list = program ? search_list(program) : NULL;

	for (unsigned i = 0; list && i < list->dls_cnt; i++)
		visit(list->dls_serpath[i].dls_name, data);
	mem_free(list);
	if (program)
		dlclose(program);
}
#else
void library_folders(void (*visit)(const char *folder, void *data), void *data)
{
	(void)visit;
	(void)data;
}
#endif
