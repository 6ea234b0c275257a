/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "cli/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/timefmt.h"
#include "cli/commands.h"

/* A home folder of the test's own, which is also where it works. */
static char home[] = "/tmp/tracefind-config-XXXXXX";

static struct config config;
static struct options options;

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

static void folder(const char *name)
{
	assert_true(mkdir(name, 0700) == 0 || errno == EEXIST);
}

static int home_begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(home));
	assert_int_equal(chdir(home), 0);
	setenv("XDG_CONFIG_HOME", home, 1);
	folder("tracefind");
	folder("repo");
	folder("repo/.git");
	folder("repo/a");
	folder("repo/a/b");
	return 0;
}

static int home_end(void **state)
{
	char line[100];

	(void)state;
	snprintf(line, sizeof line, "rm -rf %s", home);
	return system(line);
}

static bool apply(const char *command, const char *user,
		  const char *const *argv, struct error *err)
{
	const struct command *c = command_find(str_from(command));
	int argc = 0;

	write_text("tracefind/config", user);
	while (argv && argv[argc])
		argc++;
	options_init(&options);
	return options_parse(&options, c, argc, argv, err) &&
	       config_load(&config, &options, err) &&
	       config_apply(&config, c, &options, err);
}

static void apply_ok(const char *user, const char *const *argv)
{
	struct error err;

	if (!apply("slow", user, argv, &err))
		fail_msg("%s", err.message);
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char two_contexts[] = "current-context = prod\n"
				   "timeout = 20s\n"
				   "retry = 5\n"
				   "map = a=b\n"
				   "insecure = yes\n"
				   "[context \"prod\"]\n"
				   "traces-url = https://tempo.prod\n"
				   "profiles-url = https://pyro.prod/x\n"
				   "token-file = /prod-token\n"
				   "profiles-tenant-id = p\n"
				   "tenant-id = t\n"
				   "insecure = no\n"
				   "timeout = 30s\n"
				   "map = c=d\n"
				   "[context \"dev\"]\n"
				   "traces-url = http://localhost:3200\n";

static void test_context(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok(two_contexts, NULL);
	assert_string_equal(config.context, "prod");
	assert_string_equal(options.traces_url, "https://tempo.prod");
	assert_string_equal(options.profiles_url, "https://pyro.prod/x");
	assert_int_equal(options.timeout_ns, 30 * NS_PER_S);
	assert_int_equal(options.retry, 5);
	assert_int_equal(options.map_count, 2);
	assert_string_equal(options.maps[0], "a=b");
	assert_string_equal(options.maps[1], "c=d");
	options_side(&options, SERVER_TRACES, &c);
	assert_string_equal(c.token_file, "/prod-token");
	assert_string_equal(c.tenant_id, "t");
	assert_false(c.insecure);
	options_side(&options, SERVER_PROFILES, &c);
	assert_string_equal(c.token_file, "/prod-token");
	assert_string_equal(c.tenant_id, "p");
	assert_true(options_given(&options, "traces-url"));
	config_release(&config);
}

static void test_other_context(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok(two_contexts, ARGS("--context", "dev"));
	assert_string_equal(options.traces_url, "http://localhost:3200");
	assert_null(options.profiles_url);
	assert_int_equal(options.timeout_ns, 20 * NS_PER_S);
	options_side(&options, SERVER_TRACES, &c);
	assert_null(c.token_file);
	assert_true(c.insecure);
	config_release(&config);
}

static void test_options_win(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok(two_contexts,
		 ARGS("--timeout=9s", "--tenant-id=x",
		      "--profiles-token-file=/mine", "--map=e=f"));
	assert_int_equal(options.timeout_ns, 9 * NS_PER_S);
	assert_int_equal(options.map_count, 1);
	options_side(&options, SERVER_TRACES, &c);
	assert_string_equal(c.tenant_id, "x");
	assert_string_equal(c.token_file, "/prod-token");
	options_side(&options, SERVER_PROFILES, &c);
	assert_string_equal(c.tenant_id, "x");
	assert_string_equal(c.token_file, "/mine");
	config_release(&config);
}

/* A secret of the environment is a credential like one of a file. */
static void test_secret_wins(void **state)
{
	struct options o;
	struct error err;

	(void)state;
	write_text("tracefind/config", two_contexts);
	options_init(&o);
	o.sides[SERVER_TRACES].token = "from the environment";
	assert_true(config_load(&config, &o, &err));
	assert_true(config_apply(&config, command_find(STR("slow")), &o, &err));
	assert_null(o.sides[SERVER_TRACES].token_file);
	assert_string_equal(o.sides[SERVER_PROFILES].token_file, "/prod-token");
	config_release(&config);
}

static void test_other_server(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok(two_contexts, ARGS("--traces-url=https://tempo.else"));
	options_side(&options, SERVER_TRACES, &c);
	assert_null(c.token_file);
	assert_null(c.tenant_id);
	options_side(&options, SERVER_PROFILES, &c);
	assert_string_equal(c.token_file, "/prod-token");
	config_release(&config);
	/* Plain http to the same host is another server, too. */
	apply_ok(two_contexts, ARGS("--traces-url=http://tempo.prod"));
	options_side(&options, SERVER_TRACES, &c);
	assert_null(c.token_file);
	config_release(&config);
	apply_ok(two_contexts,
		 ARGS("--traces-url=tempo+https://TEMPO.prod/prefix"));
	options_side(&options, SERVER_TRACES, &c);
	assert_string_equal(c.token_file, "/prod-token");
	config_release(&config);
}

/* A context that names one server only says nothing about a second one, unless
 * it names none at all. */
static void test_unnamed_server(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok("token-file = /t\ntraces-url = https://tempo.prod\n",
		 ARGS("--profiles-url=https://pyro.else"));
	options_side(&options, SERVER_PROFILES, &c);
	assert_null(c.token_file);
	options_side(&options, SERVER_TRACES, &c);
	assert_string_equal(c.token_file, "/t");
	config_release(&config);
	apply_ok("token-file = /t\n", ARGS("--profiles-url=https://pyro.else"));
	options_side(&options, SERVER_PROFILES, &c);
	assert_string_equal(c.token_file, "/t");
	config_release(&config);
}

/* As with options: a side's own credential replaces a common one. */
static void test_own_credential(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok("username = u\npassword-file = /p\n"
		 "traces-token-file = /t\n",
		 NULL);
	options_side(&options, SERVER_TRACES, &c);
	assert_string_equal(c.token_file, "/t");
	assert_null(c.password_file);
	assert_null(c.username);
	options_side(&options, SERVER_PROFILES, &c);
	assert_null(c.token_file);
	assert_string_equal(c.password_file, "/p");
	assert_string_equal(c.username, "u");
	config_release(&config);
}

static void test_headers(void **state)
{
	struct side_settings c;

	(void)state;
	apply_ok("header = A: 1\n[context \"x\"]\nheader = B: 2\n"
		 "traces-header = C: 3\n",
		 ARGS("--context=x"));
	options_side(&options, SERVER_TRACES, &c);
	assert_int_equal(c.header_count, 3);
	assert_string_equal(c.headers[2], "C: 3");
	options_side(&options, SERVER_PROFILES, &c);
	assert_int_equal(c.header_count, 2);
	config_release(&config);
}

static void assert_refused(const char *user, const char *const *argv,
			   const char *message)
{
	char text[LIMIT_ERROR_BYTES];
	struct error err;
	size_t len = strlen(home);

	/* Every '~' stands for the home folder. */
	text[0] = '\0';
	for (const char *at = message; *at; at++) {
		size_t used = strlen(text);

		if (*at == '~')
			memcpy(text + used, home, len + 1);
		else
			memcpy(text + used, (char[]){ *at, '\0' }, 2);
	}
	assert_false(apply("slow", user, argv, &err));
	assert_string_equal(err.message, text);
	config_release(&config);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(
		two_contexts, ARGS("--context=pord"),
		"--context: no context 'pord' in ~/tracefind/config; did you "
		"mean prod?");
	assert_refused("current-context = a\n", NULL,
		       "~/tracefind/config:1: no context 'a' in "
		       "~/tracefind/config; tracefind config list shows the "
		       "contexts");
	assert_refused("timeout = soon\n", NULL,
		       "~/tracefind/config:1: timeout: 'soon' is not a "
		       "duration such as 500ms, 30s or 1h30m");
}

/* A value that is wrong in another context is not this run's concern. */
static void test_other_is_unread(void **state)
{
	(void)state;
	apply_ok("[context \"a\"]\ntimeout = soon\n[context \"b\"]\n",
		 ARGS("--context=b"));
	config_release(&config);
}

static void test_writable(void **state)
{
	static const char text[] = "retry = 1\ntraces-token-command = t\n";

	(void)state;
	apply_ok(text, NULL);
	config_release(&config);
	assert_int_equal(chmod("tracefind/config", 0620), 0);
	assert_refused(text, NULL,
		       "~/tracefind/config:2: token-command: others may write "
		       "to this file, so it is not run: chmod 600 it");
	apply_ok("retry = 1\n", NULL);
	config_release(&config);
	assert_int_equal(chmod("tracefind/config", 0600), 0);
}

static void test_no_file(void **state)
{
	struct error err;

	(void)state;
	setenv("XDG_CONFIG_HOME", "/nowhere", 1);
	options_init(&options);
	assert_true(config_load(&config, &options, &err));
	assert_string_equal(config.user_path, "/nowhere/tracefind/config");
	assert_int_equal(config.user.count, 0);
	config_release(&config);
	/* Relative paths do not count. */
	setenv("XDG_CONFIG_HOME", "nowhere", 1);
	setenv("HOME", "/home/me", 1);
	assert_true(config_load(&config, &options, &err));
	assert_string_equal(config.user_path,
			    "/home/me/.config/tracefind/config");
	config_release(&config);
	unsetenv("HOME");
	assert_true(config_load(&config, &options, &err));
	assert_null(config.user_path);
	config_release(&config);
	setenv("XDG_CONFIG_HOME", home, 1);
}

/* Whoever reads from a pipe waits for ever; a link may lead to a file. */
static void test_no_plain_file(void **state)
{
	static const char path[] = "tracefind/config";
	char message[200];
	struct error err;

	(void)state;
	options_init(&options);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(20);
	assert_false(config_load(&config, &options, &err));
	alarm(0);
	snprintf(message, sizeof message,
		 "%s/%s is no file: no configuration can be read there", home,
		 path);
	assert_string_equal(err.message, message);
	assert_int_equal(err.code, ERROR_USAGE);
	config_release(&config);
	assert_int_equal(unlink(path), 0);
	/* What cannot be looked at may be one. */
	assert_int_equal(symlink("config", path), 0);
	assert_false(config_load(&config, &options, &err));
	assert_non_null(strstr(err.message, "cannot read: Too many levels"));
	assert_int_equal(err.code, ERROR_FORMAT);
	config_release(&config);
	assert_int_equal(unlink(path), 0);
	write_text("other", "timeout = 20s\n");
	assert_int_equal(symlink("../other", path), 0);
	assert_true(config_load(&config, &options, &err));
	assert_int_equal(config.user.count, 1);
	config_release(&config);
	assert_int_equal(unlink(path), 0);
}

static void in_folder(const char *name, const char *command,
		      const char *const *argv)
{
	struct error err;

	/* The user's file is written from the home folder. */
	write_text("tracefind/config", "map = u=v\n");
	assert_int_equal(chdir(name), 0);
	options_init(&options);
	if (!options_parse(&options, command_find(str_from(command)),
			   argv ? 1 : 0, argv, &err) ||
	    !config_load(&config, &options, &err) ||
	    !config_apply(&config, command_find(str_from(command)), &options,
			  &err))
		fail_msg("%s", err.message);
	assert_int_equal(chdir(home), 0);
}

static void test_repository(void **state)
{
	(void)state;
	write_text(".tracefind", "service = outside\n");
	in_folder("repo/a/b", "profile", NULL);
	assert_null(options.service);
	config_release(&config);
	write_text("repo/.tracefind", "service = top\nmap = x=y\n");
	in_folder("repo/a/b", "profile", NULL);
	assert_string_equal(options.service, "top");
	assert_int_equal(options.map_count, 2);
	assert_string_equal(options.maps[1], "x=y");
	config_release(&config);
	/* The nearest counts, and a folder is none. */
	write_text("repo/a/.tracefind", "service = near\n");
	folder("repo/a/b/.tracefind");
	in_folder("repo/a/b", "diff", NULL);
	assert_string_equal(options.service, "near");
	assert_int_equal(options.map_count, 1);
	config_release(&config);
	/* Where a service narrows the search for the culprit, and where a
	 * file is named, none is put in. */
	in_folder("repo/a/b", "slow", NULL);
	assert_null(options.service);
	config_release(&config);
	in_folder("repo/a/b", "profile", ARGS("file.pb.gz"));
	assert_null(options.service);
	config_release(&config);
	in_folder("repo/a/b", "profile", ARGS("--service=mine"));
	assert_string_equal(options.service, "mine");
	config_release(&config);
	/* Outside of a repository nothing is read. */
	in_folder(".", "profile", NULL);
	assert_null(options.service);
	config_release(&config);
}

static void test_origin(void **state)
{
	char origin[OPTION_ORIGIN_BYTES], wanted[OPTION_ORIGIN_BYTES];

	(void)state;
	apply_ok(two_contexts, ARGS("--profiles-url=http://mine"));
	options.config = &config;
	snprintf(wanted, sizeof wanted, "%s/tracefind/config:7", home);
	options_origin(&options, options.traces_url, "traces-url", origin);
	assert_string_equal(origin, wanted);
	options_origin(&options, options.profiles_url, "profiles-url", origin);
	assert_string_equal(origin, "--profiles-url");
	config_release(&config);
}

UNIT_TESTS(config)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_other_context),
		cmocka_unit_test(test_options_win),
		cmocka_unit_test(test_secret_wins),
		cmocka_unit_test(test_other_server),
		cmocka_unit_test(test_unnamed_server),
		cmocka_unit_test(test_own_credential),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_other_is_unread),
		cmocka_unit_test(test_writable),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_no_plain_file),
		cmocka_unit_test(test_repository),
		cmocka_unit_test(test_origin),
	};

	return cmocka_run_group_tests(tests, home_begin, home_end);
}
