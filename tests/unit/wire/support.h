/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of wire/ and backend/ share: recorded answers, and a scripted server.
 */
#ifndef TEST_SOURCE_SUPPORT_H
#define TEST_SOURCE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "base/buf.h"
#include "wire/http.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define assert_contains(text, part)                                            \
	do {                                                                   \
		if (!strstr((text), (part)))                                   \
			fail_msg("\"%s\" lacks \"%s\"", (text), (part));       \
	} while (0)

#define assert_lacks(text, part)                                               \
	do {                                                                   \
		if (strstr((text), (part)))                                    \
			fail_msg("\"%s\" has \"%s\"", (text), (part));         \
	} while (0)

/* testdata/NAME as it is; release the buffer. */
struct buf testdata_read(const char *name);

/* testdata/answers/SERVER/CASE as http_run() would give it. */
struct http_response answer_load(const char *server, const char *name);

/* An answer made up here. */
struct http_response answer_make(int status, const char *content_type,
				 const char *body);

struct server {
	pid_t pid;
	int input; /* closing it ends the server */
	char url[64];
	char log_path[256];
};

/* Starts tests/server/server.py with this script; more arguments (NULL or up
 * to three) behind. */
void server_start(struct server *s, const char *script, const char *a,
		  const char *b, const char *c);
void server_stop(struct server *s);

/* The log so far: one JSON object a line. Release the buffer. */
struct buf server_log(const struct server *s);

/* How often part occurs. */
size_t count_of(const char *text, const char *part);

/* A path in a folder of this test; valid until the next call. */
const char *temp_path(const char *name);
void temp_write(const char *path, const void *data, size_t len);

#endif
