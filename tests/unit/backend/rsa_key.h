/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys for tests that sign, made when the test runs: they open nothing.
 */
#ifndef TEST_SOURCE_RSA_KEY_H
#define TEST_SOURCE_RSA_KEY_H

#include <stdbool.h>

#include "base/str.h"

/* A private key in PEM form; the same in each call. */
const char *rsa_key_pem(void);

/* A key of another kind, and one with a password. */
const char *other_key_pem(void);
const char *locked_key_pem(void);

/* Whether the base64url signature is that of data by rsa_key_pem(). */
bool rsa_key_verifies(struct str data, struct str signature);

#endif
