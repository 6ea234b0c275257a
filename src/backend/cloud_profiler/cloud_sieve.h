/* SPDX-License-Identifier: Apache-2.0
 *
 * Drops the data of unwanted profiles out of a page of Cloud Profiler's list
 * while the page comes in. A page has 1,000 profiles of which a question is
 * about some ten; the others' data would be a hundred MiB.
 */
#ifndef BACKEND_CLOUD_SIEVE_H
#define BACKEND_CLOUD_SIEVE_H

#include "wire/http.h"

/* A profile's name in full, as in "projects/my-project/profiles/" and then
 * some 50 bytes of the server's making. Longer ones are kept. */
#define CLOUD_SIEVE_NAME_BYTES 256

struct cloud_sieve {
	struct http_sieve sieve; /* for struct http_request */
	bool (*is_wanted)(void *context, struct str name);
	void *context;
	/* private */
	unsigned depth;
	bool is_string;  /* between two quotes */
	bool is_escaped; /* behind a backslash */
	bool is_dropped; /* what stands in this string */
	bool is_plain;   /* the text below is the whole string so far */
	size_t len;
	char text[CLOUD_SIEVE_NAME_BYTES];
	/* Of the profile that is coming in. */
	enum { CLOUD_KEY_OTHER, CLOUD_KEY_NAME, CLOUD_KEY_BYTES } key;
	size_t name_len; /* 0: not known yet */
	char name[CLOUD_SIEVE_NAME_BYTES];
};

/* Data whose profile's name came before it and is not wanted becomes "". What
 * is not understood is passed on: the JSON reader judges it. */
void cloud_sieve_init(struct cloud_sieve *s,
		      bool (*is_wanted)(void *context, struct str name),
		      void *context);

#endif
