/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http.h"

#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/redact.h"
#include "wire/url.h"

static void add_option(struct buf *line, const char *option, struct str value)
{
	buf_addf(line, " %s", option);
	shell_word_add(line, value);
}

static void add_header(struct buf *line, const char *name, struct str value)
{
	struct buf text;

	buf_init(&text, LIMIT_HEADER_BYTES);
	buf_addf(&text, "%s: ", name);
	buf_add_str(&text, value);
	add_option(line, "-H", buf_str(&text));
	buf_release(&text);
}

/* Converts "--traces" to "TRACES". */
static const char *side_of(const struct endpoint *e)
{
	if (e->option_prefix && !strcmp(e->option_prefix, "--profiles"))
		return "PROFILES";
	if (e->option_prefix && !strcmp(e->option_prefix, "--metrics"))
		return "METRICS";
	if (e->option_prefix && !strcmp(e->option_prefix, "--to"))
		return "TO";
	return "TRACES";
}

/* Returns whether the user set this header, which replaces ours. */
static bool has_own(const struct endpoint *e, struct str name)
{
	for (size_t i = 0; i < e->header_count; i++)
		if (str_equal_nocase(
			    str_trim(header_name(str_from(e->headers[i]))),
			    name))
			return true;
	return false;
}

/* Variables are outside of the single quotes. */
static void add_credentials(struct buf *line, const struct endpoint *e)
{
	if (has_own(e, e->token_header ? str_from(e->token_header)
				       : STR("authorization")))
		return;
	if (e->token) {
		buf_addf(line, " -H \"%s%s$%s_TOKEN\"",
			 e->token_header ? e->token_header : "Authorization",
			 e->token_header ? ": " : ": Bearer ", side_of(e));
	} else if (e->username || e->password) {
		buf_add_text(line, " -u");
		shell_word_add(line, str_from(e->username));
		buf_addf(line, ":\"$%s_PASSWORD\"", side_of(e));
	}
}

static void add_headers(struct buf *line, const struct http_request *request)
{
	const struct endpoint *e = request->endpoint;

	if (request->accept)
		add_header(line, "Accept", str_from(request->accept));
	if (request->content_type)
		add_header(line, "Content-Type",
			   str_from(request->content_type));
	if (request->is_export)
		add_header(line, "Content-Encoding", STR("gzip"));
	if (e->tenant_id && !has_own(e, STR("x-scope-orgid")))
		add_header(line, "X-Scope-OrgID", str_from(e->tenant_id));
	add_credentials(line, e);
	for (size_t i = 0; i < e->header_count; i++) {
		struct str header = str_from(e->headers[i]);
		struct buf name;

		buf_init(&name, LIMIT_HEADER_BYTES);
		buf_add_str(&name, header_name(header));
		add_header(line, buf_text(&name),
			   header_is_harmless(str_trim(header_name(header)))
				   ? header_value(header)
				   : STR("<redacted>"));
		buf_release(&name);
	}
}

static void add_url(struct buf *line, const char *option, const char *url)
{
	struct buf shown;

	buf_init(&shown, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&shown, str_from(url));
	add_option(line, option, buf_str(&shown));
	buf_release(&shown);
}

static void add_connection(struct buf *line, const struct endpoint *e)
{
	if (e->cacert)
		add_option(line, "--cacert", str_from(e->cacert));
	if (e->cert)
		add_option(line, "--cert", str_from(e->cert));
	if (e->key)
		add_option(line, "--key", str_from(e->key));
	if (e->is_insecure)
		buf_add_text(line, " --insecure");
	if (e->proxy)
		add_url(line, "--proxy", e->proxy);
}

static bool is_plain(struct str body)
{
	for (size_t i = 0; i < body.len; i++)
		if (body.ptr[i] < ' ' || body.ptr[i] > '~')
			return false;
	return true;
}

void curl_line_add(struct buf *line, const struct http_request *request)
{
	struct str body = buf_str(&request->body);
	bool is_post = !strcmp(request->method, "POST");
	char *url = url_join(request->endpoint->url, request->path);

	if (is_post && !is_plain(body)) {
		/* Binary bodies are passed through base64(1). */
		char *coded = mem_alloc(body.len / 3 * 4 + 8);

		if (coded) {
			base64_encode((const unsigned char *)body.ptr, body.len,
				      coded);
			buf_addf(line, "echo '%s' | base64 -d | ", coded);
		} else {
			line->state = BUF_OUT_OF_MEMORY;
		}
		mem_free(coded);
	}
	buf_add_text(line, "curl -gsS --compressed");
	add_headers(line, request);
	add_connection(line, request->endpoint);
	if (is_post)
		add_option(line, "--data-binary",
			   is_plain(body) ? body : STR("@-"));
	if (url)
		add_url(line, "--url", url);
	else
		line->state = BUF_OUT_OF_MEMORY;
	mem_free(url);
}

bool curl_lines_write(const char *comment,
			  const struct http_request *requests, size_t n,
			  struct error *err)
{
	struct buf line;
	struct out out;
	bool is_done;

	if (!out_init_fd(&out, STDOUT_FILENO, err))
		return false;
	buf_init(&line, CURL_LINE_BYTES);
	if (comment)
		outf(&out, "# %s\n", comment);
	for (size_t i = 0; i < n; i++) {
		buf_clear(&line);
		curl_line_add(&line, &requests[i]);
		out_str(&out, buf_str(&line));
		out_char(&out, '\n');
		if (line.state != BUF_OK)
			break;
	}
	is_done = buf_check(&line, "a request", err) &&
		  out_finish(&out, "standard output", err);
	if (!is_done && out_is_broken_pipe(&out)) {
		/* A closed pipe is not an error. */
		error_clear(err);
		is_done = true;
	}
	out_release(&out);
	buf_release(&line);
	return is_done;
}
