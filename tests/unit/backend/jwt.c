/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/google/google_token.h"

#include <stdio.h>

#include "../wire/support.h"
#include "base/num.h"

#ifdef HAVE_LIBCRYPTO
#include "rsa_key.h"
#endif

static void assert_coded(const char *bytes, size_t len, const char *wanted)
{
	struct buf out;

	buf_init(&out, 100);
	base64url_add(&out, (struct str){ bytes, len });
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

/* RFC 4648, 10, without its padding; the two letters that differ. */
static void test_base64url(void **state)
{
	(void)state;
	assert_coded("", 0, "");
	assert_coded("f", 1, "Zg");
	assert_coded("fo", 2, "Zm8");
	assert_coded("foo", 3, "Zm9v");
	assert_coded("foob", 4, "Zm9vYg");
	assert_coded("\xfb\xff\xfe", 3, "-__-");
}

static void assert_refused(const char *pem, const char *message)
{
	struct jwt_claims claims = { .issuer = "a", .issued_s = 1 };
	struct buf out;
	struct error err;

	buf_init(&out, JWT_BYTES);
	assert_false(jwt_sign(&claims, pem, &out, &err));
	assert_int_equal(err.code, ERROR_AUTH);
	assert_contains(err.message, message);
	buf_release(&out);
}

#ifdef HAVE_LIBCRYPTO

/* Part 0, 1 or 2, decoded. */
static const char *part_of(const char *jwt, int part)
{
	static unsigned char plain[2048];
	const char *end;
	size_t len;

	for (; part > 0; part--)
		jwt = strchr(jwt, '.') + 1;
	end = strchr(jwt, '.');
	assert_true(base64_decode((struct str){ jwt, (size_t)(end - jwt) },
				  plain, sizeof plain - 1, &len));
	plain[len] = '\0';
	return (const char *)plain;
}

static void test_signed(void **state)
{
	struct jwt_claims claims = { .key_id = "k\"1",
				     .issuer = "me@p.example",
				     .scope = "a b",
				     .audience = "https://x/token",
				     .issued_s = 1700000000 };
	struct buf out;
	struct error err;
	struct str whole;
	size_t dot;

	(void)state;
	buf_init(&out, JWT_BYTES);
	assert_true(jwt_sign(&claims, rsa_key_pem(), &out, &err));
	whole = buf_str(&out);
	assert_string_equal(
		part_of(whole.ptr, 0),
		"{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"k\\\"1\"}");
	assert_string_equal(part_of(whole.ptr, 1),
			    "{\"iss\":\"me@p.example\",\"scope\":\"a b\","
			    "\"aud\":\"https://x/token\",\"iat\":1700000000,"
			    "\"exp\":1700003600}");
	dot = (size_t)(strrchr(whole.ptr, '.') - whole.ptr);
	/* 2048 bits are 256 bytes, 342 letters. */
	assert_int_equal(whole.len - dot - 1, 342);
	assert_true(rsa_key_verifies(str_slice(whole, 0, dot),
				     str_slice(whole, dot + 1, whole.len)));
	assert_false(rsa_key_verifies(str_slice(whole, 0, dot - 1),
				      str_slice(whole, dot + 1, whole.len)));
	buf_release(&out);
}

static void test_keys(void **state)
{
	char cut[400];

	(void)state;
	assert_refused("", "is no private key in PEM form");
	assert_refused("hunter2", "is no private key in PEM form");
	assert_refused(locked_key_pem(), "or has a password");
	assert_refused(other_key_pem(), "\"private_key\" is no RSA key");
	snprintf(cut, sizeof cut, "%s", rsa_key_pem());
	assert_refused(cut, "is no private key in PEM form");
}

#else

static void test_keys(void **state)
{
	(void)state;
	assert_refused("any", "was built without; use your own login");
}

#endif

UNIT_TESTS(jwt)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base64url),
		cmocka_unit_test(test_keys),
#ifdef HAVE_LIBCRYPTO
		cmocka_unit_test(test_signed),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
