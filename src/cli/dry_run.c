/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/dry_run.h"

#include <unistd.h>

#include "base/out.h"
#include "wire/curl_line.h"

bool dry_run_write(const char *comment, const struct http_request *requests,
		   size_t n, struct error *err)
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
		/* A reader that went away is no failure. */
		error_clear(err);
		is_done = true;
	}
	out_release(&out);
	buf_release(&line);
	return is_done;
}

bool dry_run_stop(struct error *err)
{
	return error_set(err, ERROR_STOPPED,
			 "dry run: nothing was sent; further requests, if "
			 "any, depend on these answers");
}
