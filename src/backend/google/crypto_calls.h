/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of libcrypto that rs256.c calls (base/library.h).
 */
#ifndef BACKEND_CRYPTO_CALLS_H
#define BACKEND_CRYPTO_CALLS_H

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

/* LIBCRYPTO: the library of the version whose headers are included. */
LIBRARY_CALLS(CRYPTO_CALLS, LIBCRYPTO)

#define BIO_free LIBRARY_CALL(BIO_free)
#define BIO_new_mem_buf LIBRARY_CALL(BIO_new_mem_buf)
#define ERR_clear_error LIBRARY_CALL(ERR_clear_error)
#define EVP_DigestSign LIBRARY_CALL(EVP_DigestSign)
#define EVP_DigestSignInit LIBRARY_CALL(EVP_DigestSignInit)
#define EVP_MD_CTX_free LIBRARY_CALL(EVP_MD_CTX_free)
#define EVP_MD_CTX_new LIBRARY_CALL(EVP_MD_CTX_new)
#define EVP_PKEY_free LIBRARY_CALL(EVP_PKEY_free)
#define EVP_PKEY_get_base_id LIBRARY_CALL(EVP_PKEY_get_base_id)
#define EVP_sha256 LIBRARY_CALL(EVP_sha256)
#define PEM_read_bio_PrivateKey LIBRARY_CALL(PEM_read_bio_PrivateKey)

#endif
