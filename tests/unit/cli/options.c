/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/optparse.h"
#include "base/timefmt.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "mcp/server.h"

#define SECRET "not for anybody's eyes"

static const char *const variables[] = {
	"TRACEFIND_TRACES_URL",
	"TRACEFIND_TOKEN_FILE",
	"TRACEFIND_TIMEOUT",
	"TRACEFIND_RETRY",
	"TRACEFIND_INSECURE",
	"TRACEFIND_TRACES_TENANT_ID",
	"TRACEFIND_TENANT_ID",
	"TRACEFIND_TOKEN",
	"TRACEFIND_PASSWORD",
	"TRACEFIND_TRACES_TOKEN",
	"TRACEFIND_PROFILES_TOKEN",
	"TRACEFIND_PROFILES_USERNAME",
	"TRACEFIND_MAP",
	"PROFILECLI_URL",
	"PROFILECLI_USERNAME",
	"PROFILECLI_PASSWORD",
	"PROFILECLI_TOKEN",
	"PROFILECLI_TENANT_ID",
	"TRACEFIND_LIMIT",
	"TRACEFIND_USERNAME",
	"TRACEFIND_PROFILES_KEY",
};

static int clear_environment(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	return 0;
}

static int split(char *text, const char **argv, int max)
{
	int argc = 0;

	while (text && *text && argc < max)
		argv[argc++] = strsep(&text, " ");
	return argc;
}

static bool parse(const char *command, const char *line, struct options *o,
		  struct error *err)
{
	static char text[4096];
	const char *argv[64];
	int argc;

	snprintf(text, sizeof text, "%s", line);
	argc = split(text, argv, 64);
	options_init(o);
	err->code = ERROR_NONE;
	return options_parse(o, command_find(str_from(command)), argc, argv,
			     err);
}

static void read_ok(const char *command, const char *line, struct options *o)
{
	struct error err;

	if (!parse(command, line, o, &err) || !options_environment(o, &err) ||
	    !options_check(o, &err))
		fail_msg("%s", err.message);
}

static void assert_refused(const char *command, const char *line,
			   const char *message)
{
	struct options o;
	struct error err;

	assert_false(parse(command, line, &o, &err) &&
		     options_environment(&o, &err) && options_check(&o, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.message, message);
}

static void test_defaults(void **state)
{
	struct options o;

	(void)state;
	read_ok("slow", "", &o);
	assert_null(o.traces_url);
	assert_null(o.baseline);
	assert_int_equal(o.connect_timeout_ns, 10 * NS_PER_S);
	assert_int_equal(o.timeout_ns, 60 * NS_PER_S);
	assert_int_equal(o.pad_ns, 5 * NS_PER_MIN);
	assert_int_equal(o.retry, 2);
	assert_int_equal(o.limit, 10);
	assert_int_equal(o.color, COLOR_AUTO);
	assert_int_equal(o.output_count, 0);
	assert_false(options_given(&o, "limit"));
}

static void test_choices(void **state)
{
	struct options o;

	(void)state;
	read_ok("slow",
		"4bf9 --by self --span 00f067aa0ba902b7 --sort=delta -n 0 "
		"--normalize rate --scope span --map a=b --map c.d=e "
		"--color always -qvv --strict --selector {a=\"b\"} --since 1d",
		&o);
	assert_string_equal(o.args[0], "4bf9");
	assert_string_equal(o.by, "self");
	assert_string_equal(o.span, "00f067aa0ba902b7");
	assert_string_equal(o.sort, "delta");
	assert_int_equal(o.limit, 0);
	assert_string_equal(o.normalize, "rate");
	assert_string_equal(o.scope, "span");
	assert_int_equal(o.map_count, 2);
	assert_string_equal(o.maps[1], "c.d=e");
	assert_int_equal(o.color, COLOR_ALWAYS);
	assert_true(o.quiet);
	assert_int_equal(o.verbose, 2);
	assert_true(o.strict);
	assert_true(options_given(&o, "limit"));
	assert_true(options_given(&o, "sort"));
	assert_false(options_given(&o, "type"));
	assert_false(options_given(&o, "no such"));
}

static void test_outputs(void **state)
{
	struct options o;

	(void)state;
	read_ok("slow",
		"x -o table -o json=a=b.json -ofolded=- --output "
		"difffolded=d",
		&o);
	assert_int_equal(o.output_count, 4);
	assert_string_equal(o.outputs[0].format, "table");
	assert_null(o.outputs[0].path);
	assert_string_equal(o.outputs[1].format, "json");
	assert_string_equal(o.outputs[1].path, "a=b.json");
	assert_null(o.outputs[2].path);
	assert_string_equal(o.outputs[3].path, "d");
	assert_refused("slow", "x -o json=a -o folded=a",
		       "two outputs would be written to a; give each its own "
		       "file");
	assert_refused("slow", "x -o json=", "--output: no file after 'json='");
	read_ok("slow",
		"x -o=json -o out.Svg -o=a.speedscope.json -o./b=c/x.html "
		"--output=p.pb.gz -o g.gv",
		&o);
	assert_int_equal(o.output_count, 6);
	assert_string_equal(o.outputs[0].format, "json");
	assert_null(o.outputs[0].path);
	assert_string_equal(o.outputs[1].format, "svg");
	assert_string_equal(o.outputs[1].path, "out.Svg");
	assert_string_equal(o.outputs[2].format, "speedscope");
	assert_string_equal(o.outputs[2].path, "a.speedscope.json");
	assert_string_equal(o.outputs[3].format, "html");
	assert_string_equal(o.outputs[3].path, "./b=c/x.html");
	assert_string_equal(o.outputs[4].format, "pprof");
	assert_string_equal(o.outputs[5].format, "dot");
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused("types", "--span 00f067aa0ba902b7",
		       "--span is not an option of tracefind types; tracefind "
		       "help types --all lists its options");
	assert_refused("help", "--traces-url x",
		       "--traces-url is not an option of tracefind help; "
		       "tracefind help help --all lists its options");
	assert_refused("doctor", "a b",
		       "unexpected argument 'b': usage: tracefind doctor "
		       "[OPTIONS] [TRACE]");
	assert_refused("slow", "--span 12",
		       "--span: '12' is not a span id of 16 hex digits");
	assert_refused("slow", "--map =x",
		       "--map: '=x' is not of the form ATTRIBUTE=LABEL");
	assert_refused("slow", "--selector a=b",
		       "--selector: 'a=b' is not of the form "
		       "{label=\"value\"}");
	assert_refused("slow", "--since 5",
		       "--since: '5' is not a duration such as 30m or 1d");
	assert_refused("slow", "--retry 11", "--retry: 11 is outside 0 to 10");
	assert_refused("slow", "--profile-url x",
		       "unknown option --profile-url; did you mean "
		       "--profiles-url?");
	assert_refused("slow", "--traces-timeout 1s",
		       "unknown option --traces-timeout; did you mean "
		       "--timeout?");
}

static void test_credentials(void **state)
{
	struct options o;

	(void)state;
	assert_refused("slow", "--token-file t --password-file p --username u",
		       "--token-file and --password-file both set the login "
		       "of the traces side; keep one");
	assert_refused("slow", "--profiles-password-file p",
		       "--profiles-password-file: a password without a user "
		       "name for the profiles side; give --username");
	/* Those of Grafana Cloud: metrics are not asked. */
	read_ok("slow",
		"--traces-username 1 --profiles-username 2 --password-file p",
		&o);
	assert_refused("slow",
		       "--traces-username 1 --profiles-username 2 "
		       "--password-file p --metrics-url http://m",
		       "--password-file: a password without a user name for "
		       "the metrics side; give --username");
	assert_refused("slow", "--traces-cert c",
		       "--traces-cert: a certificate and its key are needed "
		       "together; the traces side has no --key");
	setenv("TRACEFIND_PROFILES_KEY", "k", 1);
	assert_refused("slow", "",
		       "TRACEFIND_PROFILES_KEY: a certificate and its key are "
		       "needed together; the profiles side has no --cert");
}

/* The name that gcloud has for it: the same option in every respect. */
static void test_other_name(void **state)
{
	struct options o;
	struct side_settings c;

	(void)state;
	setenv("TRACEFIND_TOKEN_FILE", "environment", 1);
	read_ok("slow", "--access-token-file a --profiles-access-token-file=b",
		&o);
	assert_true(options_given(&o, "token-file"));
	assert_true(options_given(&o, "profiles-access-token-file"));
	assert_false(options_given(&o, "traces-token-file"));
	options_side(&o, SERVER_TRACES, &c);
	assert_string_equal(c.token_file, "a");
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(c.token_file, "b");
	assert_refused("slow",
		       "--access-token-file t --password-file p --username u",
		       "--token-file and --password-file both set the login "
		       "of the traces side; keep one");
}

static void test_sides(void **state)
{
	struct options o;
	struct side_settings c;

	(void)state;
	read_ok("slow",
		"--tenant-id all --profiles-tenant-id p --username u "
		"--password-file pw --profiles-token-file t -H a:1 "
		"--profiles-header b:2 --traces-insecure --cacert ca",
		&o);
	options_side(&o, SERVER_TRACES, &c);
	assert_string_equal(c.tenant_id, "all");
	assert_string_equal(c.username, "u");
	assert_string_equal(c.password_file, "pw");
	assert_null(c.token_file);
	assert_int_equal(c.header_count, 1);
	assert_true(c.insecure);
	assert_string_equal(c.cacert, "ca");
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(c.tenant_id, "p");
	assert_null(c.username);
	assert_null(c.password_file);
	assert_string_equal(c.token_file, "t");
	assert_int_equal(c.header_count, 2);
	assert_string_equal(c.headers[0], "a:1");
	assert_string_equal(c.headers[1], "b:2");
	assert_false(c.insecure);
}

static void test_environment(void **state)
{
	struct options o;

	(void)state;
	setenv("TRACEFIND_TRACES_URL", "http://env", 1);
	setenv("TRACEFIND_TIMEOUT", "7s", 1);
	setenv("TRACEFIND_RETRY", "5", 1);
	setenv("TRACEFIND_INSECURE", "yes", 1);
	setenv("TRACEFIND_TENANT_ID", "all", 1);
	setenv("TRACEFIND_TRACES_TENANT_ID", "t", 1);
	setenv("TRACEFIND_MAP", "a=b", 1);
	setenv("TRACEFIND_LIMIT", "3", 1);
	read_ok("slow", "--retry 1 --profiles-url http://given", &o);
	assert_string_equal(o.traces_url, "http://env");
	assert_string_equal(o.profiles_url, "http://given");
	assert_int_equal(o.timeout_ns, 7 * NS_PER_S);
	assert_int_equal(o.retry, 1);
	assert_true(o.common.insecure);
	assert_string_equal(o.common.tenant_id, "all");
	assert_string_equal(o.sides[SERVER_TRACES].tenant_id, "t");
	assert_string_equal(o.maps[0], "a=b");
	assert_int_equal(o.limit, 10);
	/* A tenant on the command line is for both sides, also for the one
	 * that the environment has another for. */
	read_ok("slow", "--tenant-id mine", &o);
	assert_string_equal(o.common.tenant_id, "mine");
	assert_null(o.sides[SERVER_TRACES].tenant_id);
	setenv("TRACEFIND_TIMEOUT", "soon", 1);
	assert_refused("slow", "",
		       "TRACEFIND_TIMEOUT: 'soon' is not a duration such as "
		       "500ms, 30s or 1h30m");
	setenv("TRACEFIND_TIMEOUT", "", 1);
	read_ok("slow", "", &o);
	assert_int_equal(o.timeout_ns, 60 * NS_PER_S);
}

static void test_environment_secrets(void **state)
{
	struct options o;
	struct side_settings c;

	(void)state;
	setenv("TRACEFIND_TOKEN", SECRET, 1);
	setenv("TRACEFIND_PROFILES_TOKEN", "second", 1);
	read_ok("slow", "", &o);
	options_side(&o, SERVER_TRACES, &c);
	assert_string_equal(c.token, SECRET);
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(c.token, "second");
	/* A file named on the command line is the only credential then. */
	read_ok("slow", "--token-file f", &o);
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(c.token_file, "f");
	assert_null(c.token);
	read_ok("slow", "--traces-token-file f", &o);
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(c.token, "second");
	options_side(&o, SERVER_TRACES, &c);
	assert_null(c.token);
	setenv("TRACEFIND_PASSWORD", SECRET, 1);
	assert_refused("slow", "",
		       "TRACEFIND_TOKEN and TRACEFIND_PASSWORD both set the "
		       "login of the traces side; keep one");
}

static void test_profilecli(void **state)
{
	struct options o;
	struct side_settings c;

	(void)state;
	setenv("PROFILECLI_URL", "http://pyroscope", 1);
	setenv("PROFILECLI_USERNAME", "123", 1);
	setenv("PROFILECLI_PASSWORD", SECRET, 1);
	setenv("PROFILECLI_TENANT_ID", "acme", 1);
	read_ok("slow", "", &o);
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(o.profiles_url, "http://pyroscope");
	assert_string_equal(c.username, "123");
	assert_string_equal(c.password, SECRET);
	assert_string_equal(c.tenant_id, "acme");
	options_side(&o, SERVER_TRACES, &c);
	assert_null(o.traces_url);
	assert_null(c.username);
	assert_null(c.password);
	assert_null(c.tenant_id);
	/* Anything of tracefind's own goes before. */
	setenv("TRACEFIND_TOKEN", "ours", 1);
	setenv("TRACEFIND_TENANT_ID", "all", 1);
	read_ok("slow", "--profiles-url http://other", &o);
	options_side(&o, SERVER_PROFILES, &c);
	assert_string_equal(o.profiles_url, "http://other");
	assert_string_equal(c.token, "ours");
	assert_null(c.password);
	assert_null(c.username);
	assert_string_equal(c.tenant_id, "all");
}

/* All arguments in one line. */
static const char *recorded(const char *command, const struct options *o)
{
	static char text[2048];
	const char *const *args;
	struct arena arena;
	struct error err;
	size_t count, len = 0;

	arena_init(&arena, MIB);
	assert_true(options_record_args(o, command_find(str_from(command)),
					&arena, &args, &count, &err));
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
					i ? " " : "", args[i]);
	arena_release(&arena);
	return text;
}

static void test_record_args(void **state)
{
	struct options o;

	(void)state;
	setenv("TRACEFIND_TRACES_URL", "http://env", 1);
	setenv("TRACEFIND_TOKEN", SECRET, 1);
	read_ok("slow",
		"id -o folded -o json=/tmp/x -vH a:b --username u --timeout 3s "
		"--record c.har --cert c --key k --profiles-tenant-id p "
		"--pad 90s -n7 --color never --map a=b --map c=d --by self "
		"--strict",
		&o);
	assert_string_equal(recorded("slow", &o),
			    "slow --by=self --map=a=b --map=c=d --pad=1m30s "
			    "--limit=7 --color=never --strict "
			    "--traces-url=http://env --profiles-tenant-id=p "
			    "--output=folded id");
	read_ok("diff", "-- -a.pb b.pb", &o);
	assert_string_equal(recorded("diff", &o),
			    "diff --traces-url=http://env -- -a.pb b.pb");
}

static void parse_case(const char *line, bool is_repeat, struct options *o)
{
	static char text[1024];
	const char *argv[64];
	struct error err;
	int argc;

	snprintf(text, sizeof text, "%s", line);
	argc = split(text, argv, 64);
	options_init(o);
	assert_true(options_parse_case(o, command_find(STR("slow")), argc, argv,
				       is_repeat, &err));
}

/* A case may come from a stranger: it writes nothing, sends nothing. */
static void test_case_is_harmless(void **state)
{
	struct options o;

	(void)state;
	parse_case("id --record=/etc/x -o json=/etc/y -vo folded=z -ojson=q "
		   "-o /etc/y.json -o=y.svg -oz.txt "
		   "--token-file /etc/shadow -H a:b --proxy http://evil "
		   "--traces-url http://t --replay z -n 3 -o json",
		   true, &o);
	assert_null(o.record);
	assert_null(o.replay);
	assert_null(o.common.token_file);
	assert_null(o.common.proxy);
	assert_int_equal(o.common.header_count, 0);
	assert_int_equal(o.output_count, 1);
	assert_null(o.outputs[0].path);
	assert_string_equal(o.traces_url, "http://t");
	assert_string_equal(o.args[0], "id");
	assert_int_equal(o.limit, 3);
}

static void test_case_of_other_command(void **state)
{
	struct options o;

	(void)state;
	parse_case("id --baseline 1h --traces-url http://t -n 3 "
		   "--profiles-tenant-id p",
		   false, &o);
	assert_string_equal(o.traces_url, "http://t");
	assert_string_equal(o.sides[SERVER_PROFILES].tenant_id, "p");
	assert_null(o.baseline);
	assert_int_equal(o.limit, 10);
	assert_int_equal(o.arg_count, 0);
}

static void test_case_outputs_replaced(void **state)
{
	static const char *const argv[] = { "-o", "folded", "-n", "2" };
	struct options o;
	struct error err;

	(void)state;
	parse_case("id -o json -n 3", true, &o);
	assert_true(
		options_parse(&o, command_find(STR("slow")), 4, argv, &err));
	assert_int_equal(o.output_count, 1);
	assert_string_equal(o.outputs[0].format, "folded");
	assert_int_equal(o.limit, 2);
}

static void test_help_names_all_tools(void **state)
{
	const struct command *mcp = command_find(str_from("mcp"));

	(void)state;
	for (const struct tool *t = tools; t->name; t++) {
		char amid[64];
		char last[64];

		snprintf(amid, sizeof amid, " %s,", t->name);
		snprintf(last, sizeof last, " %s\n", t->name);
		if (!strstr(mcp->details, amid) && !strstr(mcp->details, last))
			fail_msg("%s is not named", t->name);
	}
}

/* Every form of every option with a value that is too long, damaged, empty
 * or missing, and far too often: an error that names it, or acceptance, and
 * never more. */
static void abuse(const struct option_form *form, const char *value,
		  int repeats)
{
	const struct command *command = commands;
	char name[OPTION_NAME_BYTES + 2] = "--";
	const char *argv[2 * 100];
	struct options o;
	struct error err;
	int argc = 0;

	option_form_name(form, name + 2);
	while (!(form->row->commands & command->bit))
		command++;
	for (int i = 0; i < repeats; i++) {
		argv[argc++] = name;
		if (value)
			argv[argc++] = value;
	}
	options_init(&o);
	if (options_parse(&o, command, argc, argv, &err))
		return;
	assert_int_equal(err.code, ERROR_USAGE);
	assert_true(value && form->row->kind == OPTION_FLAG
			    ? strlen(err.message) > 0
			    : strstr(err.message, name) != NULL);
}

static void test_abuse(void **state)
{
	char *large = mem_alloc(MIB + 1);
	struct option_form form;
	size_t forms = 0;

	(void)state;
	memset(large, 'x', MIB);
	large[MIB] = '\0';
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		if (form.prefix->text[0] && !(form.row->flags & OPTION_SIDED))
			continue;
		/* A key of the configuration only. */
		if (!form.row->commands)
			continue;
		abuse(&form, NULL, 1);
		abuse(&form, "", 1);
		abuse(&form, large, 1);
		abuse(&form, "\xff\xfe\x80", 1);
		abuse(&form, "1", 100);
		abuse(&form, "{a=b}", 100);
		abuse(&form, "--help", 1);
		forms++;
	}
	mem_free(large);
	assert_true(forms > 60);
}

/* What is too large is refused for texts of every kind, files too. */
static void test_large_values(void **state)
{
	char *large = mem_alloc(MIB + 1);
	const char *argv[2] = { "--token-file", large };
	struct options o;
	struct error err;

	(void)state;
	memset(large, 'x', MIB);
	large[MIB] = '\0';
	options_init(&o);
	assert_false(options_parse(&o, &commands[0], 2, argv, &err));
	assert_string_equal(err.message, "--token-file: the value is longer "
					 "than 65536 bytes");
	argv[0] = large;
	assert_false(options_parse(&o, &commands[0], 1, argv, &err));
	assert_string_equal(err.message,
			    "an argument is longer than 65536 bytes");
	mem_free(large);
}

/* Rows that cannot work, whatever the user types. */
static void test_table_is_sound(void **state)
{
	struct option_form form, other;
	char name[OPTION_NAME_BYTES];

	(void)state;
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		const struct option_row *row = form.row;

		if (form.prefix->text[0] && !(row->flags & OPTION_SIDED))
			continue;
		option_form_name(&form, name);
		assert_true(strlen(name) + 1 < OPTION_NAME_BYTES);
		assert_true(option_form_find(&options_table, str_from(name),
					     &other));
		assert_int_equal(other.number, i);
		assert_non_null(row->group);
		assert_non_null(row->help);
		assert_true(row->commands || (row->flags & OPTION_CONFIG));
		assert_true((row->kind == OPTION_FLAG) == !row->metavar);
		if (row->kind == OPTION_WORD || row->kind == OPTION_INDEX)
			assert_non_null(row->words);
		if (row->kind == OPTION_U64 || row->kind == OPTION_DURATION)
			assert_true(row->min < row->max);
	}
}

static void test_letters_are_distinct(void **state)
{
	int seen[128] = { 0 };

	(void)state;
	for (size_t i = 0; i < options_table.row_count; i++)
		seen[(unsigned char)options_table.rows[i].letter]++;
	for (int letter = 1; letter < 128; letter++)
		assert_in_range(seen[letter], 0, 1);
}

static void test_quiet_letter(void **state)
{
	struct options o;

	(void)state;
	read_ok("search", "-q --query {}", &o);
	assert_string_equal(o.query, "{}");
	assert_true(o.quiet);
	read_ok("show", "-q 4bf9", &o);
	assert_true(o.quiet);
	assert_string_equal(o.args[0], "4bf9");
}

UNIT_TESTS(options)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_defaults, clear_environment),
		cmocka_unit_test_setup(test_choices, clear_environment),
		cmocka_unit_test_setup(test_quiet_letter,
				       clear_environment),
		cmocka_unit_test_setup(test_outputs, clear_environment),
		cmocka_unit_test_setup(test_refusals, clear_environment),
		cmocka_unit_test_setup(test_credentials, clear_environment),
		cmocka_unit_test_setup(test_other_name, clear_environment),
		cmocka_unit_test_setup(test_sides, clear_environment),
		cmocka_unit_test_setup(test_environment, clear_environment),
		cmocka_unit_test_setup(test_environment_secrets,
				       clear_environment),
		cmocka_unit_test_setup(test_profilecli, clear_environment),
		cmocka_unit_test_setup(test_record_args, clear_environment),
		cmocka_unit_test(test_case_is_harmless),
		cmocka_unit_test(test_case_of_other_command),
		cmocka_unit_test(test_case_outputs_replaced),
		cmocka_unit_test(test_abuse),
		cmocka_unit_test(test_large_values),
		cmocka_unit_test(test_help_names_all_tools),
		cmocka_unit_test(test_table_is_sound),
		cmocka_unit_test(test_letters_are_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
