/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no answer: checks of the servers and of what they hold for a
 * trace or a service. Stage by stage; a stage whose ground is missing is left
 * out, and the other side is checked all the same.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "backend/checkup.h"
#include "model/checks.h"
#include "doctor/judge.h"
#include "investigate/places.h"
#include "model/trace.h"
#include "render/input.h"

#define RESOURCE_NONE UINT32_MAX

/* What the user said of a side's server. */
struct doctor_side {
	struct str url_origin;    /* "from --traces-url", or "as given" */
	struct str tenant_origin; /* likewise; of the tenant that is sent */
};

struct doctor_option {
	const char *name;
	const char *value;
};

#define DOCTOR_OPTIONS 8

/* What is to be examined. Texts are borrowed. */
struct doctor_question {
	struct backends *backends;
	struct doctor_side traces;
	struct doctor_side profiles;
	struct doctor_side metrics;
	bool wants_traces; /* false: no traces server is looked for */
	bool is_case;      /* how connections were checked is not known */
	/* Gets the trace; NULL: none is asked about. */
	bool (*trace_fetch)(void *context, struct trace *trace,
			    struct str *source, struct error *err);
	void *context;
	bool is_trace_file;
	bool is_strict;
	const char *service; /* the only one; NULL: all of the trace */
	/* Of profiles; by default around the trace. */
	bool has_window;
	struct time_range window;
	int64_t pad_ns;
	/* For commands that can be pasted: the trace as they name it, or NULL,
	 * and what leads to the same servers. */
	const char *trace_text;
	struct doctor_option options[DOCTOR_OPTIONS];
	size_t option_count;
};

/* One service, and what the profile side has for it. */
struct doctor_service {
	struct str name; /* in the trace, or of --service */
	uint32_t span_count;
	uint32_t resource; /* of its first span, RESOURCE_NONE without one */
	enum name_match match;
	struct str found; /* its name on the profile side, or the nearest */
	struct str nearest[NEAREST_SHOWN];
	size_t nearest_count;
	const char *attr_key; /* not found, but this attribute is `found` */
	struct str selector;  /* of `found` */
	struct places places; /* what narrows the selector, or is in doubt */
	struct name_list types;
	struct str type_id; /* the one whose samples were counted */
	bool has_answer;
	int64_t samples; /* in the window, -1: values without a count */
	int64_t total;
	bool has_cpu;
	struct error err; /* why there is no answer */
	/* The span with pyroscope.profile.id that took longest. */
	uint32_t profile_span; /* SPAN_NONE: none has it */
	struct str profile_id;
	bool has_span_answer;
	int64_t span_samples; /* as samples */
	int64_t span_total;
	enum span_trouble span_trouble;
};

/* The profile side has its name, or a variant of it. */
bool doctor_service_is_found(const struct doctor_service *row);

struct doctor {
	const struct doctor_question *question;
	struct backends *backends; /* the question's */
	struct arena arena;        /* texts of checks, names */
	struct checks checks;
	struct trace trace;
	bool has_trace; /* fetched */
	/* The server answers as it should; set before when none is wanted. */
	bool is_traces_up;
	bool is_profiles_up;    /* likewise */
	bool is_metrics_up;     /* likewise */
	struct checkup checkup; /* what the rooms of servers tell */
	struct time_range window;
	struct name_list services; /* those of the day before window's end */
	struct doctor_service *rows;
	size_t row_count;
	size_t rows_left_out;
	bool is_selector_ignored; /* spans that do not exist have samples */
	bool has_span_names;      /* without a trace: samples name spans */
};

void doctor_init(struct doctor *d, const struct doctor_question *question);
void doctor_release(struct doctor *d);

/* Asks and judges all of it; what is wrong is among the checks. False: the run
 * cannot go on. */
bool doctor_run(struct doctor *d, struct error *err) MUST_CHECK;

/* The stages append checks; false only when the run cannot go on. */

/* Addresses; then reachability, login, kind, clock of both sides. */
bool doctor_servers(struct doctor *d, struct error *err) MUST_CHECK;

/* The server of metrics, where one was named, and what it has. */
bool doctor_metrics(struct doctor *d, struct error *err) MUST_CHECK;

/* The address and the tenant of a side, and what gave them. name: "traces". */
void doctor_check_address(struct doctor *d, const struct side *s,
			  const char *name);
void doctor_check_tenant(struct doctor *d, const struct side *s,
			 const char *name);

/* Looks up the trace of the command line; a usage error ends the run. */
bool doctor_trace(struct doctor *d, struct error *err) MUST_CHECK;

/* Services, types, samples and span profiles in the window. */
bool doctor_profiles(struct doctor *d, struct error *err) MUST_CHECK;

/* A profile file instead of a server. */
bool doctor_profile_file(struct doctor *d, struct error *err) MUST_CHECK;

/* Where the services of the trace run, by their series in the range. */
bool doctor_places(struct doctor *d, struct time_range range,
		   struct error *err) MUST_CHECK;
void doctor_judge_places(struct doctor *d);

/* Checks of the rows that doctor_profiles() filled. */
void doctor_judge_services(struct doctor *d);

bool doctor_is_https(const char *url);

/* The fix of a trouble with the server of `e`, for the check appended
 * last. */
void fix_trouble(struct checks *c, enum trouble trouble,
		 const struct endpoint *e);

/* A command that can be pasted, as the fix of the check appended last.
 * Begins with `lead` and "tracefind COMMAND"; fix_command_end() adds the
 * servers that the command line named, and `tail`. */
struct fix_command {
	const struct doctor *d;
	struct buf text;
};

void fix_command_begin(struct fix_command *c, const struct doctor *d,
		       const char *lead, const char *command);
/* " --NAME=VALUE" in the shell's quotes. */
void fix_command_option(struct fix_command *c, const char *name,
			struct str value);
/* --map TRACED=SENT. */
void fix_command_map(struct fix_command *c, struct str traced, struct str sent);
void fix_command_end(struct fix_command *c, struct checks *checks,
		     const char *tail);

/* How span profiles come about for a language as OpenTelemetry names it
 * ("go", "java"), for the check appended last. */
void fix_span_profiles(struct checks *c, const struct profile_checkup *server,
		       struct str language);

/* Prints the answer: const struct doctor *. */
void doctor_write_table(const void *answer, const struct render_style *style,
			struct out *out);
void doctor_write_json(const void *answer, struct out *out);

#endif
