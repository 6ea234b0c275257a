/* SPDX-License-Identifier: Apache-2.0 */
#include "source/crypto_calls.h"

#include "base/count.h"

static struct {
	CRYPTO_CALLS(LIBRARY_MEMBER)
} calls;

bool crypto_calls_load(struct error *err)
{
	static const struct library_symbol symbols[] = { CRYPTO_CALLS(
		LIBRARY_SYMBOL) };
	static bool is_loaded;

	/* LIBCRYPTO: by the version whose headers these are. */
	if (!is_loaded)
		is_loaded = library_load(LIBCRYPTO, symbols, COUNT_OF(symbols),
					 err);
	return is_loaded;
}

int BIO_free(BIO *bio)
{
	return calls.BIO_free_call(bio);
}

BIO *BIO_new_mem_buf(const void *bytes, int len)
{
	return calls.BIO_new_mem_buf_call(bytes, len);
}

void ERR_clear_error(void)
{
	calls.ERR_clear_error_call();
}

int EVP_DigestSign(EVP_MD_CTX *context, unsigned char *signature, size_t *size,
		   const unsigned char *bytes, size_t len)
{
	return calls.EVP_DigestSign_call(context, signature, size, bytes, len);
}

int EVP_DigestSignInit(EVP_MD_CTX *context, EVP_PKEY_CTX **key_context,
		       const EVP_MD *digest, ENGINE *engine, EVP_PKEY *key)
{
	return calls.EVP_DigestSignInit_call(context, key_context, digest,
					     engine, key);
}

void EVP_MD_CTX_free(EVP_MD_CTX *context)
{
	calls.EVP_MD_CTX_free_call(context);
}

EVP_MD_CTX *EVP_MD_CTX_new(void)
{
	return calls.EVP_MD_CTX_new_call();
}

void EVP_PKEY_free(EVP_PKEY *key)
{
	calls.EVP_PKEY_free_call(key);
}

int EVP_PKEY_get_base_id(const EVP_PKEY *key)
{
	return calls.EVP_PKEY_get_base_id_call(key);
}

const EVP_MD *EVP_sha256(void)
{
	return calls.EVP_sha256_call();
}

EVP_PKEY *PEM_read_bio_PrivateKey(BIO *bio, EVP_PKEY **key,
				  pem_password_cb *password, void *context)
{
	return calls.PEM_read_bio_PrivateKey_call(bio, key, password, context);
}
