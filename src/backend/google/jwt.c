/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_token.h"

#include "base/jsonw.h"
#include "base/num.h"
#include "base/out.h"

void base64url_add(struct buf *out, struct str bytes)
{
	size_t size = (bytes.len + 2) / 3 * 4, len = 0;
	char *room = buf_reserve(out, size + 1);

	if (!room)
		return;
	base64_encode((const unsigned char *)bytes.ptr, bytes.len, room);
	for (; len < size && room[len] != '='; len++) {
		if (room[len] == '+')
			room[len] = '-';
		else if (room[len] == '/')
			room[len] = '_';
	}
	buf_commit(out, len);
}

static void jwt_pair(struct jsonw *w, const char *key, const char *text)
{
	if (text)
		jsonw_pair_text(w, key, text);
}

static void write_header(struct jsonw *w, const struct jwt_claims *c)
{
	jsonw_object(w);
	jwt_pair(w, "alg", "RS256");
	jwt_pair(w, "typ", "JWT");
	jwt_pair(w, "kid", c->key_id);
	jsonw_object_end(w);
}

static void write_claims(struct jsonw *w, const struct jwt_claims *c)
{
	jsonw_object(w);
	jwt_pair(w, "iss", c->issuer);
	jwt_pair(w, "sub", c->subject);
	jwt_pair(w, "scope", c->scope);
	jwt_pair(w, "aud", c->audience);
	jsonw_addf(w, "iat:%jd, exp:%jd}", c->issued_s,
		   c->issued_s + JWT_LIFETIME_S);
}

static bool add_part(struct buf *out, const struct jwt_claims *c,
		     void (*write)(struct jsonw *w, const struct jwt_claims *c),
		     struct error *err)
{
	struct buf json;
	struct jsonw w;
	struct out memory;
	bool is_ok;

	buf_init(&json, JWT_BYTES);
	out_init_memory(&memory, &json);
	jsonw_init(&w, &memory, 0);
	write(&w, c);
	is_ok = out_finish(&memory, "a token", err) &&
		buf_check(&json, "a token", err);
	if (is_ok)
		base64url_add(out, buf_str(&json));
	out_release(&memory);
	buf_release(&json);
	return is_ok;
}

bool jwt_sign(const struct jwt_claims *c, const char *pem, struct buf *out,
	      struct error *err)
{
	struct buf signature;
	size_t start = out->len;
	bool is_ok;

	buf_init(&signature, JWT_BYTES);
	is_ok = add_part(out, c, write_header, err);
	buf_add_char(out, '.');
	is_ok = is_ok && add_part(out, c, write_claims, err) &&
		buf_check(out, "a token", err) &&
		rs256_sign(pem, str_slice(buf_str(out), start, out->len),
			   &signature, err);
	if (is_ok) {
		buf_add_char(out, '.');
		base64url_add(out, buf_str(&signature));
		is_ok = buf_check(out, "a token", err);
	}
	buf_release(&signature);
	return is_ok;
}
