/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/system.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/curl_calls.h"
#include "wire/http_error.h"
#include "wire/http_headers.h"
#include "wire/http_receive.h"
#include "wire/http_retry.h"
#include "wire/http_wire.h"

/* A probe asks whether a server is there at all; on the default ports it
 * usually is not. */
#define PROBE_CONNECT_MS 3000
#define PROBE_STALL_MS 8000

/* How soon a stall is noticed, and when a request is tried again. */
#define POLL_MS 250
#define POLL_RETRY_MS 50

enum job_state { JOB_WAITING = 0, JOB_RUNNING, JOB_DONE };

struct job {
	struct exchange *exchange;
	struct wire *wire;
	enum job_state state;
	CURL *easy;
	struct curl_slist *headers;
	struct receive receive;
	int64_t not_before_ns; /* monotonic, as the others */
	int64_t started_ns;
	int64_t activity_ns; /* the last byte in either direction */
	bool is_connected;
	bool is_stopped; /* by us: the reason is in response->err */
	char curl_text[CURL_ERROR_SIZE];
};

struct wire {
	const struct http_settings *settings;
	int64_t deadline_ns;
	int64_t distant_ns; /* when a request that keeps a distance may go */
	CURLM *multi;
	struct job *jobs;
	size_t count;
	size_t running;
};

/* ---- callbacks ---- */

/* Called by the library for every header line, also of interim answers and of
 * another try's status line; returning less than was given ends the transfer.
 */
static size_t on_header(char *data, size_t size, size_t count, void *context)
{
	struct job *job = context;
	struct str line = { data, size * count };

	job->activity_ns = clock_monotonic_ns();
	if (receive_header(&job->receive, line, &job->exchange->response->err))
		return line.len;
	job->is_stopped = true;
	return 0;
}

static size_t on_body(char *data, size_t size, size_t count, void *context)
{
	struct job *job = context;
	struct str bytes = { data, size * count };

	job->activity_ns = clock_monotonic_ns();
	if (receive_body(&job->receive, bytes, &job->exchange->response->err))
		return bytes.len;
	/* An error page that is long enough ends the transfer, too, but is no
	 * failure. */
	job->is_stopped = !job->receive.is_enough;
	return 0;
}

/* Connected (and TLS agreed), the request goes out next. Until here the
 * connect timeout rules, from here on the stall timeout. */
static int on_connected(void *context, char *remote, char *local,
			int remote_port, int local_port)
{
	struct job *job = context;

	(void)remote;
	(void)local;
	(void)remote_port;
	(void)local_port;
	job->is_connected = true;
	job->activity_ns = clock_monotonic_ns();
	return CURL_PREREQFUNC_OK;
}

/* ---- setting up ---- */

/* Of the run's time, rounded up: 0 only when it is over. */
static int64_t left_ms(const struct wire *w)
{
	int64_t left_ns = sat_sub_i64(w->deadline_ns, clock_monotonic_ns());

	return left_ns <= 0 ? 0 : (left_ns - 1) / NS_PER_MS + 1;
}

static int64_t connect_ms(const struct job *job)
{
	int64_t limit = job->wire->settings->connect_timeout_ms;

	if (job->exchange->request->is_probe && limit > PROBE_CONNECT_MS)
		return PROBE_CONNECT_MS;
	return limit;
}

static int64_t stall_ms(const struct job *job)
{
	int64_t limit = job->wire->settings->stall_timeout_ms;

	if (job->exchange->request->is_probe && limit > PROBE_STALL_MS)
		return PROBE_STALL_MS;
	return limit;
}

/* Collects the first failure of many settings. */
static void keep(CURLcode *first, CURLcode code)
{
	if (*first == CURLE_OK)
		*first = code;
}

static CURLcode set_transfer(struct job *job)
{
	CURL *easy = job->easy;
	CURLcode rc = CURLE_OK;

	keep(&rc, curl_easy_setopt(easy, CURLOPT_URL, job->exchange->url));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https"));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L));
	/* One kind of framing, hence one kind of being cut, is enough for at
	 * most four requests at a time. */
	keep(&rc, curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
				   (long)CURL_HTTP_VERSION_1_1));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_USERAGENT,
				   "tracefind/" TRACEFIND_VERSION));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				   (long)connect_ms(job)));
	/* 0 would mean no limit at all. */
	keep(&rc, curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
				   (long)(left_ms(job->wire) + 1)));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, job->curl_text));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_PRIVATE, job));
	return rc;
}

static CURLcode set_callbacks(struct job *job)
{
	CURL *easy = job->easy;
	CURLcode rc = CURLE_OK;

	keep(&rc, curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_HEADERDATA, job));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_WRITEDATA, job));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_PREREQDATA, job));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES));
	return rc;
}

static CURLcode set_trust(CURL *easy, const struct endpoint *e)
{
	CURLcode rc = CURLE_OK;

	keep(&rc, curl_easy_setopt(easy, CURLOPT_SSLVERSION,
				   (long)CURL_SSLVERSION_TLSv1_2));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER,
				   e->is_insecure ? 0L : 1L));
	keep(&rc, curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST,
				   e->is_insecure ? 0L : 2L));
	if (e->cacert)
		keep(&rc, curl_easy_setopt(easy, CURLOPT_CAINFO, e->cacert));
	if (e->cert)
		keep(&rc, curl_easy_setopt(easy, CURLOPT_SSLCERT, e->cert));
	if (e->key)
		keep(&rc, curl_easy_setopt(easy, CURLOPT_SSLKEY, e->key));
	if (e->proxy)
		keep(&rc, curl_easy_setopt(easy, CURLOPT_PROXY, e->proxy));
	else if (host_is_loopback(e->url))
		/* The environment's proxy is for other machines. */
		keep(&rc, curl_easy_setopt(easy, CURLOPT_PROXY, ""));
	return rc;
}

static CURLcode set_method(CURL *easy, const struct http_request *request)
{
	CURLcode rc = CURLE_OK;

	if (!strcmp(request->method, "POST")) {
		keep(&rc, curl_easy_setopt(easy, CURLOPT_POST, 1L));
		keep(&rc, curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
					   buf_text(&request->body)));
		keep(&rc, curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
					   (curl_off_t)request->body.len));
	} else {
		keep(&rc, curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L));
	}
	return rc;
}

static CURLcode set_headers(struct job *job)
{
	if (!http_headers_make(job->exchange->request, &job->headers))
		return CURLE_OUT_OF_MEMORY;
	return curl_easy_setopt(job->easy, CURLOPT_HTTPHEADER, job->headers);
}

/* ---- one try ---- */

/* Lets go of everything of a try but its response; may be called twice. */
static void job_unhook(struct job *job)
{
	if (job->easy) {
		curl_multi_remove_handle(job->wire->multi, job->easy);
		curl_easy_cleanup(job->easy);
		job->wire->running--;
	}
	job->easy = NULL;
	http_headers_free(job->headers);
	job->headers = NULL;
	receive_release(&job->receive);
}

static bool job_start(struct job *job, struct error *err)
{
	struct exchange *x = job->exchange;
	CURLcode rc;

	job->easy = curl_easy_init();
	if (!job->easy)
		return wire_fail_start(err);
	job->wire->running++;
	job->state = JOB_RUNNING;
	job->is_connected = false;
	job->is_stopped = false;
	job->curl_text[0] = '\0';
	job->started_ns = clock_monotonic_ns();
	job->activity_ns = job->started_ns;
	x->started_ns = clock_now_ns();
	receive_init(&job->receive, x->response, x->request->sieve);
	x->response->tries++;
	rc = set_transfer(job);
	keep(&rc, set_callbacks(job));
	keep(&rc, set_trust(job->easy, x->request->endpoint));
	keep(&rc, set_method(job->easy, x->request));
	keep(&rc, set_headers(job));
	if (rc == CURLE_OK &&
	    curl_multi_add_handle(job->wire->multi, job->easy) == CURLM_OK)
		return true;
	if (rc != CURLE_OK && rc != CURLE_OUT_OF_MEMORY)
		return error_set(err, ERROR_INTERNAL,
				 "the transfer library refused a setting: %s",
				 curl_easy_strerror(rc));
	return error_memory(err, "a request");
}

/* What the user can do differs; that is what the kinds are told apart by. */
static const struct {
	CURLcode code;
	enum wire_failure failure;
} failures[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, WIRE_NO_SUCH_HOST },
	{ CURLE_COULDNT_RESOLVE_PROXY, WIRE_NO_SUCH_PROXY },
	{ CURLE_COULDNT_CONNECT, WIRE_UNREACHABLE },
	{ CURLE_OPERATION_TIMEDOUT, WIRE_OUT_OF_TIME },
	{ CURLE_PARTIAL_FILE, WIRE_CUT },
	{ CURLE_GOT_NOTHING, WIRE_NO_ANSWER },
	{ CURLE_SEND_ERROR, WIRE_NO_ANSWER },
	{ CURLE_RECV_ERROR, WIRE_NO_ANSWER },
	{ CURLE_PEER_FAILED_VERIFICATION, WIRE_TLS_UNTRUSTED },
	{ CURLE_SSL_CONNECT_ERROR, WIRE_TLS },
	{ CURLE_SSL_CIPHER, WIRE_TLS },
	{ CURLE_SSL_ISSUER_ERROR, WIRE_TLS },
	{ CURLE_SSL_CACERT_BADFILE, WIRE_TLS_FILES },
	{ CURLE_SSL_CERTPROBLEM, WIRE_TLS_FILES },
	{ CURLE_URL_MALFORMAT, WIRE_BAD_URL },
	{ CURLE_UNSUPPORTED_PROTOCOL, WIRE_NOT_HTTP }, /* no head at all */
	{ CURLE_WEIRD_SERVER_REPLY, WIRE_NOT_HTTP },
	{ CURLE_OUT_OF_MEMORY, WIRE_MEMORY },
};

static enum wire_failure classify(const struct job *job, CURLcode code,
				  long os_error)
{
	enum wire_failure failure = WIRE_OTHER;

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].code == code)
			failure = failures[i].failure;
	if (failure == WIRE_UNREACHABLE && os_error == ECONNREFUSED)
		return WIRE_REFUSED;
	if (failure == WIRE_OUT_OF_TIME && !job->is_connected &&
	    left_ms(job->wire) > 0)
		return WIRE_CONNECT_TIMEOUT;
	if (failure == WIRE_NO_ANSWER && job->exchange->response->status)
		return WIRE_CUT;
	/* With TLS 1.3 a certificate is refused only after that. */
	if (failure == WIRE_NO_ANSWER && job->is_connected &&
	    str_starts(str_from(job->exchange->url), STR("https:")))
		return WIRE_NO_ANSWER_TLS;
	/* The library's buffer for one header line ends at 100 KiB; it has no
	 * other word for that. */
	if (failure == WIRE_MEMORY && job->is_connected &&
	    !job->receive.is_body_begun)
		return WIRE_LONG_HEADER;
	return failure;
}

static void describe(struct job *job, enum wire_failure failure, long os_error)
{
	struct exchange *x = job->exchange;
	struct wire_facts facts = {
		.endpoint = x->request->endpoint,
		.url = x->url,
		.body_bytes = x->response->wire_bytes,
		.connect_ms = connect_ms(job),
		.stall_ms = stall_ms(job),
		.timeout_ms = job->wire->settings->timeout_ms,
		.os_error = (int)os_error,
		.detail = job->curl_text,
	};

	wire_describe(failure, &facts, &x->response->err);
}

static uint32_t random_bits(void)
{
	uint32_t bits = 0;

	/* Without randomness the wait is merely regular. */
	if (!system_random(&bits, sizeof bits))
		bits = 0;
	return bits;
}

static int64_t next_delay_ms(const struct job *job, bool is_broken)
{
	const struct exchange *x = job->exchange;
	struct retry_facts facts = {
		.status = x->response->status,
		.is_broken = is_broken,
		.is_google = x->request->endpoint->project != NULL,
		.tries = x->response->tries,
		/* Nobody may be there; whoever answers "busy" is. */
		.retries = x->request->is_probe && !x->response->status
				   ? 0
				   : job->wire->settings->retries,
		.retry_after = str_from(job->receive.retry_after),
		.date = str_from(x->response->server_date),
		.now_ns = clock_now_ns(),
		.left_ms = left_ms(job->wire),
		.random = random_bits(),
	};

	return retry_delay_ms(&facts);
}

static void job_end(struct job *job)
{
	job->state = JOB_DONE;
	job->exchange->is_done = true;
}

/* The end of a try: done for good, or waiting for the next one. */
static void finish(struct job *job, enum wire_failure failure, long os_error)
{
	struct http_response *response = job->exchange->response;
	int64_t now_ns = clock_monotonic_ns(), delay_ms;
	bool is_broken;

	response->duration_ns = now_ns - job->started_ns;
	response->has_sent_secret =
		endpoint_has_secret(job->exchange->request->endpoint);
	if (failure == WIRE_OK &&
	    !receive_finish(&job->receive, &response->err)) {
		failure = WIRE_CUT;
		job->is_stopped = !job->receive.is_cut;
	}
	if (job->is_stopped)
		wire_prefix(job->exchange->url, &response->err);
	else if (failure != WIRE_OK)
		describe(job, failure, os_error);
	is_broken = !job->is_stopped && wire_is_broken(failure);
	delay_ms = next_delay_ms(job, is_broken);
	job_unhook(job);
	/* Half an answer must not be taken for one. */
	if (failure != WIRE_OK) {
		response->status = 0;
		buf_release(&response->body);
	}
	job->not_before_ns = now_ns + delay_ms * NS_PER_MS;
	job->state = JOB_WAITING;
	if (delay_ms == RETRY_NEVER)
		job_end(job);
}

static void finish_curl(struct job *job, CURLcode code)
{
	long os_error = 0;

	curl_easy_getinfo(job->easy, CURLINFO_OS_ERRNO, &os_error);
	/* We closed an error page on purpose: it is a whole answer. */
	if (code == CURLE_WRITE_ERROR && job->receive.is_enough)
		code = CURLE_OK;
	finish(job, code == CURLE_OK ? WIRE_OK : classify(job, code, os_error),
	       os_error);
}

/* The run's time is over; an earlier failure says more than that. */
static void job_expire(struct job *job)
{
	if (job->exchange->response->tries == 0) {
		receive_init(&job->receive, job->exchange->response,
			     job->exchange->request->sieve);
		describe(job, WIRE_OUT_OF_TIME, 0);
	}
	job_end(job);
}

/* ---- the batch ---- */

/* Whether a request that keeps its distance from others has to wait; if not,
 * the next one has to. */
static bool has_to_wait(struct wire *w, struct job *job, int64_t now_ns)
{
	int64_t distance_ns = job->exchange->request->endpoint->distance_ns;

	if (distance_ns <= 0)
		return false;
	if (w->distant_ns > now_ns) {
		job->not_before_ns = w->distant_ns;
		return true;
	}
	/* Looks are some time apart, within which several may be due. */
	if (w->distant_ns < now_ns - POLL_RETRY_MS * NS_PER_MS)
		w->distant_ns = now_ns - POLL_RETRY_MS * NS_PER_MS;
	w->distant_ns = sat_add_i64(w->distant_ns, distance_ns);
	return false;
}

static bool start_ready(struct wire *w, struct error *err)
{
	int64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < w->count; i++) {
		struct job *job = &w->jobs[i];

		if (w->running >= LIMIT_PARALLEL_REQUESTS)
			break;
		if (job->state != JOB_WAITING || job->not_before_ns > now_ns)
			continue;
		if (left_ms(w) == 0) {
			job_expire(job);
		} else if (has_to_wait(w, job, now_ns)) {
			continue;
		} else if (!job_start(job, err)) {
			return false;
		}
	}
	return true;
}

static void collect_finished(struct wire *w)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(w->multi, &left))) {
		CURLcode code = message->data.result;
		char *job = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &job);
		if (job)
			finish_curl((struct job *)(void *)job, code);
	}
}

/* The library's own low-speed limit counts in whole seconds and starts with
 * the connection; this counts from the last byte. */
static void stop_stalled(struct wire *w)
{
	int64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < w->count; i++) {
		struct job *job = &w->jobs[i];

		if (job->state == JOB_RUNNING && job->is_connected &&
		    now_ns - job->activity_ns > stall_ms(job) * NS_PER_MS)
			finish(job, WIRE_STALLED, 0);
	}
}

static bool is_finished(const struct wire *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->jobs[i].state != JOB_DONE)
			return false;
	return true;
}

/* Each look costs some 50 us: a server that takes seconds is left alone,
 * unless a request waits for its next try. An answer or a signal ends it. When
 * all that ran ended together, no answer would: the next go out at once. */
static int poll_ms(const struct wire *w)
{
	int ms = POLL_MS;

	for (size_t i = 0; i < w->count; i++) {
		if (w->jobs[i].state != JOB_WAITING)
			continue;
		if (w->jobs[i].not_before_ns)
			ms = POLL_RETRY_MS;
		else if (w->running < LIMIT_PARALLEL_REQUESTS)
			return 0;
	}
	return ms;
}

static void tell_progress(const struct wire *w)
{
	struct http_progress p = { .count = w->count };

	if (!w->settings->on_progress)
		return;
	for (size_t i = 0; i < w->count; i++) {
		const struct exchange *x = w->jobs[i].exchange;

		p.bytes = sat_add_i64(p.bytes, x->response->wire_bytes);
		if (w->jobs[i].state == JOB_DONE)
			p.answered++;
		else if (!p.waiting)
			p.waiting = x->request;
	}
	if (p.waiting)
		w->settings->on_progress(&p);
}

/* Nothing waits to be sent, and no connection is being made, whose time would
 * run out meanwhile. */
static bool has_leisure(const struct wire *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->jobs[i].state == JOB_RUNNING && !w->jobs[i].is_connected)
			return false;
	return poll_ms(w) > 0;
}

/* Does a piece of the work, or waits for answers. */
static bool work_or_wait(struct wire *w, const struct wire_work *work,
			 struct error *err)
{
	bool is_done = false;

	if (has_leisure(w) && !work->piece(work->context, &is_done, err))
		return false;
	return is_done ||
	       curl_multi_poll(w->multi, NULL, 0, poll_ms(w), NULL) ==
		       CURLM_OK ||
	       wire_fail_wait(err);
}

static bool run_loop(struct wire *w, const struct wire_work *work,
		     struct error *err)
{
	bool (*is_interrupted)(void) = w->settings->is_interrupted;
	int running;

	while (!is_finished(w)) {
		if (is_interrupted && is_interrupted())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (!start_ready(w, err))
			return false;
		if (curl_multi_perform(w->multi, &running) != CURLM_OK)
			return wire_fail_wait(err);
		collect_finished(w);
		stop_stalled(w);
		tell_progress(w);
		if (!is_finished(w) && !work_or_wait(w, work, err))
			return false;
	}
	return true;
}

bool wire_run(struct wire *w, struct exchange *exchanges, size_t n,
	      const struct wire_work *work, struct error *err)
{
	bool is_ok;

	w->jobs = mem_calloc(n, sizeof *w->jobs);
	if (!w->jobs)
		return error_memory(err, "requests");
	w->count = n;
	for (size_t i = 0; i < n; i++) {
		w->jobs[i].exchange = &exchanges[i];
		w->jobs[i].wire = w;
		if (exchanges[i].is_done)
			w->jobs[i].state = JOB_DONE;
	}
	is_ok = run_loop(w, work, err);
	for (size_t i = 0; i < n; i++)
		job_unhook(&w->jobs[i]);
	mem_free(w->jobs);
	w->jobs = NULL;
	w->count = 0;
	return is_ok;
}

struct wire *wire_new(const struct http_settings *settings, int64_t deadline_ns,
		      struct error *err)
{
	struct wire *w;

	if (!curl_calls_load(err))
		return NULL;
	w = mem_calloc(1, sizeof *w);
	if (w && curl_global_init_mem(CURL_GLOBAL_DEFAULT, mem_wiped_alloc,
				      mem_wiped_free, mem_wiped_realloc,
				      mem_wiped_strdup,
				      mem_wiped_calloc) == CURLE_OK) {
		w->settings = settings;
		w->deadline_ns = deadline_ns;
		w->multi = curl_multi_init();
		if (w->multi)
			return w;
		curl_global_cleanup();
	}
	mem_free(w);
	wire_fail_start(err);
	return NULL;
}

void wire_extend(struct wire *w, int64_t deadline_ns)
{
	w->deadline_ns = deadline_ns;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	curl_multi_cleanup(w->multi);
	curl_global_cleanup();
	mem_free(w);
}
