/* SPDX-License-Identifier: Apache-2.0
 *
 * An objective as other programs read it: rules of Prometheus, and OpenSLO v1
 * (github.com/OpenSLO/OpenSLO).
 */
#include "base/ascii.h"
#include "report/prometheus_rules.h"
#include "report/slo_answer.h"

void slo_prometheus_write(const void *answer, struct out *out)
{
	const struct slo *s = ((const struct slo_answer *)answer)->slo;
	const struct prometheus_rules rules = {
		.indicator = s->indicator,
		.objective = s->objective,
		.threshold_ns = s->threshold_ns,
		.window_ns = s->window_ns,
	};

	prometheus_rules_write(&rules, out);
}

/* ---- OpenSLO ---- */

/* What takes a name of an object: at most so many of a-z, 0-9 and '-'. */
#define NAME_MOST 63u

static void add_name(struct buf *out, struct str text)
{
	bool is_next = out->len > 0; /* what comes is apart from that */

	for (size_t i = 0; i < text.len && out->len < NAME_MOST - 1; i++) {
		if (!ascii_is_alnum(text.ptr[i])) {
			is_next = out->len > 0;
			continue;
		}
		if (is_next)
			buf_add_char(out, '-');
		is_next = false;
		buf_add_char(out, ascii_lower(text.ptr[i]));
	}
}

static void write_name(struct out *out, const struct slo *s, const char *indent)
{
	struct buf name;

	buf_init(&name, LIMIT_OPTION_VALUE_BYTES);
	add_name(&name, str_from(s->service));
	add_name(&name, str_from(s->operation));
	if (name.state != BUF_OK)
		out_fail_memory(out);
	outf(out, "%sname: ", indent);
	yaml_text(out, name.len ? buf_str(&name) : STR("slo"));
	out_char(out, '\n');
	buf_release(&name);
}

static void write_count(struct out *out, const struct slo *s, const char *key,
			enum metric_part part)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_part_expression(&text, &s->indicator, part, "increase",
			       s->window_ns);
	if (text.state != BUF_OK)
		out_fail_memory(out);
	outf(out,
	     "        %s:\n"
	     "          metricSource:\n"
	     "            type: Prometheus\n"
	     "            spec:\n",
	     key);
	yaml_pair(out, 14, "query", buf_str(&text));
	buf_release(&text);
}

/* Windows are of whole units there. */
static void write_window(struct out *out, int64_t window_ns)
{
	static const struct {
		int64_t unit_ns;
		char letter;
	} units[] = { { NS_PER_DAY, 'd' },
		      { NS_PER_HOUR, 'h' },
		      { NS_PER_MIN, 'm' } };
	size_t i = 0;

	while (i < 2 && window_ns % units[i].unit_ns)
		i++;
	outf(out,
	     "  timeWindow:\n"
	     "    - duration: %lld%c\n"
	     "      isRolling: true\n",
	     (long long)(window_ns / units[i].unit_ns), units[i].letter);
}

void slo_openslo_write(const void *answer, struct out *out)
{
	const struct slo *s = ((const struct slo_answer *)answer)->slo;
	struct buf text;

	buf_init(&text, LIMIT_SELECTOR_BYTES);
	slo_objective_text(s, &text);
	out_text(out, "apiVersion: openslo/v1\n"
		      "kind: SLO\n"
		      "metadata:\n");
	write_name(out, s, "  ");
	out_text(out, "spec:\n  description: ");
	yaml_text(out, buf_str(&text));
	out_text(out, "\n  service: ");
	yaml_text(out, str_from(s->service));
	out_text(out, "\n  indicator:\n    metadata:\n");
	write_name(out, s, "      ");
	out_text(out, "    spec:\n"
		      "      ratioMetric:\n"
		      "        counter: false\n");
	write_count(out, s, "good", METRIC_PART_GOOD);
	write_count(out, s, "total", METRIC_PART_ALL);
	write_window(out, s->window_ns);
	outf(out,
	     "  budgetingMethod: Occurrences\n"
	     "  objectives:\n"
	     "    - target: %.10g\n",
	     s->objective);
	buf_release(&text);
}
