/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/calls.h"

#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/str.h"

/* Attributes that name a service, then those that name a host; newer names
 * before older ones of the same meaning. */
static const char *const services[] = { "service.peer.name", "peer.service" };
static const char *const hosts[] = { "server.address", "net.peer.name",
				     "http.host" };

#define SERVICES (sizeof services / sizeof *services)
#define HOSTS (sizeof hosts / sizeof *hosts)

/* Each host may have a name in its cluster, too. */
_Static_assert(SERVICES + 2 * HOSTS <= CALLEE_NAMES, "room for all names");

/* "pricing" of "pricing.prod.svc.cluster.local": of other domains the first
 * part may be anything. */
static struct str name_in_cluster(struct str host)
{
	size_t end = str_find(host, STR(".")), after;
	struct str rest;

	if (end == SIZE_MAX)
		return STR("");
	rest = str_slice(host, end + 1, host.len);
	after = str_find(rest, STR("."));
	if (after == SIZE_MAX)
		return STR("");
	rest = str_slice(rest, after + 1, rest.len);
	return str_equal(rest, STR("svc")) || str_starts(rest, STR("svc."))
		       ? str_slice(host, 0, end)
		       : STR("");
}

size_t calls_callee_names(const struct calls *c, uint32_t span,
			  struct str names[CALLEE_NAMES])
{
	size_t n = 0;

	for (size_t i = 0; i < SERVICES; i++) {
		struct str name = span_attr(c->t, span, str_from(services[i]));

		if (name.len)
			names[n++] = name;
	}
	for (size_t i = 0; i < HOSTS; i++) {
		struct str host = span_attr(c->t, span, str_from(hosts[i]));
		struct str inner;

		host = str_slice(host, 0, str_find(host, STR(":")));
		inner = name_in_cluster(host);
		if (host.len)
			names[n++] = host;
		if (inner.len)
			names[n++] = inner;
	}
	return n;
}

/* Words in names of spans that set up a connection: "http.tls", "dns.lookup",
 * "tcp.connect", "TLS client handshake shop.example". */
static const char *const set_up_words[] = { "dns",       "tls",     "ssl",
					    "handshake", "connect", "dial" };

/* Spans between one of these and its call. */
#define SET_UP_LEVELS 3

static bool has_set_up_word(struct str name)
{
	size_t start = 0;

	for (size_t i = 0; i <= name.len; i++) {
		if (i < name.len && ascii_is_letter(name.ptr[i]))
			continue;
		if (str_is_one_of_nocase(str_slice(name, start, i - start),
					 set_up_words, COUNT_OF(set_up_words)))
			return true;
		start = i + 1;
	}
	return false;
}

uint32_t calls_set_up(const struct calls *c, uint32_t span)
{
	const struct span *s = &c->t->spans[span];
	uint32_t at = s->parent;

	if (s->kind == SPAN_KIND_SERVER || s->kind == SPAN_KIND_CONSUMER ||
	    !has_set_up_word(span_name(c->t, span)))
		return SPAN_NONE;
	for (int i = 0; i < SET_UP_LEVELS && at != SPAN_NONE; i++) {
		const struct span *above = &c->t->spans[at];

		if (above->resource != s->resource)
			break;
		if (above->kind == SPAN_KIND_CLIENT)
			return at;
		at = above->parent;
	}
	return SPAN_NONE;
}

/* Listings read part by part: OFFSET and cursors of databases, page numbers
 * and tokens of addresses. Such calls repeat by design and are no N+1. */

/* MongoDB, Elasticsearch and cursors of SQL. */
static const char *const cursor_operations[] = { "getMore", "scroll", "fetch",
						 "search_after" };

/* Parameters of common pagination interfaces, among them those of GitHub,
 * Google, AWS, Kubernetes, JSON:API and OData; compared without case. */
static const char *const page_parameters[] = {
	"page",         "page[number]",
	"page[offset]", "page[cursor]",
	"page[after]",  "pageno",
	"page_no",      "pagenumber",
	"page_number",  "pageindex",
	"page_index",   "page_token",
	"pagetoken",    "next_token",
	"nexttoken",    "continue",
	"marker",       "cursor",
	"next_cursor",  "offset",
	"skip",         "$skip",
	"$skiptoken",   "start",
	"startat",      "start_after",
	"after",        "starting_after",
	"since_id",     "max_id",
	"scroll_id",    "continuation-token",
	"start-after",  "exclusivestartkey",
};

bool paging_is_cursor(struct str operation)
{
	return str_is_one_of_nocase(operation, cursor_operations,
				    COUNT_OF(cursor_operations));
}

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* Offset behind the word, or SIZE_MAX; the word is found without case. */
static size_t find_word(struct str text, const char *word)
{
	struct str wanted = str_from(word);

	for (size_t i = 0; i + wanted.len <= text.len; i++) {
		size_t end = i + wanted.len;

		if ((i && is_word(text.ptr[i - 1])) ||
		    (end < text.len && is_word(text.ptr[end])))
			continue;
		if (str_equal_nocase(str_slice(text, i, wanted.len), wanted))
			return end;
	}
	return SIZE_MAX;
}

/* Returns the text after the word, up to a blank; NULL ptr without the word. */
static struct str value_behind(struct str text, const char *word)
{
	size_t at = find_word(text, word);
	size_t len = 0;

	if (at == SIZE_MAX)
		return (struct str){ NULL, 0 };
	text = str_trim(str_slice(text, at, text.len));
	while (len < text.len && (unsigned char)text.ptr[len] > ' ' &&
	       text.ptr[len] != ')' && text.ptr[len] != ';')
		len++;
	return str_slice(text, 0, len);
}

/* A place in a listing that moved, or one that cannot be seen. */
static bool has_moved(struct str before, struct str after)
{
	return before.ptr && after.ptr &&
	       (!str_equal(before, after) || !str_is_digits(after));
}

bool paging_is_next_query(struct str before, struct str after)
{
	struct str limit = value_behind(after, "LIMIT");

	/* FETCH NEXT, FETCH FORWARD 100 FROM c: reads an open cursor. The
	 * clause OFFSET ... FETCH NEXT holds a SELECT. */
	if (str_equal_nocase(str_slice(str_trim(after), 0, 6), STR("FETCH ")) ||
	    str_find(after, STR("\"search_after\"")) != SIZE_MAX ||
	    str_find(after, STR("\"scroll_id\"")) != SIZE_MAX ||
	    str_find(after, STR("\"getMore\"")) != SIZE_MAX)
		return true;
	/* MySQL's LIMIT 200, 100. */
	if (str_find(limit, STR(",")) != SIZE_MAX &&
	    has_moved(value_behind(before, "LIMIT"), limit))
		return true;
	if (has_moved(value_behind(before, "OFFSET"),
		      value_behind(after, "OFFSET")))
		return true;
	/* WHERE id > ? ORDER BY id LIMIT 100: continues after the last row
	 * read. LIMIT 1 is common in mappers that read one row. */
	return limit.len && !str_equal(limit, STR("1")) &&
	       find_word(after, "ORDER") != SIZE_MAX &&
	       find_word(after, "WHERE") != SIZE_MAX &&
	       (str_find(after, STR(" > ")) != SIZE_MAX ||
		str_find(after, STR(" < ")) != SIZE_MAX);
}

/* Cuts the next name=value from the rest. */
static bool next_parameter(struct str *rest, struct str *name,
			   struct str *value)
{
	size_t end = str_find(*rest, STR("&"));
	struct str part;
	size_t eq;

	if (!rest->len)
		return false;
	end = end == SIZE_MAX ? rest->len : end;
	part = str_slice(*rest, 0, end);
	*rest = str_slice(*rest, end + 1, rest->len);
	eq = str_find(part, STR("="));
	*name = str_slice(part, 0, eq == SIZE_MAX ? part.len : eq);
	*value = str_slice(part, eq == SIZE_MAX ? part.len : eq + 1, part.len);
	return true;
}

/* The value of the first parameter that names a place in a listing. */
static struct str find_place(struct str url, struct str *place)
{
	size_t query = str_find(url, STR("?"));
	struct str rest = url;
	struct str name, value;

	/* A text without '?' is a query string itself, unless it is a path. */
	if (query != SIZE_MAX)
		rest = str_slice(url, query + 1, url.len);
	else if (str_find(url, STR("/")) != SIZE_MAX &&
		 str_find(url, STR("=")) == SIZE_MAX)
		rest.len = 0;
	while (next_parameter(&rest, &name, &value)) {
		if (str_is_one_of_nocase(name, page_parameters,
					 COUNT_OF(page_parameters))) {
			*place = value;
			return name;
		}
	}
	return (struct str){ NULL, 0 };
}

bool paging_is_next_url(struct str before, struct str after)
{
	struct str a = { "", 0 }, b = { "", 0 };
	struct str name = find_place(after, &b);

	if (str_find(after, STR("/_search/scroll")) != SIZE_MAX)
		return true;
	/* The first page often has no number or token. */
	return name.ptr && (!find_place(before, &a).ptr || !str_equal(a, b));
}

bool paging_is_any_query(struct str url)
{
	size_t end = str_find(url, STR("?"));

	return str_ends(str_slice(url, 0, end), STR("/graphql"));
}

/* From the path on. */
static struct str skip_host(struct str url)
{
	size_t at = str_find(url, STR("://"));

	if (at == SIZE_MAX)
		return url;
	url = str_slice(url, at + 3, url.len);
	at = str_find(url, STR("/"));
	return str_slice(url, at == SIZE_MAX ? url.len : at, url.len);
}

bool paging_is_same_path(struct str a, struct str b)
{
	return str_equal(skip_host(a), skip_host(b));
}

/* Room for one masked text; queries are trimmed to LIMIT_STRING_BYTES by the
 * decoders and masking only shortens, but for a few added characters. */
#define CALL_TEXT_BYTES (2 * LIMIT_STRING_BYTES)

/* Newer names come before older ones of the same meaning. */
enum attr_name {
	ATTR_DB_SYSTEM_NAME,
	ATTR_DB_SYSTEM,
	ATTR_DB_QUERY_TEXT,
	ATTR_DB_STATEMENT,
	ATTR_DB_QUERY_SUMMARY,
	ATTR_DB_COLLECTION,
	ATTR_DB_SQL_TABLE,
	ATTR_DB_MONGODB_COLLECTION,
	ATTR_DB_NAMESPACE,
	ATTR_DB_NAME,
	ATTR_DB_OPERATION_NAME,
	ATTR_DB_OPERATION,
	ATTR_HTTP_REQUEST_METHOD,
	ATTR_HTTP_METHOD,
	ATTR_URL_FULL,
	ATTR_HTTP_URL,
	ATTR_URL_PATH,
	ATTR_HTTP_TARGET,
	ATTR_URL_QUERY,
	ATTR_HTTP_RESEND_COUNT,
	ATTR_HTTP_RESPONSE_STATUS_CODE,
	ATTR_HTTP_STATUS_CODE,
	ATTR_RPC_GRPC_STATUS_CODE,
	ATTR_RPC_SYSTEM_NAME,
	ATTR_RPC_SYSTEM,
	ATTR_RPC_SERVICE,
	ATTR_RPC_METHOD,
	ATTR_MESSAGING_SYSTEM,
	ATTR_MESSAGING_DESTINATION_NAME,
	ATTR_MESSAGING_DESTINATION,
	ATTR_SERVICE_PEER_NAME,
	ATTR_PEER_SERVICE,
	ATTR_SERVER_ADDRESS,
	ATTR_NET_PEER_NAME,
	ATTR_HTTP_HOST,
	ATTR_NETWORK_PEER_ADDRESS,
	ATTR_COUNT,
};

static const char *const attr_names[ATTR_COUNT] = {
	[ATTR_DB_SYSTEM_NAME] = "db.system.name",
	[ATTR_DB_SYSTEM] = "db.system",
	[ATTR_DB_QUERY_TEXT] = "db.query.text",
	[ATTR_DB_STATEMENT] = "db.statement",
	[ATTR_DB_QUERY_SUMMARY] = "db.query.summary",
	[ATTR_DB_COLLECTION] = "db.collection.name",
	[ATTR_DB_SQL_TABLE] = "db.sql.table",
	[ATTR_DB_MONGODB_COLLECTION] = "db.mongodb.collection",
	[ATTR_DB_NAMESPACE] = "db.namespace",
	[ATTR_DB_NAME] = "db.name",
	[ATTR_DB_OPERATION_NAME] = "db.operation.name",
	[ATTR_DB_OPERATION] = "db.operation",
	[ATTR_HTTP_REQUEST_METHOD] = "http.request.method",
	[ATTR_HTTP_METHOD] = "http.method",
	[ATTR_URL_FULL] = "url.full",
	[ATTR_HTTP_URL] = "http.url",
	[ATTR_URL_PATH] = "url.path",
	[ATTR_HTTP_TARGET] = "http.target",
	[ATTR_URL_QUERY] = "url.query",
	[ATTR_HTTP_RESEND_COUNT] = "http.request.resend_count",
	[ATTR_HTTP_RESPONSE_STATUS_CODE] = "http.response.status_code",
	[ATTR_HTTP_STATUS_CODE] = "http.status_code",
	[ATTR_RPC_GRPC_STATUS_CODE] = "rpc.grpc.status_code",
	[ATTR_RPC_SYSTEM_NAME] = "rpc.system.name",
	[ATTR_RPC_SYSTEM] = "rpc.system",
	[ATTR_RPC_SERVICE] = "rpc.service",
	[ATTR_RPC_METHOD] = "rpc.method",
	[ATTR_MESSAGING_SYSTEM] = "messaging.system",
	[ATTR_MESSAGING_DESTINATION_NAME] = "messaging.destination.name",
	[ATTR_MESSAGING_DESTINATION] = "messaging.destination",
	[ATTR_SERVICE_PEER_NAME] = "service.peer.name",
	[ATTR_PEER_SERVICE] = "peer.service",
	[ATTR_SERVER_ADDRESS] = "server.address",
	[ATTR_NET_PEER_NAME] = "net.peer.name",
	[ATTR_HTTP_HOST] = "http.host",
	[ATTR_NETWORK_PEER_ADDRESS] = "network.peer.address",
};

static const char *const cache_systems[] = { "redis", "memcached", "valkey",
					     "keydb", "dragonfly" };

/* Databases that are a library: engines of files and of memory. */
static const char *const embedded_systems[] = {
	"sqlite", "rocksdb", "leveldb", "badger", "bolt",   "bbolt",
	"pebble", "duckdb",  "lmdb",    "h2",     "hsqldb", "derby",
};

/* Wrapper spans looked through to find the call inside. */
#define CHAIN_SPANS 4

/* How a text is masked. */
enum mask { MASK_URL = 0, MASK_QUERY, MASK_PATH, MASK_NAME };

struct call_words {
	uint32_t symbol[ATTR_COUNT]; /* TEXT_NONE: not in this trace */
};

/* Symbols of a span's attributes by name, 0 when absent. */
struct call_attrs {
	uint32_t value[ATTR_COUNT];
};

/* Used while keys are made: text of an attribute value -> number of its masked
 * text; masked text -> number; whole key -> number. */
struct call_keys {
	struct arena scratch;
	struct map text_of_symbol;
	struct map texts;
	struct map keys;
	struct buf text;
	uint32_t text_count;
	uint32_t key_count;
};

struct call_key {
	uint32_t service;
	uint32_t name;
	uint32_t text;
	uint32_t kinds; /* span kind and call kind */
};

/* Marks keys that do not include the callee. */
#define KINDS_LIKE (1u << 16)

static struct call_attrs read_attrs(const struct calls *c, uint32_t span)
{
	const struct span *s = &c->t->spans[span];
	struct call_attrs found = { { 0 } };

	for (uint32_t i = 0; i < s->attr_count; i++) {
		const struct attr *a = &c->t->attrs[s->attr_first + i];

		for (unsigned n = 0; n < ATTR_COUNT; n++) {
			if (a->key == c->words->symbol[n])
				found.value[n] = a->value;
		}
	}
	return found;
}

/* The first known of the names from..to. */
static uint32_t call_attr_pick(const struct call_attrs *a, enum attr_name from,
			       enum attr_name to)
{
	for (unsigned n = from; n <= to; n++) {
		if (a->value[n])
			return a->value[n];
	}
	return 0;
}

static struct str pick_text(const struct calls *c, const struct call_attrs *a,
			    enum attr_name from, enum attr_name to)
{
	return trace_text(c->t, call_attr_pick(a, from, to));
}

static uint32_t db_system(const struct call_attrs *a)
{
	return call_attr_pick(a, ATTR_DB_SYSTEM_NAME, ATTR_DB_SYSTEM);
}

static uint32_t db_text(const struct call_attrs *a)
{
	return call_attr_pick(a, ATTR_DB_QUERY_TEXT, ATTR_DB_QUERY_SUMMARY);
}

static uint32_t http_url(const struct call_attrs *a)
{
	return call_attr_pick(a, ATTR_URL_FULL, ATTR_HTTP_TARGET);
}

/* Server and consumer spans carry http and messaging attributes too, but
 * they are work done here, not calls. */
static enum call_kind kind_of(const struct calls *c, uint32_t span,
			      const struct call_attrs *a)
{
	uint8_t kind = c->t->spans[span].kind;

	if (kind == SPAN_KIND_SERVER || kind == SPAN_KIND_CONSUMER)
		return CALL_NONE;
	if (db_system(a) || db_text(a))
		return str_is_one_of_nocase(trace_text(c->t, db_system(a)),
					    cache_systems,
					    COUNT_OF(cache_systems))
			       ? CALL_CACHE
			       : CALL_DATABASE;
	if (kind == SPAN_KIND_PRODUCER)
		return CALL_MESSAGE;
	if (kind != SPAN_KIND_CLIENT)
		return CALL_NONE;
	if (call_attr_pick(a, ATTR_RPC_SYSTEM_NAME, ATTR_RPC_METHOD))
		return CALL_RPC;
	if (call_attr_pick(a, ATTR_HTTP_REQUEST_METHOD, ATTR_HTTP_TARGET))
		return CALL_HTTP;
	if (call_attr_pick(a, ATTR_MESSAGING_SYSTEM,
			   ATTR_MESSAGING_DESTINATION))
		return CALL_MESSAGE;
	return CALL_OTHER;
}

/* A path segment that names one of many things: all digits, or eight and
 * more of hex digits and dashes with a digit among them. */
static bool is_id_segment(struct str segment)
{
	size_t digits = 0;

	for (size_t i = 0; i < segment.len; i++) {
		char ch = segment.ptr[i];

		if (ascii_is_digit(ch))
			digits++;
		else if (ch != '-' && !ascii_is_hex(ch))
			return false;
	}
	return digits && (digits == segment.len || segment.len >= 8);
}

/* Path of a URL or target without scheme, host, query and fragment, ids
 * replaced by {id}. */
static void add_url_path(struct str url, struct buf *out)
{
	size_t start = 0;

	url = skip_host(url);
	for (size_t at = 0; at <= url.len; at++) {
		char ch = at < url.len ? url.ptr[at] : '\0';
		struct str segment = str_slice(url, start, at - start);

		if (at < url.len && ch != '/' && ch != '?' && ch != '#')
			continue;
		if (is_id_segment(segment))
			buf_add_text(out, "{id}");
		else
			buf_add_str(out, segment);
		if (ch != '/')
			return;
		buf_add_char(out, ch);
		start = at + 1;
	}
}

/* The host of a URL with its port, without user and password. */
static struct str url_host(struct str url)
{
	size_t at = str_find(url, STR("://"));
	size_t len = 0;

	if (at == SIZE_MAX)
		return (struct str){ "", 0 };
	url = str_slice(url, at + 3, url.len);
	while (len < url.len && url.ptr[len] != '/' && url.ptr[len] != '?' &&
	       url.ptr[len] != '#')
		len++;
	url = str_slice(url, 0, len);
	at = str_find(url, STR("@"));
	return at == SIZE_MAX ? url : str_slice(url, at + 1, url.len);
}

static uint32_t peer_symbol(const struct call_attrs *a)
{
	return call_attr_pick(a, ATTR_SERVICE_PEER_NAME,
			      ATTR_NETWORK_PEER_ADDRESS);
}

bool calls_is_outside(const struct calls *c, uint32_t span)
{
	struct call_attrs a;

	if (c->kind[span] != CALL_DATABASE)
		return c->kind[span] != CALL_NONE;
	a = read_attrs(c, span);
	return peer_symbol(&a) ||
	       !str_is_one_of_nocase(trace_text(c->t, db_system(&a)),
				     embedded_systems,
				     COUNT_OF(embedded_systems));
}

/* The number of a masked text, new or known. */
static bool number_text(struct call_keys *k, struct str text, uint32_t *id)
{
	uint32_t known = map_find(&k->texts, text);
	struct str copy;

	if (known != MAP_NONE) {
		*id = known;
		return true;
	}
	copy = arena_str(&k->scratch, text);
	if (!copy.ptr || !map_insert(&k->texts, copy, k->text_count, id))
		return false;
	k->text_count++;
	return true;
}

static void mask_text(struct str text, enum mask mask, struct buf *out)
{
	switch (mask) {
	case MASK_QUERY:
		query_normalize(text, out);
		break;
	case MASK_NAME:
		/* "shard-12" and "shard-7" are names of one kind of thing. */
		for (size_t i = 0; i < text.len; i++)
			if (!ascii_is_digit(text.ptr[i]))
				buf_add_char(out, text.ptr[i]);
			else if (!i || !ascii_is_digit(text.ptr[i - 1]))
				buf_add_char(out, '#');
		break;
	case MASK_URL:
		buf_add_str(out, url_host(text));
		add_url_path(text, out);
		break;
	case MASK_PATH:
		add_url_path(text, out);
		break;
	}
}

/* Masks the text of a symbol once, however many spans carry it. */
static bool number_symbol(struct call_keys *k, const struct calls *c,
			  uint32_t symbol, enum mask mask, uint32_t *id)
{
	uint64_t key = (uint64_t)symbol << 2 | mask;
	uint32_t known = map_find_u64(&k->text_of_symbol, key);

	if (known != MAP_NONE) {
		*id = known;
		return true;
	}
	buf_clear(&k->text);
	mask_text(trace_text(c->t, symbol), mask, &k->text);
	return k->text.state == BUF_OK &&
	       number_text(k, buf_str(&k->text), id) &&
	       map_insert_u64(&k->text_of_symbol, key, *id, &known);
}

/* Numbers calls by the attributes that distinguish two calls of one name. */
static bool number_call(struct call_keys *k, const struct calls *c,
			const struct call_attrs *a, enum call_kind kind,
			uint32_t *id)
{
	*id = 0;
	if (kind == CALL_DATABASE || kind == CALL_CACHE) {
		if (db_text(a))
			return number_symbol(k, c, db_text(a), MASK_QUERY, id);
		return number_text(k,
				   pick_text(c, a, ATTR_DB_COLLECTION,
					     ATTR_DB_MONGODB_COLLECTION),
				   id);
	}
	if (kind == CALL_HTTP && http_url(a))
		return number_symbol(k, c, http_url(a), MASK_URL, id);
	if (kind == CALL_RPC)
		return number_text(
			k, pick_text(c, a, ATTR_RPC_METHOD, ATTR_RPC_METHOD),
			id);
	if (kind != CALL_NONE)
		return number_text(k,
				   pick_text(c, a,
					     ATTR_MESSAGING_DESTINATION_NAME,
					     ATTR_NETWORK_PEER_ADDRESS),
				   id);
	return true;
}

static bool number_key(struct call_keys *k, const struct call_key *key,
		       uint32_t *id)
{
	struct str bytes = { (const char *)key, sizeof *key };
	struct str copy;

	*id = map_find(&k->keys, bytes);
	if (*id != MAP_NONE)
		return true;
	copy = arena_str(&k->scratch, bytes);
	return copy.ptr && map_insert(&k->keys, copy, k->key_count++, id);
}

/* The same without the name of who is called: attempts at another host and
 * shards behind different addresses are alike. */
static bool number_like(struct call_keys *k, const struct calls *c,
			const struct call_attrs *a, uint32_t span,
			struct call_key key)
{
	enum call_kind kind = (enum call_kind)c->kind[span];

	key.kinds |= KINDS_LIKE;
	if (!number_symbol(k, c, key.name, MASK_NAME, &key.name))
		return false;
	if (kind == CALL_HTTP && http_url(a) &&
	    !number_symbol(k, c, http_url(a), MASK_PATH, &key.text))
		return false;
	if (kind == CALL_OTHER)
		key.text = 0;
	return number_key(k, &key, &c->like[span]);
}

static bool build_span(struct call_keys *k, struct calls *c, uint32_t span)
{
	const struct span *s = &c->t->spans[span];
	struct call_attrs a = read_attrs(c, span);
	enum call_kind kind = kind_of(c, span, &a);
	struct call_key key = {
		.service = c->t->resources[s->resource].service,
		.name = s->name,
		.kinds = (uint32_t)s->kind << 8 | (uint32_t)kind,
	};

	c->kind[span] = (uint8_t)kind;
	return number_call(k, c, &a, kind, &key.text) &&
	       number_key(k, &key, &c->key[span]) &&
	       number_like(k, c, &a, span, key);
}

bool calls_build(const struct trace *t, struct arena *arena, struct calls *out,
		 struct error *err)
{
	struct call_keys k = { 0 };
	bool is_done;

	*out = (struct calls){ .t = t };
	out->words = arena_alloc(arena, sizeof *out->words);
	out->kind = arena_array(arena, t->span_count, sizeof *out->kind);
	out->key = arena_array(arena, t->span_count, sizeof *out->key);
	out->like = arena_array(arena, t->span_count, sizeof *out->like);
	if (!out->words || !out->kind || !out->key || !out->like)
		return arena_fail(arena, "the trace", err);
	for (unsigned n = 0; n < ATTR_COUNT; n++)
		out->words->symbol[n] =
			symtab_find(&t->symtab, str_from(attr_names[n]));
	arena_init(&k.scratch, LIMIT_DECODE_HEAP_BYTES);
	map_init(&k.text_of_symbol, &k.scratch);
	map_init(&k.texts, &k.scratch);
	map_init(&k.keys, &k.scratch);
	buf_init(&k.text, CALL_TEXT_BYTES);
	is_done = number_text(&k, STR(""), &(uint32_t){ 0 });
	for (uint32_t i = 0; is_done && i < t->span_count; i++)
		is_done = build_span(&k, out, i);
	if (!is_done && buf_check(&k.text, "a query", err))
		arena_fail(&k.scratch, "the trace", err);
	buf_release(&k.text);
	arena_release(&k.scratch);
	return is_done;
}

void calls_describe(const struct calls *c, uint32_t span, const char *verb,
		    struct buf *out)
{
	struct call_attrs a = read_attrs(c, span);
	struct str text;

	switch ((enum call_kind)c->kind[span]) {
	case CALL_DATABASE:
	case CALL_CACHE:
		if (!db_text(&a))
			break;
		query_mask(trace_text(c->t, db_text(&a)), out);
		return;
	case CALL_HTTP:
		if (!http_url(&a))
			break;
		text = pick_text(c, &a, ATTR_HTTP_REQUEST_METHOD,
				 ATTR_HTTP_METHOD);
		buf_add_str(out, text.len ? text : str_from(verb));
		buf_add_char(out, ' ');
		add_url_path(trace_text(c->t, http_url(&a)), out);
		return;
	default:
		break;
	}
	buf_add_str(out, span_name(c->t, span));
}

void calls_peer(const struct calls *c, uint32_t span, struct buf *out)
{
	struct call_attrs a = read_attrs(c, span);
	struct str system =
		pick_text(c, &a, ATTR_DB_SYSTEM_NAME, ATTR_DB_SYSTEM);
	struct str peer = trace_text(c->t, peer_symbol(&a));

	if (!system.len)
		system = pick_text(c, &a, ATTR_MESSAGING_SYSTEM,
				   ATTR_MESSAGING_SYSTEM);
	if (!peer.len)
		peer = url_host(pick_text(c, &a, ATTR_URL_FULL, ATTR_HTTP_URL));
	if (!peer.len)
		peer = pick_text(c, &a, ATTR_DB_NAMESPACE, ATTR_DB_NAME);
	if (!peer.len)
		peer = pick_text(c, &a, ATTR_MESSAGING_DESTINATION_NAME,
				 ATTR_MESSAGING_DESTINATION);
	if (!peer.len)
		peer = pick_text(c, &a, ATTR_RPC_SERVICE, ATTR_RPC_METHOD);
	buf_add_str(out, system.len ? system : peer);
	if (system.len && peer.len) {
		buf_add_text(out, " (");
		buf_add_str(out, peer);
		buf_add_char(out, ')');
	}
}

bool calls_text_is_whole(const struct calls *c, uint32_t span)
{
	struct call_attrs a = read_attrs(c, span);
	struct str text =
		trace_text(c->t, call_attr_pick(&a, ATTR_DB_QUERY_TEXT,
						ATTR_DB_STATEMENT));

	if (c->kind[span] == CALL_HTTP)
		return !paging_is_any_query(trace_text(c->t, http_url(&a)));
	if (c->kind[span] != CALL_DATABASE || !text.len)
		return true;
	return !str_ends(text, STR("...")) && memchr(text.ptr, ' ', text.len);
}

bool calls_is_page(const struct calls *c, uint32_t before, uint32_t after)
{
	struct call_attrs a = read_attrs(c, before);
	struct call_attrs b = read_attrs(c, after);
	uint32_t operation =
		call_attr_pick(&b, ATTR_DB_OPERATION_NAME, ATTR_DB_OPERATION);

	if (paging_is_cursor(trace_text(c->t, operation)))
		return true;
	if (db_text(&a) || db_text(&b))
		return paging_is_next_query(trace_text(c->t, db_text(&a)),
					    trace_text(c->t, db_text(&b)));
	if (c->kind[after] != CALL_HTTP)
		return false;
	return paging_is_next_url(trace_text(c->t, http_url(&a)),
				  trace_text(c->t, http_url(&b))) ||
	       paging_is_next_url(trace_text(c->t, a.value[ATTR_URL_QUERY]),
				  trace_text(c->t, b.value[ATTR_URL_QUERY]));
}

bool calls_is_same_request(const struct calls *c, uint32_t a, uint32_t b)
{
	struct call_attrs left = read_attrs(c, a);
	struct call_attrs right = read_attrs(c, b);

	if (db_text(&left) != db_text(&right) ||
	    left.value[ATTR_URL_QUERY] != right.value[ATTR_URL_QUERY])
		return false;
	return paging_is_same_path(trace_text(c->t, http_url(&left)),
				   trace_text(c->t, http_url(&right)));
}

/* Most traces hold none of these attributes. */
static bool is_known(const struct calls *c, enum attr_name from,
		     enum attr_name to)
{
	for (unsigned n = from; n <= to; n++) {
		if (c->words->symbol[n] != TEXT_NONE)
			return true;
	}
	return false;
}

bool calls_is_resent(const struct calls *c, uint32_t span)
{
	struct call_attrs a;
	struct str count;

	if (!is_known(c, ATTR_HTTP_RESEND_COUNT, ATTR_HTTP_RESEND_COUNT))
		return false;
	a = read_attrs(c, span);
	count = trace_text(c->t, a.value[ATTR_HTTP_RESEND_COUNT]);
	return count.len && !str_equal(count, STR("0"));
}

bool calls_has_failed(const struct calls *c, uint32_t span)
{
	struct call_attrs a;
	struct str code;

	if (c->t->spans[span].flags & SPAN_IS_ERROR)
		return true;
	if (c->kind[span] == CALL_NONE ||
	    !is_known(c, ATTR_HTTP_RESPONSE_STATUS_CODE,
		      ATTR_RPC_GRPC_STATUS_CODE))
		return false;
	a = read_attrs(c, span);
	code = pick_text(c, &a, ATTR_HTTP_RESPONSE_STATUS_CODE,
			 ATTR_HTTP_STATUS_CODE);
	/* Timeout, too many requests, and what servers own up to. */
	if (code.len == 3 &&
	    (code.ptr[0] == '5' || str_equal(code, STR("408")) ||
	     str_equal(code, STR("429"))))
		return true;
	code = trace_text(c->t, a.value[ATTR_RPC_GRPC_STATUS_CODE]);
	return code.len && !str_equal(code, STR("0"));
}

uint32_t calls_inside(const struct calls *c, uint32_t span)
{
	const struct trace *t = c->t;
	const struct span *top = &t->spans[span];
	uint32_t at = span;

	for (int i = 0; i < CHAIN_SPANS; i++) {
		const struct span *s = &t->spans[at];

		if (c->kind[at] != CALL_NONE)
			return span_duration_ns(s) >= span_duration_ns(top) / 2
				       ? at
				       : SPAN_NONE;
		if (s->kind != SPAN_KIND_INTERNAL || s->child_count != 1 ||
		    s->resource != top->resource)
			break;
		at = t->children[s->child_first];
	}
	return SPAN_NONE;
}

bool span_is_served_call(const struct trace *t, uint32_t server)
{
	const struct span *s = &t->spans[server];

	return s->kind == SPAN_KIND_SERVER && s->parent != SPAN_NONE &&
	       t->spans[s->parent].kind == SPAN_KIND_CLIENT;
}

uint32_t span_server_side(const struct trace *t, uint32_t client)
{
	const struct span *s = &t->spans[client];

	for (uint32_t i = 0; s->kind == SPAN_KIND_CLIENT && i < s->child_count;
	     i++) {
		uint32_t child = t->children[s->child_first + i];

		if (span_is_served_call(t, child))
			return child;
	}
	return SPAN_NONE;
}

bool span_is_awaited(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];

	if (s->flags & SPAN_IS_AWAITED)
		return true;
	if (s->flags & SPAN_IS_FOLLOWS_FROM)
		return false;
	if (s->kind != SPAN_KIND_CONSUMER || s->parent == SPAN_NONE)
		return true;
	/* A client may wait for the answer to its message. */
	return t->spans[s->parent].kind == SPAN_KIND_CLIENT ||
	       (t->spans[s->parent].kind != SPAN_KIND_PRODUCER &&
		t->spans[s->parent].resource == s->resource);
}
