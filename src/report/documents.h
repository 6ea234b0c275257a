/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration of other programs for permanent monitoring: dashboards and
 * alerts. Makes no requests.
 */
#ifndef REPORT_DOCUMENTS_H
#define REPORT_DOCUMENTS_H

#include "backend/metrics.h"
#include "base/jsonw.h"
#include "base/out.h"
#include "investigate/slo.h"
#include "render/render.h"

struct leak; /* investigate/leak.h */

/* A profile type of a service. */
struct document_profile {
	const char *service; /* name in profiles */
	const char *type_id; /* full id */
};

struct document {
	const char *const *services; /* none contains '$' */
	size_t service_count;        /* 0: all */
	/* metric_services_pattern() of them. */
	const char *pattern;
	const struct metric_source *sources; /* by meaning */
	double threshold_s;                  /* latency above this is slow */
	/* For dashboards. */
	const struct document_profile *profiles;
	size_t profile_count;
	/* For alerts. */
	double quantile;        /* of latency, 0..1 */
	int64_t for_ns;         /* whole seconds */
	const char *datasource; /* uid of the metrics data source */
	/* For alerts on an error budget, with these window pairs; all of them
	 * can fire. */
	const struct slo *slo;
	/* For alerts on memory growth. */
	const struct leak *leak;
};

/* Maximum lookback of Cloud Monitoring conditions: 25 hours. */
#define GOOGLE_LOOKBACK_NS (25 * NS_PER_HOUR)

/* A panel, if there is a source for it. */
struct document_tile {
	enum metric_meaning meaning;
	const char *title;
};

/* Fills latency, requests, CPU and memory, each at most once; returns the
 * number. */
#define DOCUMENT_TILES 4
size_t document_tiles(const struct document *d,
		      struct document_tile out[DOCUMENT_TILES]);

/* Returns the services as conditions of a query. */
struct metric_want document_want(const struct document *d,
				 enum metric_meaning meaning);

/* Appends "checkout, cart", or "all services". */
void document_name_services(const struct document *d, struct buf *out);

/* Writes "p95", "p99.9". */
void document_quantile(double quantile, char out[16]);

/* Returns the latency threshold in the source's unit. */
double document_threshold(const struct document *d);

/* Appends "p95 latency above 2 s for 5m". */
void document_condition(const struct document *d, struct buf *out);

/* Append texts of an alert with Prometheus templates: the service, and the
 * command that finds the function. */
void document_alert_summary(const struct document *d, struct buf *out);
void document_alert_next(const struct document *d, struct buf *out);

/* Append "99.9 % of requests within 2 s and without error over 30 d", and the
 * command that shows its status. */
void document_objective(const struct document *d, struct buf *out);
void document_burn_next(const struct document *d, struct buf *out);

/* Appends "burn rate above 14.4 over 1h and 5m". */
void document_burn_condition(const struct burn_pair *pair, struct buf *out);

/* How long a forecast must hold, so that uploads and rollouts do not fire. */
#define DOCUMENT_GROWTH_FOR_NS (15 * NS_PER_MIN)

/* Parameters of a memory alert, as measured by leak. */
struct document_growth {
	enum metric_meaning meaning; /* METRIC_MEMORY or its share */
	/* Threshold in the unit of the metric, and forecast horizon; 0: the
	 * limit is unknown. */
	double threshold;
	int64_t horizon_ns;
	/* Time until the limit at the measured growth; 0: unknown. */
	int64_t full_ns;
	/* Without a limit: growth in percent within this time. */
	double percent;
	int64_t over_ns;
};

/* Returns false if there are no memory metrics, or neither limit nor growth. */
bool document_growth(const struct document *d, struct document_growth *out);

/* Appends "memory on the way to 90 % of its limit of 512 MiB within 4 h". */
void document_growth_condition(const struct document *d,
			       const struct document_growth *g,
			       struct buf *out);

/* Appends "memory above 90 % of its limit of 512 MiB". */
void document_full_condition(const struct document *d, struct buf *out);

/* Append the measurement and the command that repeats it, as sentences. */
void document_growth_measured(const struct document *d, struct buf *out);
void document_growth_next(const struct document *d, struct buf *out);

/* Sets the error on why there is no alert. Returns false. */
bool document_growth_explain(const struct document *d, struct error *err);

/* Adds notes on what the alert does not cover, and the source of its
 * parameters. */
void document_growth_notes(const struct document *d, bool is_google,
			   struct notes *notes);

/* Appends text as part of an identifier: only a-z, 0-9 and '-', at most 63
 * characters in total. Other characters become separators. */
void document_id_add(struct buf *out, struct str text);

/* Writes a key with the content of a buffer, which is released. */
void document_pair(struct jsonw *w, const char *key, struct buf *text);

/* Writers of struct document; the formats are "google" and "grafana", for
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

/* Prometheus rules for a service level objective: recording rules for the ratio
 * of bad requests over each window, and an alert for each pair of burn rates.
 * YAML as read by promtool; works with servers from 2.26 on. */

struct prometheus_rules {
	struct metric_indicator indicator; /* for one service */
	double objective;                  /* 0 < objective < 1 */
	int64_t threshold_ns;              /* for descriptions; 0: none */
	/* Window of the error budget, at least an hour. */
	int64_t window_ns;
};

/* Writes a file with one group. Pairs that can never fire are left out, with a
 * comment. */
void prometheus_rules_write(const struct prometheus_rules *r, struct out *out);

/* ---- pieces for other rules ---- */

/* Appends PromQL for the ratio of bad requests in a window, 0..1. */
void prometheus_bad_part(struct buf *out, const struct metric_indicator *of,
			 int64_t window_ns);

/* Writes a key with foreign or long text, as a block scalar if possible.
 * indent: spaces before the key. */
void yaml_pair(struct out *out, size_t indent, const char *key,
	       struct str text);

/* Writes text as a double-quoted scalar. */
void yaml_text(struct out *out, struct str text);

#endif
