/* SPDX-License-Identifier: Apache-2.0
 *
 * libcurl's functions under their own names, for builds that load it late:
 * curl_calls.c forwards each call. For curl_calls.c and http.c only.
 */
#ifndef WIRE_CURL_CALLS_H
#define WIRE_CURL_CALLS_H

#include <curl/curl.h>

#include "base/library.h"

#define CURL_CALLS(X)                                                          \
	X(curl_easy_cleanup)                                                   \
	X(curl_easy_getinfo)                                                   \
	X(curl_easy_init)                                                      \
	X(curl_easy_setopt)                                                    \
	X(curl_easy_strerror)                                                  \
	X(curl_global_cleanup)                                                 \
	X(curl_global_init_mem)                                                \
	X(curl_multi_add_handle)                                               \
	X(curl_multi_cleanup)                                                  \
	X(curl_multi_info_read)                                                \
	X(curl_multi_init)                                                     \
	X(curl_multi_perform)                                                  \
	X(curl_multi_poll)                                                     \
	X(curl_multi_remove_handle)                                            \
	X(curl_slist_append)                                                   \
	X(curl_slist_free_all)

LIBRARY_LATE_CALLS(CURL_CALLS, curl_calls_load)

#endif
