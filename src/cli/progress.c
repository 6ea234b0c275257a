/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/message.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "cli/options.h"
#include "render/units.h"
#include "wire/http_message.h"

/* Shorter runs are over before the line is read. */
#define QUIET_NS NS_PER_S

/* So long a pause wants to be told, also in a log. */
#define PAUSE_NS (3 * NS_PER_S)

#define REDRAW_NS (200 * NS_PER_MS)

#define LINE_BYTES ((size_t)2048)
#define DEFAULT_COLUMNS 80u

/* Carriage return, and erase to the end of the line (ECMA-48). */
#define ERASE "\r\033[K"

static struct {
	int64_t started_ns; /* 0: not yet */
	int64_t drawn_ns;
	int64_t before_bytes; /* of earlier batches */
	int64_t batch_bytes;
	uint32_t listed;
	uint64_t exported, to_export;
	int report_fd; /* 0: none */
	bool has_line;
	bool has_told_pause;
	volatile sig_atomic_t is_shown;
} progress;

bool progress_begin(const struct options *o)
{
	const char *term = getenv("TERM");

	if (!progress.started_ns)
		progress.started_ns = clock_monotonic_ns();
	/* A line that can be erased. */
	progress.has_line = !o->quiet && !o->verbose && isatty(STDERR_FILENO) &&
			    term && *term && strcmp(term, "dumb");
	return progress.report_fd || !o->quiet;
}

void progress_report(int fd)
{
	progress.report_fd = fd;
}

/* Nobody can be told when standard error fails. */
static void progress_put(const char *data, size_t len)
{
	int fd = progress.report_fd ? progress.report_fd : STDERR_FILENO;
	ssize_t done = write(fd, data, len);

	(void)done;
}

/* Returns the subject of an address, in words. */
static const char *subject_of(const char *path)
{
	static const struct {
		const char *part;
		const char *subject;
	} subjects[] = {
		{ "/SelectMerge", "profiles" },
		{ "/profiles?", "profiles" },
		{ "/SelectSeries", "values over time" },
		{ "/SelectHeatmap", "values over time" },
		{ "/LabelValues", "names" },
		{ "/Series", "names" },
		{ "/api/search", "traces" },
		{ "/api/metrics", "counts" },
		{ "/traces?", "traces" },
		{ "/traces/", "the trace" },
		{ "/services", "names" },
	};

	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (strstr(path, subjects[i].part))
			return subjects[i].subject;
	return "an answer";
}

static void add_pause(const struct http_progress *p, struct buf *out)
{
	escape_terminal_buf(out, url_authority(p->waiting->endpoint->url));
	if (p->wait_status)
		buf_addf(out, " answered %d", p->wait_status);
	else
		buf_add_text(out, " gave no whole answer");
	buf_addf(out, ": next attempt in %lld s",
		 (long long)((p->wait_left_ns - 1) / NS_PER_S + 1));
}

void progress_text(const struct http_progress *p, int64_t before_bytes,
		   int64_t elapsed_ns, struct buf *out)
{
	struct str host = url_authority(p->waiting->endpoint->url);
	char size[UNIT_TEXT_BYTES], listed[COUNT_TEXT_BYTES];

	if (p->wait_left_ns) {
		add_pause(p, out);
		return;
	}
	format_size(sat_add_i64(before_bytes, p->bytes), size);
	if (progress.to_export) {
		char done[COUNT_TEXT_BYTES], count[COUNT_TEXT_BYTES];

		format_count((int64_t)progress.exported, done);
		format_count((int64_t)progress.to_export, count);
		buf_addf(out, "%s of %s exported, waiting for ", done, count);
		escape_terminal_buf(out, host);
		buf_addf(out, ", %lld s", (long long)(elapsed_ns / NS_PER_S));
		return;
	}
	if (progress.listed) {
		/* The count first: a line of 80 columns holds it then. */
		format_count(progress.listed, listed);
		buf_addf(out, "%s profiles listed by ", listed);
		escape_terminal_buf(out, host);
		buf_addf(out, ", %s, %lld s", size,
			 (long long)(elapsed_ns / NS_PER_S));
		return;
	}
	buf_addf(out, "waiting for %s from ", subject_of(p->waiting->path));
	escape_terminal_buf(out, host);
	buf_addf(out, ": %zu of %zu answers, %s, %lld s", p->answered, p->count,
		 size, (long long)(elapsed_ns / NS_PER_S));
}

void progress_listed(uint32_t count)
{
	progress.listed = count;
}

void progress_exported(uint64_t done, uint64_t count)
{
	progress.exported = done;
	progress.to_export = count;
}

/* Where no line can be written anew. */
static void tell_pause(const struct http_progress *p)
{
	struct buf line;

	if (progress.has_told_pause || !p->wait_left_ns ||
	    p->waited_ns < PAUSE_NS)
		return;
	progress.has_told_pause = true;
	buf_init(&line, LINE_BYTES);
	add_pause(p, &line);
	message_info("%s", buf_text(&line));
	buf_release(&line);
}

void progress_show(const struct http_progress *p)
{
	int64_t now_ns = clock_monotonic_ns();
	size_t columns = DEFAULT_COLUMNS;
	struct winsize size;
	struct buf line;
	struct str text;

	progress.batch_bytes = p->bytes;
	if (!progress.report_fd && !progress.has_line) {
		tell_pause(p);
		return;
	}
	if (now_ns - progress.started_ns < QUIET_NS ||
	    now_ns - progress.drawn_ns < REDRAW_NS)
		return;
	progress.drawn_ns = now_ns;
	buf_init(&line, LINE_BYTES);
	if (!progress.report_fd)
		buf_add_text(&line, "tracefind: ");
	progress_text(p, progress.before_bytes, now_ns - progress.started_ns,
		      &line);
	if (progress.report_fd) {
		buf_add_char(&line, '\n');
		progress_put(buf_text(&line), line.len);
		buf_release(&line);
		return;
	}
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		columns = size.ws_col;
	/* The last column stays free, or the terminal would wrap. */
	text = buf_str(&line);
	text.len = text_fit(text, columns - 1);
	if (line.state == BUF_OK) {
		progress.is_shown = 1;
		progress_put(ERASE, sizeof ERASE - 1);
		progress_put(text.ptr, text.len);
	}
	buf_release(&line);
}

void progress_clear(void)
{
	progress.before_bytes =
		sat_add_i64(progress.before_bytes, progress.batch_bytes);
	progress.batch_bytes = 0;
	progress_clear_signal();
}

void progress_clear_signal(void)
{
	if (!progress.is_shown)
		return;
	progress.is_shown = 0;
	progress_put(ERASE, sizeof ERASE - 1);
}
