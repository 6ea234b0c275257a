/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON Web Tokens as service accounts sign them (RFC 7519, RFC 7523).
 */
#ifndef BACKEND_JWT_H
#define BACKEND_JWT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3), by which a service account
 * proves who it is. The only file that includes libcrypto, which the program
 * can be built without. */

/* Appends the signature of data, as bytes. The key is PEM, PKCS #8 or #1,
 * without a password; it is no part of any message. Fails (ERROR_AUTH) for what
 * is no RSA key, and when the program was built without libcrypto; when that is
 * not installed any more, as library_load() does. */
bool rs256_sign(const char *pem, struct str data, struct buf *signature,
		struct error *err) MUST_CHECK;

/* Room for a token: names and scopes of some hundred bytes, and a signature
 * of 256 (RSA of 2048 bits) to 2048 bytes. */
#define JWT_BYTES (16 * KIB)

/* The longest that Google takes. */
#define JWT_LIFETIME_S 3600

struct jwt_claims {
	const char *key_id;   /* kid of the header, or NULL */
	const char *issuer;   /* iss */
	const char *subject;  /* sub, or NULL */
	const char *scope;    /* blank-separated, or NULL */
	const char *audience; /* aud, or NULL */
	int64_t issued_s;     /* iat; exp is JWT_LIFETIME_S later */
};

/* Appends base64url without padding (RFC 7515, 2). */
void base64url_add(struct buf *out, struct str bytes);

/* Appends header.claims.signature, signed with the key (jwt.h). */
bool jwt_sign(const struct jwt_claims *claims, const char *pem, struct buf *out,
	      struct error *err) MUST_CHECK;

#endif
