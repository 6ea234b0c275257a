/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "model/source_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/num.h"

static void assert_short(const char *file, const char *root, const char *want)
{
	struct str got = source_path_shorten(str_from(file), str_from(root));

	if (!str_equal(got, str_from(want)))
		fail_msg("%s: %.*s, not %s", file, STR_ARGS(got), want);
}

static void test_caches(void **state)
{
	static const char *const pairs[][2] = {
		{ "/root/go/pkg/mod/github.com/lib/pq@v1.10.9/conn.go",
		  "github.com/lib/pq@v1.10.9/conn.go" },
		{ "/usr/local/go/src/runtime/proc.go", "runtime/proc.go" },
		{ "/usr/lib/go-1.22/src/net/http/server.go",
		  "net/http/server.go" },
		{ "/home/jo/sdk/go1.22.0/src/runtime/proc.go",
		  "runtime/proc.go" },
		{ "/root/go/pkg/mod/golang.org/"
		  "toolchain@v0.0.1-go1.22.5.linux-amd64/src/runtime/proc.go",
		  "runtime/proc.go" },
		{ "/opt/hostedtoolcache/go/1.22.1/x64/src/fmt/print.go",
		  "fmt/print.go" },
		{ "C:\\Users\\jo\\go\\pkg\\mod\\gopkg.in\\yaml.v3\\decode.go",
		  "gopkg.in\\yaml.v3\\decode.go" },
		{ "/root/.cargo/registry/src/"
		  "index.crates.io-6f17d22bba15001f/serde-1.0.188/src/de.rs",
		  "serde-1.0.188/src/de.rs" },
		{ "/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/"
		  "core/src/fmt/mod.rs",
		  "core/src/fmt/mod.rs" },
		{ "/root/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/"
		  "lib/rustlib/src/rust/library/alloc/src/vec/mod.rs",
		  "alloc/src/vec/mod.rs" },
		{ "/app/node_modules/express/node_modules/qs/lib/parse.js",
		  "qs/lib/parse.js" },
		{ "file:///app/node_modules/express/index.js",
		  "express/index.js" },
		{ "node_modules/express/index.js", "express/index.js" },
		{ "/usr/lib/python3.11/json/decoder.py", "json/decoder.py" },
		{ "/venv/lib/python3.11/site-packages/flask/app.py",
		  "flask/app.py" },
		{ "/usr/lib/python3/dist-packages/yaml/reader.py",
		  "yaml/reader.py" },
		{ "/usr/local/bundle/ruby/3.2.0/gems/rack-2.2.8/lib/rack.rb",
		  "rack-2.2.8/lib/rack.rb" },
		{ "/usr/local/lib/ruby/3.2.0/json/common.rb",
		  "json/common.rb" },
		{ "/usr/include/c++/12/bits/stl_vector.h",
		  "c++/12/bits/stl_vector.h" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		assert_short(pairs[i][0], "", pairs[i][1]);
}

/* Names that only look like folders of a cache, and paths that end there. */
static void test_kept(void **state)
{
	static const char *const kept[] = {
		"",
		"users.go",
		"/build/shop/users.go",
		"/srv/gopher/src/main.go",
		"/srv/x/src/main.go",
		"/root/go/pkg/mod/",
		"/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869",
		"/home/jo/rustc/a/b/c.rs",
		"/app/usr/include/list.h",
		"file://",
		"<string>",
		"node:internal/timers",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		assert_short(kept[i], "", kept[i]);
}

static void test_root(void **state)
{
	(void)state;
	assert_short("/build/shop/store/users.go", "/build/shop/",
		     "store/users.go");
	assert_short("/elsewhere/x.go", "/build/shop/", "/elsewhere/x.go");
	/* Nothing would be left. */
	assert_short("/build/shop/", "/build/shop/", "/build/shop/");
	assert_short("/x.go", "/", "/x.go");
	/* A cache says more than the root it lies in. */
	assert_short("/app/node_modules/qs/x.js", "/app/", "qs/x.js");
}

static void assert_root(const char *const *files, size_t count,
			const char *want)
{
	struct source_root root = { .is_begun = false };

	for (size_t i = 0; i < count; i++)
		source_root_add(&root, str_from(files[i]));
	if (!str_equal(root.folder, str_from(want)))
		fail_msg("%.*s, not %s", STR_ARGS(root.folder), want);
}

#define ROOT(want, ...)                                                        \
	assert_root((const char *const[]){ __VA_ARGS__ },                      \
		    COUNT_OF(((const char *const[]){ __VA_ARGS__ })), want)

static void test_root_found(void **state)
{
	(void)state;
	ROOT("/build/shop/", "/build/shop/store/users.go",
	     "/build/shop/main.go", "/build/shop/store/carts.go");
	/* By whole folders. */
	ROOT("/build/", "/build/shop/a.go", "/build/shelf/a.go");
	ROOT("/", "/build/a.go", "/srv/a.go");
	ROOT("", "shop/a.go", "cart/a.go");
	/* Others' files, and texts that are none, do not count. */
	ROOT("/app/", "<string>", "", "handler.py",
	     "/venv/lib/python3.11/site-packages/flask/app.py",
	     "/usr/local/go/src/runtime/proc.go", "/app/web.py");
	ROOT("C:\\shop\\", "C:\\shop\\a.cs", "C:\\shop/db/b.cs");
	ROOT("", "handler.py");
}

UNIT_TESTS(source_path)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_root_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
