/* SPDX-License-Identifier: Apache-2.0 */
#include "rsa_key.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/num.h"

#define PEM_BYTES 8192

static EVP_PKEY *key;

static void write_pem(EVP_PKEY *one, const char *password, char *out)
{
	BIO *bio = BIO_new(BIO_s_mem());
	int len;

	PEM_write_bio_PKCS8PrivateKey(
		bio, one, password ? EVP_aes_128_cbc() : NULL, password,
		password ? (int)strlen(password) : 0, NULL, NULL);
	len = BIO_read(bio, out, PEM_BYTES - 1);
	out[len > 0 ? len : 0] = '\0';
	BIO_free(bio);
}

const char *rsa_key_pem(void)
{
	static char pem[PEM_BYTES];

	if (!key) {
		key = EVP_RSA_gen(2048);
		write_pem(key, NULL, pem);
	}
	return pem;
}

const char *other_key_pem(void)
{
	static char pem[PEM_BYTES];
	EVP_PKEY *one = EVP_EC_gen("P-256");

	write_pem(one, NULL, pem);
	EVP_PKEY_free(one);
	return pem;
}

const char *locked_key_pem(void)
{
	static char pem[PEM_BYTES];

	(void)rsa_key_pem();
	write_pem(key, "password", pem);
	return pem;
}

bool rsa_key_verifies(struct str data, struct str signature)
{
	unsigned char bytes[1024];
	size_t len;
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool is_ok;

	is_ok = base64_decode(signature, bytes, sizeof bytes, &len) &&
		EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) ==
			1 &&
		EVP_DigestVerify(context, bytes, len,
				 (const unsigned char *)data.ptr,
				 data.len) == 1;
	EVP_MD_CTX_free(context);
	return is_ok;
}
