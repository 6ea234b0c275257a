/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of libcrypto under their own names, for a program that is not
 * linked with it: crypto_calls.c passes each call on. For source/rs256.c
 * alone.
 */
#ifndef SOURCE_CRYPTO_CALLS_H
#define SOURCE_CRYPTO_CALLS_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/library.h"

#define CRYPTO_CALLS(X)                                                        \
	X(BIO_free)                                                            \
	X(BIO_new_mem_buf)                                                     \
	X(ERR_clear_error)                                                     \
	X(EVP_DigestSign)                                                      \
	X(EVP_DigestSignInit)                                                  \
	X(EVP_MD_CTX_free)                                                     \
	X(EVP_MD_CTX_new)                                                      \
	X(EVP_PKEY_free)                                                       \
	X(EVP_PKEY_get_base_id)                                                \
	X(EVP_sha256)                                                          \
	X(PEM_read_bio_PrivateKey)

#ifdef LAZY_LIBRARIES
CRYPTO_CALLS(LIBRARY_LATE)

/* Before any other call. Loads the library the first time. */
bool crypto_calls_load(struct error *err) MUST_CHECK;
#else
static inline bool crypto_calls_load(struct error *err)
{
	(void)err;
	return true;
}
#endif

#endif
