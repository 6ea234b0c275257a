/* SPDX-License-Identifier: Apache-2.0
 *
 * RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3), by which a service account
 * proves who it is. The only file that includes libcrypto, which the program
 * can be built without.
 */
#ifndef BACKEND_RS256_H
#define BACKEND_RS256_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"

/* Appends the signature of data, as bytes. The key is PEM, PKCS #8 or #1,
 * without a password; it is no part of any message. Fails (ERROR_AUTH) for what
 * is no RSA key, and when the program was built without libcrypto; when that is
 * not installed any more, as library_load() does. */
bool rs256_sign(const char *pem, struct str data, struct buf *signature,
		struct error *err) MUST_CHECK;

#endif
