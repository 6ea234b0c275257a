/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents that watch services all the time, as other programs load them:
 * dashboards and alerts. Knows no options and asks nobody.
 */
#ifndef REPORT_DOCUMENTS_H
#define REPORT_DOCUMENTS_H

#include "backend/metrics.h"
#include "base/jsonw.h"
#include "base/out.h"
#include "investigate/slo.h"
#include "render/render.h"

struct leak; /* investigate/leak.h */

/* A type of profiles that a service sends. */
struct document_profile {
	const char *service; /* as profiles call it */
	const char *type_id; /* full */
};

struct document {
	const char *const *services; /* none of them holds '$' */
	size_t service_count;        /* 0: all */
	/* metric_services_pattern() of them. */
	const char *pattern;
	const struct metric_source *sources; /* by meaning */
	double threshold_s;                  /* latency beyond is slow */
	/* Of dashboards. */
	const struct document_profile *profiles;
	size_t profile_count;
	/* Of alerts. */
	double quantile;        /* of latency, 0..1 */
	int64_t for_ns;         /* whole seconds */
	const char *datasource; /* uid of the metrics */
	/* Of alerts on an error budget, whose pairs are these; each of them can
	 * fire. */
	const struct slo *slo;
	/* Of alerts on growing memory. */
	const struct leak *leak;
};

/* Conditions of Cloud Monitoring look no further back than 25 hours. */
#define GOOGLE_LOOKBACK_NS (25 * NS_PER_HOUR)

/* The content of a panel, where there is a source. */
struct document_tile {
	enum metric_meaning meaning;
	const char *title;
};

/* Latency, requests, CPU and memory, each at most once; returns how many. */
#define DOCUMENT_TILES 4
size_t document_tiles(const struct document *d,
		      struct document_tile out[DOCUMENT_TILES]);

/* The services as the question wants them. */
struct metric_want document_want(const struct document *d,
				 enum metric_meaning meaning);

/* "checkout, cart", or "all services". */
void document_name_services(const struct document *d, struct buf *out);

/* "p95", "p99.9". */
void document_quantile(double quantile, char out[16]);

/* Values of latency of the source, in its own unit. */
double document_threshold(const struct document *d);

/* "p95 latency above 2 s for 5m". */
void document_condition(const struct document *d, struct buf *out);

/* Appends the text of an alert, in the templates of Prometheus: the service,
 * and the command that looks for the function. */
void document_alert_summary(const struct document *d, struct buf *out);
void document_alert_next(const struct document *d, struct buf *out);

/* "99.9 % of requests within 2 s and without error over 30 d", and the command
 * that tells how it stands. */
void document_objective(const struct document *d, struct buf *out);
void document_burn_next(const struct document *d, struct buf *out);

/* "burn rate above 14.4 over 1h and 5m". */
void document_burn_condition(const struct burn_pair *pair, struct buf *out);

/* For so long a forecast has to hold: uploads and rollouts come and go. */
#define DOCUMENT_GROWTH_FOR_NS (15 * NS_PER_MIN)

/* The figures that an alert on memory watches, as leak measured them. */
struct document_growth {
	enum metric_meaning meaning; /* METRIC_MEMORY or its share */
	/* In the unit of the metric, and how far ahead it is looked; 0: the
	 * limit is not known. */
	double threshold;
	int64_t horizon_ns;
	int64_t full_ns; /* in which what was measured fills it; 0: not known */
	/* Without a limit: more than so many percent within so long. */
	double percent;
	int64_t over_ns;
};

/* False: the metrics tell no memory, or there is neither limit nor growth. */
bool document_growth(const struct document *d, struct document_growth *out);

/* "memory on the way to 90 % of its limit of 512 MiB within 4 h". */
void document_growth_condition(const struct document *d,
			       const struct document_growth *g,
			       struct buf *out);

/* "memory above 90 % of its limit of 512 MiB". */
void document_full_condition(const struct document *d, struct buf *out);

/* Appends the measurement and the command that repeats it, as sentences. */
void document_growth_measured(const struct document *d, struct buf *out);
void document_growth_next(const struct document *d, struct buf *out);

/* Why there is no alert. Always false. */
bool document_growth_explain(const struct document *d, struct error *err);

/* Adds what the alert cannot say, and where its figures come from. */
void document_growth_notes(const struct document *d, bool is_google,
			   struct notes *notes);

/* Appends a text as a part of an identifier: at most 63 of a-z, 0-9 and '-' in
 * all. What is none of them is apart. */
void document_id_add(struct buf *out, struct str text);

/* A key and a text that was put together, and is released. */
void document_pair(struct jsonw *w, const char *key, struct buf *text);

/* The writers of struct document; the formats are "google" and "grafana", of
 * alerts also "prometheus". */
extern const struct answer_writer dashboard_writer;
extern const struct answer_writer alert_writer;
extern const struct answer_writer burn_writer; /* with a slo */

void google_dashboard_write(const void *document, struct out *out);
void google_alert_write(const void *document, struct out *out);
void grafana_dashboard_write(const void *document, struct out *out);
void grafana_alert_write(const void *document, struct out *out);
void prometheus_alert_write(const void *document, struct out *out);
void google_burn_write(const void *document, struct out *out);
void grafana_burn_write(const void *document, struct out *out);
void google_growth_write(const struct document *d, struct out *out);
void prometheus_growth_write(const struct document *d, struct out *out);

/* Rules for Prometheus of a service level objective: records of how much of the
 * requests is bad, over each window that is looked at, and an alert for each
 * pair of burn rates. YAML as promtool reads it; nothing in it needs a server
 * younger than 2.26. */

struct prometheus_rules {
	struct metric_indicator indicator; /* with a service */
	double objective;                  /* 0 < objective < 1 */
	int64_t threshold_ns;              /* in words; 0: none */
	int64_t window_ns;                 /* of the budget, from an hour on */
};

/* A file of one group. Pairs that can never fire are left out, with a comment
 * that says so. */
void prometheus_rules_write(const struct prometheus_rules *r, struct out *out);

/* ---- pieces, for further rules ---- */

/* PromQL of the part of the requests of a window that is bad, 0..1. */
void prometheus_bad_part(struct buf *out, const struct metric_indicator *of,
			 int64_t window_ns);

/* A key and foreign or long text behind it, as a block where it is plain. The
 * line begins with so many blanks. */
void yaml_pair(struct out *out, size_t indent, const char *key,
	       struct str text);

/* A text as a scalar in double quotes. */
void yaml_text(struct out *out, struct str text);

#endif
