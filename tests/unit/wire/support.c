/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/out.h"
#include "wire/http.h"

struct buf testdata_read(const char *name)
{
	char path[512];
	struct error err;
	struct buf data;

	snprintf(path, sizeof path, "%s/%s", getenv("TESTDATA"), name);
	buf_init(&data, LIMIT_FILE_BYTES);
	if (!file_read(path, &data, &err))
		fail_msg("%s", err.message);
	return data;
}

static void receive_head(struct receive *r, struct str head)
{
	struct error err;

	while (head.len) {
		size_t end = str_find(head, STR("\n"));
		struct str line = str_slice(head, 0, end);

		/* Bodies are kept plain, whatever the header says. */
		if (!str_starts(line, STR("Content-Encoding")))
			assert_true(receive_header(r, line, &err));
		head = end == SIZE_MAX ? STR("")
				       : str_slice(head, end + 1, head.len);
	}
}

/* The plain body of a case: body.pb before body.pb.gz. */
static bool body_name(const char *folder, char *out, size_t size)
{
	char pattern[600];
	glob_t found;
	bool is_found;

	snprintf(pattern, sizeof pattern, "%s/%s/body.*", getenv("TESTDATA"),
		 folder);
	is_found = glob(pattern, 0, NULL, &found) == 0;
	if (is_found)
		snprintf(out, size, "%s/%s", folder,
			 strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	return is_found;
}

struct http_response answer_load(const char *server, const char *name)
{
	char folder[256], file[512];
	struct http_response response = { 0 };
	struct receive r;
	struct error err;
	struct buf data;

	snprintf(folder, sizeof folder, "answers/%s/%s", server, name);
	snprintf(file, sizeof file, "%s/response.txt", folder);
	data = testdata_read(file);
	receive_init(&r, &response, NULL);
	receive_head(&r, buf_str(&data));
	buf_release(&data);
	if (body_name(folder, file, sizeof file)) {
		data = testdata_read(file);
		assert_true(receive_body(&r, buf_str(&data), &err));
		buf_release(&data);
	}
	receive_release(&r);
	return response;
}

struct http_response answer_make(int status, const char *content_type,
				 const char *body)
{
	struct http_response response = { .status = status };

	snprintf(response.content_type, sizeof response.content_type, "%s",
		 content_type);
	buf_init(&response.body, MIB);
	buf_add_text(&response.body, body);
	return response;
}

void server_start(struct server *s, const char *script, const char *a,
		  const char *b, const char *c)
{
	int in[2], out[2];
	char port[16] = "";
	size_t len = 0;

	snprintf(s->log_path, sizeof s->log_path, "%s", temp_path("log"));
	unlink(s->log_path);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		execl(getenv("PYTHON"), "python3", getenv("SERVER"), "--script",
		      script, "--log", s->log_path, "--limit", "30", a, b, c,
		      (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s->input = in[1];
	while (len < sizeof port - 1 && read(out[0], port + len, 1) == 1 &&
	       port[len] != '\n')
		len++;
	close(out[0]);
	port[len] = '\0';
	assert_true(atoi(port) > 0);
	snprintf(s->url, sizeof s->url, "http://127.0.0.1:%s", port);
}

void server_stop(struct server *s)
{
	close(s->input);
	waitpid(s->pid, NULL, 0);
	unlink(s->log_path);
}

struct buf server_log(const struct server *s)
{
	struct error err;
	struct buf data;

	buf_init(&data, LIMIT_FILE_BYTES);
	if (!file_read(s->log_path, &data, &err))
		buf_clear(&data);
	return data;
}

size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part))) {
		count++;
		text += strlen(part);
	}
	return count;
}

const char *temp_path(const char *name)
{
	static char path[256];
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof path, "%s/tracefind-test-%ld-%s",
		 folder ? folder : "/tmp", (long)getpid(), name);
	return path;
}

void temp_write(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}
