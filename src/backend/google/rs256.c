/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_token.h"

#ifdef HAVE_LIBCRYPTO

#include <limits.h>
#include <string.h>

#include "backend/google/crypto_calls.h"

/* Replaces the library's callback, which would prompt on the terminal. */
static int no_password(char *room, int size, int is_writing, void *context)
{
	(void)room;
	(void)size;
	(void)is_writing;
	(void)context;
	return -1;
}

static EVP_PKEY *read_key(const char *pem, struct error *err)
{
	size_t len = strlen(pem);
	BIO *bio = len <= INT_MAX ? BIO_new_mem_buf(pem, (int)len) : NULL;
	EVP_PKEY *key = NULL;

	if (bio)
		key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
	BIO_free(bio);
	if (!key) {
		error_set(err, ERROR_AUTH,
			  "\"private_key\" is no private key in PEM form, or "
			  "has a password");
		return NULL;
	}
	if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA)
		return key;
	EVP_PKEY_free(key);
	error_set(err, ERROR_AUTH, "\"private_key\" is no RSA key");
	return NULL;
}

static bool digest_sign(EVP_MD_CTX *context, EVP_PKEY *key, struct str data,
			struct buf *signature, struct error *err)
{
	const unsigned char *bytes = (const unsigned char *)data.ptr;
	size_t size = 0;
	char *room;

	/* The library pads with PKCS #1 v1.5 by default. */
	if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) != 1 ||
	    EVP_DigestSign(context, NULL, &size, bytes, data.len) != 1)
		return error_set(err, ERROR_AUTH,
				 "\"private_key\" cannot sign");
	room = buf_reserve(signature, size);
	if (!room)
		return buf_check(signature, "a signature", err);
	if (EVP_DigestSign(context, (unsigned char *)room, &size, bytes,
			   data.len) != 1)
		return error_set(err, ERROR_AUTH,
				 "\"private_key\" cannot sign");
	buf_commit(signature, size);
	return true;
}

bool rs256_sign(const char *pem, struct str data, struct buf *signature,
		struct error *err)
{
	EVP_MD_CTX *context;
	EVP_PKEY *key;
	bool is_done = false;

	if (!calls_load(err))
		return false;
	key = read_key(pem, err);
	context = key ? EVP_MD_CTX_new() : NULL;
	if (context)
		is_done = digest_sign(context, key, data, signature, err);
	else if (key)
		error_memory(err, "a signature");
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key); /* wipes it */
	ERR_clear_error();
	return is_done;
}

#else

bool rs256_sign(const char *pem, struct str data, struct buf *signature,
		struct error *err)
{
	(void)pem;
	(void)data;
	(void)signature;
	return error_set(
		err, ERROR_AUTH,
		"the key of a service account needs libcrypto, which "
		"this tracefind was built without; use your own login "
		"(gcloud auth application-default login), "
		"token-command = gcloud auth print-access-token in the "
		"configuration, or a machine with a service account");
}

#endif
