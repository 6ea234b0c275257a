/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of a user or of a stranger's repository: configuration, data sources
 * of Grafana, credentials, rules. The first byte chooses.
 */
#include "analyze/code_kind.h"
#include "backend/google/google_token.h"
#include "base/limits.h"
#include "cli/config.h"
#include "decode/grafana.h"
#include "fuzz.h"
#include "report/texts.h"

static bool read_config(struct str text, struct arena *arena, struct error *err)
{
	struct config_file f = { 0 };

	return config_file_parse(&f, CONFIG_USER, "config", text, arena, err);
}

static bool read_repository(struct str text, struct arena *arena,
			    struct error *err)
{
	struct config_file f = { 0 };

	return config_file_parse(&f, CONFIG_REPOSITORY, ".tracefind", text,
				 arena, err);
}

static bool read_grafana(struct str text, struct arena *arena,
			 struct error *err)
{
	struct grafana g = { 0 };

	return grafana_parse(&g, "grafana.yaml", text, arena, err);
}

static bool read_credential(struct str text, struct arena *arena,
			    struct error *err)
{
	struct google_credential c = { 0 };
	bool is_done = google_credential_read(&c, text, "key.json", err);

	(void)arena;
	google_credential_release(&c);
	return is_done;
}

static bool read_rules(struct str text, struct arena *arena, struct error *err)
{
	struct code_rules rules = { 0 };
	struct rules_fault fault;

	return code_rules_parse(&rules, arena, text, &fault, err) ||
	       (fault.kind && rules_fault_explain(&fault, "rules", err));
}

static bool (*const readers[])(struct str text, struct arena *arena,
			       struct error *err) = {
	read_config, read_repository, read_grafana, read_credential, read_rules,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t count = sizeof readers / sizeof *readers;
	struct error err = { 0 };
	struct arena arena;
	struct str text;

	if (size == 0 || size > LIMIT_CONFIG_BYTES)
		return 0;
	text = str_slice(fuzz_str(data, size), 1, size);
	arena_init(&arena, LIMIT_CONTEXT_BYTES);
	fuzz_check_outcome(
		readers[(data[0] - (size_t)'0') % count](text, &arena, &err),
		&err);
	arena_release(&arena);
	return 0;
}
