/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/source.h"

#include "base/mem.h"
#include "wire/http_message.h"

/* ---- requests ---- */

void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes)
{
	buf_init(path, max_bytes);
	if (endpoint->project)
		buf_addf(path, "/v1/projects/%s", endpoint->project);
}

bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err)
{
	bool is_ok = buf_check(path, "a request", err) &&
		     (!body || buf_check(body, "a request", err));

	*request =
		(struct http_request){ .endpoint = endpoint, .method = method };
	buf_init(&request->body, 0);
	if (is_ok) {
		request->path = mem_strdup(buf_text(path));
		is_ok = request->path || error_memory(err, "a request");
	}
	if (is_ok && body)
		request->body = *body;
	else if (body)
		buf_release(body);
	buf_release(path);
	return is_ok;
}

#define PROBE_RANK_MISSING 5

/* Ranks how informative an answer is about what is wrong, best first. A lost
 * one may have been the right one: a missing path, which is the case for other
 * kinds, is less informative. */
static int probe_rank(const struct http_response *response)
{
	if (answer_is_denied(response))
		return 0;
	if (response->status >= 300 && response->status < 400)
		return 1;
	if (response->status == 429 || response->status >= 500)
		return 2;
	if (response->status && body_is_html(response))
		return 3;
	return response->status ? PROBE_RANK_MISSING : 4;
}

const struct http_response *source_probe_best(
	const struct http_response *responses, size_t n)
{
	const struct http_response *best = responses;

	for (size_t i = 1; i < n; i++)
		if (probe_rank(&responses[i]) < probe_rank(best))
			best = &responses[i];
	return best;
}

bool source_probe_fail(const struct endpoint *endpoint, const char *wanted,
		       const struct http_response *responses, size_t n,
		       struct error *err)
{
	const struct http_response *best = source_probe_best(responses, n);
	struct str host = url_authority(endpoint->url);

	if (probe_rank(best) == PROBE_RANK_MISSING)
		return error_set(err, ERROR_NETWORK,
				 "no %s at %.*s: a server is there, but it "
				 "answers %d to their paths: is the address "
				 "with its path prefix right? (%s)",
				 wanted, STR_ARGS(host), best->status,
				 side_url(endpoint));
	answer_fail(wanted, endpoint, best, err);
	return false;
}
