/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "model/source_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

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

static void test_stable(void **state)
{
	static const char *const pairs[][2] = {
		{ "/srv/users/views.py", "users/views.py" },
		{ "views.py", "views.py" },
		{ "", "" },
		{ "C:\\shop\\users\\views.py", "users/views.py" },
		/* folders of releases, layers, temporary files */
		{ "/srv/releases/20261129101500/views.py",
		  "releases/views.py" },
		{ "/srv/shop-1.2.3/views.py", "shop-*/views.py" },
		{ "/srv/shop/v7/views.py", "shop/views.py" },
		{ "/srv/shop/1.2.3-rc1/views.py", "shop/views.py" },
		{ "/overlay2/3f2a91bc77/merged/views.py", "merged/views.py" },
		{ "/tmp/tmpab12cd_x/views.py", "tmp/views.py" },
		{ "/tmp/tmp.Qe3kXw91Lb/shop/views.py", "shop/views.py" },
		{ "/tmp/_MEI123456/views.py", "tmp/views.py" },
		{ "/usr/lib/python3.11/os.py", "python*/os.py" },
		{ "/node_modules/express@4.18.2/router.js",
		  "express@*/router.js" },
		{ "/7/views.py", "views.py" },
		/* bundles */
		{ "https://a.example/js/main.3f2a91bc.js?v=7", "js/main.*.js" },
		{ "/js/main.3f2a91bc.chunk.js", "js/main.*.chunk.js" },
		{ "/js/main-5QYZ2XKM.js", "js/main-*.js" },
		{ "/js/index-BxT3k2aQ.js", "js/index-*.js" },
		{ "/js/index-Bx-3_2aQ.js", "js/index-*.js" },
		{ "/js/4bd1b696-182b6b13bdad92e3.js", "js/4bd1b696-*.js" },
		{ "/js/3f2a91bc.js", "js/*.js" },
		{ "/js/jquery-3.6.0.min.js", "js/jquery-*.min.js" },
		{ "/js/main.js", "js/main.js" },
		{ "/js/main.min.js", "js/main.min.js" },
		/* libraries */
		{ "/usr/lib/libz.so.1.2.13", "lib/libz.so" },
		{ "/usr/lib/libz.so", "lib/libz.so" },
		{ "/usr/lib/libc-2.31.so", "lib/libc-*.so" },
		{ "/app/spring-core-5.3.20.jar", "app/spring-core-*.jar" },
		{ "/tmp/work (deleted)", "tmp/work" },
		/* What only looks so. */
		{ "/srv/tmpl/views.py", "tmpl/views.py" },
		{ "/srv/shop/settings-Settings.js",
		  "shop/settings-Settings.js" },
		{ "/srv/shop/api-Version2.js", "shop/api-Version2.js" },
		{ "/srv/shop/user-userInfo.js", "shop/user-userInfo.js" },
		{ "/srv/shop/handlers-2.py", "shop/handlers-2.py" },
		{ "/srv/v8/src/a.cc", "src/a.cc" },
		{ "/srv/utf8/deadbeef.c", "utf8/deadbeef.c" },
		{ "<frozen importlib._bootstrap>",
		  "<frozen importlib._bootstrap>" },
		{ "node:internal/timers", "node:internal/timers" },
	};
	struct buf out, twice;

	(void)state;
	buf_init(&out, 4096);
	buf_init(&twice, 4096);
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		buf_clear(&out);
		buf_clear(&twice);
		source_path_stable(str_from(pairs[i][0]), &out);
		source_path_stable(buf_str(&out), &twice);
		if (strcmp(buf_text(&out), pairs[i][1]) ||
		    strcmp(buf_text(&twice), pairs[i][1]))
			fail_msg("%s: %s, %s, not %s", pairs[i][0],
				 buf_text(&out), buf_text(&twice), pairs[i][1]);
	}
	buf_release(&out);
	buf_release(&twice);
}

static void test_end(void **state)
{
	static const char *const pairs[][2] = {
		{ "/srv/users/views.py", "users/views.py" },
		{ "users/views.py", "users/views.py" },
		{ "/views.py", "/views.py" },
		{ "views.py", "views.py" },
		{ "a\\b\\c.cs", "b\\c.cs" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		if (!str_equal(source_path_end(str_from(pairs[i][0])),
			       str_from(pairs[i][1])))
			fail_msg("%s", pairs[i][0]);
}

static void test_of_process(void **state)
{
	static const char *const some[] = {
		"/tmp/perf-123.map",
		"perf-1.map",
		"/tmp/jitted-123-45.so",
		"/tmp/jit-123.dump",
		"//anon",
		"[anon:v8]",
		"/memfd:doublemapper (deleted)",
		"/dev/zero",
		"anon_inode:[perf]",
		"[heap]",
		"[stack]",
		"[JIT] tid 123",
		"/SYSV00000000 (deleted)",
	};
	static const char *const none[] = {
		"",
		"/usr/lib/libc.so.6",
		"/tmp/perf-work.map",
		"/tmp/perf.map",
		"perf-.map",
		"/opt/jitted-core.so",
		"[kernel.kallsyms]",
		"[vdso]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(some); i++)
		if (!source_path_is_of_process(str_from(some[i])))
			fail_msg("%s", some[i]);
	for (size_t i = 0; i < COUNT_OF(none); i++)
		if (source_path_is_of_process(str_from(none[i])))
			fail_msg("%s", none[i]);
}

UNIT_TESTS(source_path)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_root_found),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_of_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
