/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/curl_calls.h"

#include <stdarg.h>

/* Macros that check argument types, which applied to our callers. */
#undef curl_easy_getinfo
#undef curl_easy_setopt

LIBRARY_CALLS(CURL_CALLS, LIBRARY_CURL)

/* Debian's libcurl loads GnuTLS for RTMP and LDAP, which are not used here.
 * This function, which GnuTLS lets programs override (GNUTLS_SKIP_GLOBAL_INIT
 * in gnutls.h), defers its initialization, 0.3 ms of every run, to the code
 * that uses it, as in all of libcurl. The environment variable for it must not
 * be set once there are threads. Savings: docs/lab/performance.md, "GnuTLS
 * waits". */
int _gnutls_global_init_skip(void);

int _gnutls_global_init_skip(void)
{
	return 1;
}

bool curl_calls_load(struct error *err)
{
	return calls_load(err);
}

void curl_easy_cleanup(CURL *easy)
{
	calls.curl_easy_cleanup_call(easy);
}

/* All results are returned through a pointer. */
CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...)
{
	va_list args;
	void *out;

	va_start(args, info);
	out = va_arg(args, void *);
	va_end(args);
	return calls.curl_easy_getinfo_call(easy, info, out);
}

CURL *curl_easy_init(void)
{
	return calls.curl_easy_init_call();
}

/* The number of an option determines the type of its value (curl.h), in steps
 * of ten thousand. */
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
	int type = (int)option - (int)option % CURLOPTTYPE_OBJECTPOINT;
	va_list args;
	CURLcode code;

	va_start(args, option);
	if (type == CURLOPTTYPE_LONG)
		code = calls.curl_easy_setopt_call(easy, option,
						   va_arg(args, long));
	else if (type == CURLOPTTYPE_OFF_T)
		code = calls.curl_easy_setopt_call(easy, option,
						   va_arg(args, curl_off_t));
	else if (type == CURLOPTTYPE_FUNCTIONPOINT)
		code = calls.curl_easy_setopt_call(
			easy, option, va_arg(args, void (*)(void)));
	else
		code = calls.curl_easy_setopt_call(easy, option,
						   va_arg(args, void *));
	va_end(args);
	return code;
}

const char *curl_easy_strerror(CURLcode code)
{
	return calls.curl_easy_strerror_call(code);
}

void curl_global_cleanup(void)
{
	calls.curl_global_cleanup_call();
}

CURLcode curl_global_init_mem(long flags, curl_malloc_callback alloc,
			      curl_free_callback release,
			      curl_realloc_callback grow,
			      curl_strdup_callback copy,
			      curl_calloc_callback zeroed)
{
	return calls.curl_global_init_mem_call(flags, alloc, release, grow,
					       copy, zeroed);
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy)
{
	return calls.curl_multi_add_handle_call(multi, easy);
}

CURLMcode curl_multi_cleanup(CURLM *multi)
{
	return calls.curl_multi_cleanup_call(multi);
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *left)
{
	return calls.curl_multi_info_read_call(multi, left);
}

CURLM *curl_multi_init(void)
{
	return calls.curl_multi_init_call();
}

CURLMcode curl_multi_perform(CURLM *multi, int *running)
{
	return calls.curl_multi_perform_call(multi, running);
}

CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd extra[],
			  unsigned int extra_count, int timeout_ms, int *ready)
{
	return calls.curl_multi_poll_call(multi, extra, extra_count, timeout_ms,
					  ready);
}

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy)
{
	return calls.curl_multi_remove_handle_call(multi, easy);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text)
{
	return calls.curl_slist_append_call(list, text);
}

void curl_slist_free_all(struct curl_slist *list)
{
	calls.curl_slist_free_all_call(list);
}
