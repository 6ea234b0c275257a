/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit.h"
#include "analyze/code_kind.h"
#include "analyze/code_index.h"

#define APP CODE_APPLICATION
#define DB CODE_DATABASE
#define HTTP CODE_HTTP_CLIENT
#define SER CODE_SERIALISATION
#define LOCK CODE_LOCK
#define GC CODE_GC_ALLOC
#define RUN CODE_RUNTIME
#define KERNEL CODE_KERNEL
#define IDLE CODE_IDLE
#define LIB CODE_LIBRARY
#define STD CODE_STDLIB
#define NONE CODE_UNKNOWN

struct example {
	const char *name;
	const char *file;
	enum code_kind kind;
	unsigned int profile; /* languages, 0 unknown */
};

static void check(const struct example *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct example *e = &rows[i];
		struct code_class have = code_classify(
			NULL, str_from(e->name), str_from(e->file), e->profile);

		if (have.kind != e->kind)
			fail_msg("\"%s\" in \"%s\": %s, not %s", e->name,
				 e->file, code_kind_name(have.kind),
				 code_kind_name(e->kind));
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void test_go(void **state)
{
	static const struct example rows[] = {
		{ "main.main", "", APP, 0 },
		{ "main.main.func1", "profgen/main.go", APP, 0 },
		{ "shop/internal/store.(*UserRepository).FindByEmail", "", APP,
		  0 },
		{ "shop/internal/httpx.Handler.ServeHTTP",
		  "shop/internal/httpx/httpx.go", APP, 0 },
		{ "github.com/acme/userdb/store.(*DB).query", "", APP, 0 },
		{ "github.com/acme/userdb/store.(*DB).query",
		  "/src/userdb/store/db.go", APP, 0 },
		{ "github.com/prometheus/prometheus/tsdb.(*Head).Init",
		  "/build/tsdb/head.go", APP, 0 },
		{ "github.com/prometheus/client_golang/prometheus.(*vec).With",
		  "", LIB, 0 },
		{ "github.com/lib/pq.(*conn).recv1", "", DB, 0 },
		{ "github.com/unheard/of.Run",
		  "/root/go/pkg/mod/github.com/unheard/of@v1.0.0/a.go", LIB,
		  0 },
		{ "github.com/unheard/of.Run",
		  "github.com/unheard/of@v1.0.0/a.go", LIB, 0 },
		{ "github.com/acme/x/vendor/y.Run", "/app/vendor/y/y.go", LIB,
		  0 },
		{ "github.com/go-chi/chi/v5.(*Mux).ServeHTTP", "", LIB, 0 },
		{ "github.com/golang-jwt/jwt/v5.(*Parser).Parse", "", LIB, 0 },
		{ "modernc.org/sqlite/lib._sqlite3VdbeExec", "", DB, 0 },
		{ "go.opentelemetry.io/otel/sdk/trace.(*tracer).Start", "", LIB,
		  0 },
		{ "google.golang.org/grpc.(*Server).handleStream", "", LIB, 0 },
		{ "golang.org/x/crypto/bcrypt.bcrypt", "", LIB, 0 },
		{ "vendor/golang.org/x/net/http2/hpack.NewDecoder", "", STD,
		  0 },
		{ "gopkg.in/yaml%2ev3.unmarshal", "", SER, 0 },
		{ "net/http.(*conn).serve", "", STD, 0 },
		{ "net/http.HandlerFunc.ServeHTTP",
		  "/usr/local/go/src/net/http/server.go", STD, 0 },
		{ "database/sql.(*DB).QueryContext", "", DB, 0 },
		{ "database/sql.(*DB).conn", "", DB, 0 },
		{ "encoding/json.Marshal", "", SER, 0 },
		{ "strings.Builder.WriteString", "", STD, GO },
		{ "context.WithValue", "", STD, GO },
		{ "sync.(*Mutex).Lock", "", LOCK, 0 },
		{ "slices.SortFunc[go.shape.[]uint8]", "", STD, 0 },
		{ "crypto/internal/fips140/sha256.blockSHANI",
		  "crypto/internal/fips140/sha256/sha256block_amd64.s", STD,
		  0 },
		{ "internal/poll.(*FD).Read", "", STD, 0 },
		{ "regexp/syntax.(*parser).parse", "", STD, 0 },
		{ "runtime/pprof.(*profileBuilder).build", "", STD, 0 },
		{ "runtime.mallocgc", "", GC, GO },
		{ "runtime.gcBgMarkWorker.func2", "", GC, 0 },
		{ "internal/runtime/syscall.Syscall6", "", KERNEL, 0 },
		{ "internal/runtime/maps.(*Map).getWithKey", "", RUN, 0 },
		{ "aeshashbody", "", RUN, GO },
		{ "some_c_function", "", NONE, GO },
		{ "some_assembler", "/src/sum_amd64.s", RUN, GO },
		{ "spin", "/src/shop/spin.go", APP, GO },
		{ "spin", "", APP, 0 },
		{ "internal/worker.(*Pool).run", "", APP, 0 },
		{ "indexer.Run", "", APP, GO },
		{ "timekeeper.Tick", "", APP, GO },
	};

	(void)state;
	CHECK(rows);
}

static void test_jvm(void **state)
{
	static const struct example rows[] = {
		{ "com/acme/checkout/web/CheckoutController.checkout", "", APP,
		  0 },
		{ "com.acme.checkout.service.OrderService.history",
		  "OrderService.java", APP, 0 },
		{ "com/example/cart/Server.lambda$start$0", "", APP, 0 },
		{ "com/example/cart/Pricing$$Lambda/0x00007f1c2c0a1a40.apply",
		  "", APP, 0 },
		{ "com/google/shop/Cart.add", "", APP, 0 },
		{ "io/acme/Billing.run", "", APP, 0 },
		{ "org/acme/App.main", "App.kt", APP, 0 },
		{ "com/acme/Repo$$EnhancerBySpringCGLIB$$1a2b3c.find", "", LIB,
		  0 },
		{ "java/lang/Thread.run", "", STD, 0 },
		{ "java.util.HashMap.getNode", "HashMap.java", STD, 0 },
		{ "javax/crypto/Cipher.doFinal", "", STD, 0 },
		{ "jdk/internal/misc/Unsafe.park", "", IDLE, 0 },
		{ "sun/nio/ch/EPoll.wait", "", IDLE, 0 },
		{ "com/sun/crypto/provider/GHASH.processBlock", "", STD, 0 },
		{ "kotlin/collections/CollectionsKt.map", "", STD, 0 },
		{ "scala/collection/immutable/List.map", "", STD, 0 },
		{ "clojure/core$map.invoke", "", STD, 0 },
		{ "jakarta/servlet/http/HttpServlet.service", "", LIB, 0 },
		{ "org/springframework/web/servlet/"
		  "DispatcherServlet.doDispatch",
		  "", LIB, 0 },
		{ "org.hibernate.internal.SessionImpl.find", "", DB, JVM },
		{ "org/postgresql/core/PGStream.receiveTupleV3", "", DB, 0 },
		{ "org/apache/kafka/clients/NetworkClient.poll", "", LIB, 0 },
		{ "com/zaxxer/hikari/pool/HikariPool.getConnection", "", DB,
		  0 },
		{ "com/fasterxml/jackson/databind/ObjectMapper.writeValue", "",
		  SER, 0 },
		{ "io/netty/channel/nio/NioEventLoop.run", "", LIB, 0 },
		{ "ch/qos/logback/classic/Logger.info", "", LIB, 0 },
		{ "one/profiler/AsyncProfiler.execute0", "", LIB, 0 },
		{ "reactor/core/publisher/FluxMap.subscribe", "", LIB, 0 },
		{ "com/google/common/cache/LocalCache.get", "", LIB, 0 },
		{ "G1ParScanThreadState::trim_queue_to_threshold", "", GC, 0 },
		{ "oopDesc::oop_iterate_backwards", "", GC, JVM },
		{ "PhaseIdealLoop::build_and_optimize", "", RUN, JVM },
		{ "thread_native_entry", "", RUN, 0 },
		{ "[unknown_Java]", "", NONE, 0 },
		{ "deoptimization_blob", "", RUN, JVM },
	};

	(void)state;
	CHECK(rows);
}

static void test_python(void **state)
{
	static const struct example rows[] = {
		{ "acme.pricing.engine.price_basket", "acme/pricing/engine.py",
		  APP, 0 },
		{ "acme.pricing.engine.price_basket", "", APP, 0 },
		{ "acme/pricing/engine.py price_basket", "", APP, 0 },
		{ "handle", "/app/work.py", APP, 0 },
		{ "<module>", "/app/work.py", APP, 0 },
		{ "crunch.<locals>.<genexpr>", "/app/work.py", APP, 0 },
		{ "select", "/app/models/select.py", APP, 0 },
		{ "work - /app/lib/server.py", "", APP, 0 },
		{ "JSONEncoder.encode", "/usr/lib/python3.11/json/encoder.py",
		  SER, 0 },
		{ "loads", "/usr/lib/python3.11/json/__init__.py", SER, 0 },
		{ "tag_wrapper",
		  "/usr/lib/python3.11/site-packages/pyroscope/__init__.py",
		  LIB, 0 },
		{ "wsgi_app",
		  "/srv/venv/lib/python3.12/site-packages/flask/app.py", LIB,
		  0 },
		{ "_find_and_load", "<frozen importlib._bootstrap>", STD, 0 },
		{ "json/__init__.py loads", "", SER, 0 },
		{ "json.dumps", "", SER, PYTHON },
		{ "threading._bootstrap", "threading.py", STD, 0 },
		{ "re._compile", "", STD, PYTHON },
		{ "flask.app.wsgi_app", "", LIB, PYTHON },
		{ "flask/app.py wsgi_app", "", LIB, 0 },
		{ "sqlalchemy.engine.base._execute_context",
		  "sqlalchemy/engine/base.py", DB, 0 },
		{ "psycopg2.extensions.execute", "", DB, PYTHON },
		{ "numpy.core._methods._sum", "", LIB, PYTHON },
		{ "celery.app.trace.trace_task", "", LIB, PYTHON },
		{ "grpc._server._call_behavior", "", LIB, PYTHON },
		{ "gc.collect", "", GC, PYTHON },
		{ "_PyEval_EvalFrameDefault", "", RUN, 0 },
		{ "list_sort_impl", "/build/Objects/listobject.c", RUN,
		  PYTHON },
		{ "jsonschema_of_ours.check", "", APP, PYTHON },
	};

	(void)state;
	CHECK(rows);
}

static void test_node(void **state)
{
	static const struct example rows[] = {
		{ "homeController.load", "/app/src/home_controller.js", APP,
		  0 },
		{ "homeController.load", "", APP, NODE },
		{ "./src/orders.ts:placeOrder:12", "", APP, 0 },
		{ "(anonymous)", "/app/src/server.js", APP, 0 },
		{ "Worker.run", "/app/src/worker.js", APP, 0 },
		{ "handle", "/app/node_modules/express/lib/router/layer.js",
		  LIB, 0 },
		{ "./node_modules/express/lib/router/layer.js:handle:86", "",
		  LIB, 0 },
		{ "Layer.handle_request", "", LIB, NODE },
		{ "express.query", "", LIB, NODE },
		{ "lodash.cloneDeep", "", LIB, NODE },
		{ "Client.query", "", DB, NODE },
		{ "ReactPartialRenderer.read", "", LIB, NODE },
		{ "emit", "node:events", STD, 0 },
		{ "processTicksAndRejections",
		  "node:internal/process/task_queues", STD, 0 },
		{ "node:internal/timers:listOnTimeout:569", "", STD, 0 },
		{ "JSON.stringify", "", SER, NODE },
		{ "Map.get", "", STD, NODE },
		{ "ServerResponse._storeHeader", "", STD, NODE },
		{ "(garbage collector)", "", GC, 0 },
		{ "(program)", "", RUN, 0 },
		{ "(idle)", "", IDLE, 0 },
		{ "(root)", "", RUN, 0 },
		{ "node::AsyncWrap::MakeCallback", "", RUN, NODE },
		{ "send", "", APP, NODE },
	};

	(void)state;
	CHECK(rows);
}

static void test_dotnet_and_ruby(void **state)
{
	static const struct example rows[] = {
		{ "Acme.Orders!OrderService.Place", "", APP, 0 },
		{ "Acme.Orders.OrderService.Place", "OrderService.cs", APP, 0 },
		{ "System.Threading.Thread.StartCallback", "", STD, 0 },
		{ "System.Private.CoreLib!System.String.Concat", "", STD, 0 },
		{ "Microsoft.AspNetCore.Server.Kestrel.Core!HttpProtocol.Run",
		  "", LIB, 0 },
		{ "Npgsql.NpgsqlCommand.ExecuteReader", "", DB, 0 },
		{ "Newtonsoft.Json.JsonConvert.SerializeObject", "", SER, 0 },
		{ "SVR::gc_heap::mark_object", "", GC, DOTNET },
		{ "OrdersController#index", "/app/controllers/orders.rb", APP,
		  0 },
		{ "Acme::Pricing#total", "", APP, RUBY },
		{ "work - /app/lib/server.rb", "", APP, 0 },
		{ "call", "/usr/local/bundle/gems/rack-3.0/lib/rack.rb", LIB,
		  0 },
		{ "parse", "/usr/local/lib/ruby/3.3.0/json/common.rb", SER, 0 },
		{ "times", "<internal:numeric>", STD, 0 },
		{ "ActiveRecord::Relation#load", "", DB, 0 },
		{ "Puma::Server#process_client", "", LIB, 0 },
		{ "Integer#times", "", STD, 0 },
		{ "Array#each", "", STD, 0 },
	};

	(void)state;
	CHECK(rows);
}

static void test_rust_and_native(void **state)
{
	static const struct example rows[] = {
		{ "shop::repeat<shop::Cart::Cart(int)::{lambda(int)#1}>", "",
		  APP, 0 },
		{ "_init", "", RUN, 0 },
		{ "shop::orders::place", "src/orders.rs", APP, 0 },
		{ "shop::orders::place::h0123456789abcdef", "", APP, 0 },
		{ "<shop::Order as serde::ser::Serialize>::serialize", "", APP,
		  0 },
		{ "core::fmt::Formatter::pad_integral", "", STD, 0 },
		{ "_ZN4core3fmt9Formatter12pad_integral17h0123456789abcdefE",
		  "", STD, 0 },
		{ "_ZN4shop6orders5place17h0123456789abcdefE", "", APP, 0 },
		{ "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "",
		  STD, 0 },
		{ "tokio::runtime::scheduler::current_thread::Core::run", "",
		  RUN, RUST },
		{ "serde_json::ser::to_vec",
		  "/root/.cargo/registry/src/x/serde_json-1.0/src/ser.rs", SER,
		  0 },
		{ "poll", "/rustc/90b35a/library/core/src/future.rs", STD, 0 },
		{ "__rust_alloc", "", GC, 0 },
		{ "main", "", APP, 0 },
		{ "handle_request", "/src/app/server.c", APP, 0 },
		{ "acme::Cart::add(acme::Item const&)", "", APP, 0 },
		{ "std::vector<int, std::allocator<int> >::push_back(int&&)",
		  "", STD, 0 },
		{ "void std::__introsort_loop<int*>(int*)", "", STD, 0 },
		{ "operator new(unsigned long)", "", GC, NATIVE },
		{ "boost::asio::io_context::run()", "", LIB, 0 },
		{ "google::protobuf::MessageLite::ParseFromArray", "", SER,
		  NATIVE },
		{ "EVP_DigestUpdate", "", LIB, 0 },
		{ "sqlite3VdbeExec", "", DB, 0 },
		{ "malloc", "", GC, 0 },
		{ "__memmove_avx_unaligned_erms", "", RUN, 0 },
		{ "__memmove_avx_unaligned_erms", "", RUN, NATIVE | RUST },
		{ "__memchr_avx2", "", RUN, NATIVE },
		{ "__strcasecmp_l_avx2", "", RUN, RUST },
		{ "__exp_fma", "", STD, 0 },
		{ "__log_fma", "", STD, NATIVE },
		{ "__log_fma", "", STD, RUST },
		{ "__ieee754_pow_sse2", "", STD, NATIVE },
		{ "__udivti3", "", STD, RUST },
		{ "exp", "", STD, NATIVE },
		{ "log", "src/log.c", APP, NATIVE },
		{ "exponent", "", APP, NATIVE },
		{ "__my_exp", "", APP, NATIVE },
		{ "dgemm_kernel_HASWELL", "", LIB, NATIVE },
		{ "GOMP_parallel", "", RUN, NATIVE },
		{ "pthread_mutex_lock", "", LOCK, 0 },
		{ "_start", "", RUN, 0 },
		{ "[libc.so.6+0x29d90]", "", RUN, 0 },
		{ "[libfoo.so.1+0x1234]", "", LIB, 0 },
		{ "[shop+0x1234]", "", APP, 0 },
		{ "do_syscall_64", "", KERNEL, 0 },
		{ "tcp_sendmsg", "", KERNEL, 0 },
		{ "ext4_file_write_iter_[k]", "", KERNEL, 0 },
		{ "[unknown]", "", NONE, 0 },
		{ "other", "", NONE, 0 },
		{ "0xfffffffffffffffe", "", NONE, 0 },
		{ "0x4005d0", "", NONE, NATIVE },
		{ "0x?", "", NONE, 0 },
		{ "0x", "", APP, 0 },
		{ "0x4005d0_init", "", APP, NATIVE },
		{ "", "", APP, 0 },
		{ "Compiler::emit", "src/compiler.cpp", APP, 0 },
		{ "read", "src/reader.c", APP, 0 },
		{ "read", "", KERNEL, 0 },
		{ "read", "/usr/src/glibc/sysdeps/unix/sysv/linux/read.c", RUN,
		  0 },
	};

	(void)state;
	CHECK(rows);
}

static void test_kernel_entry(void **state)
{
	(void)state;
	assert_true(code_classify(NULL, STR("entry_SYSCALL_64_after_hwframe"),
				  STR(""), 0)
			    .is_kernel_entry);
	assert_true(code_classify(NULL, STR("__x64_sys_futex"), STR(""), 0)
			    .is_kernel_entry);
	assert_false(code_classify(NULL, STR("tcp_sendmsg"), STR(""), 0)
			     .is_kernel_entry);
}

/* Names that could be of several languages take those of the profile. */
static void test_profile_languages(void **state)
{
	struct language_votes python = { { 0 } }, mixed = { { 0 } };

	(void)state;
	assert_int_equal(language_votes_result(&python), 0);
	language_votes_add_function(&python, STR("json.dumps"), STR(""));
	assert_int_equal(language_votes_result(&python), GO | PYTHON | NODE);
	language_votes_add_function(&python, STR("acme.pricing.tax.vat_for"),
				    STR(""));
	assert_int_equal(language_votes_result(&python), PYTHON);
	language_votes_add_function(&mixed, STR("handle"), STR("/app/work.py"));
	language_votes_add_function(&mixed, STR("_int_malloc"), STR(""));
	assert_int_equal(language_votes_result(&mixed), PYTHON | NATIVE);
	/* A Go package named like Python's module, and the other way. */
	assert_int_equal(
		code_classify(NULL, STR("copy.Tree"), STR(""), GO).kind, APP);
	assert_int_equal(
		code_classify(NULL, STR("sort.by_price"), STR(""), PYTHON).kind,
		APP);
	assert_int_equal(code_classify(NULL, STR("time.Now"), STR(""), 0).kind,
			 STD);
}

/* Words are told apart by their first eight bytes before they are compared:
 * names that go on otherwise, end before, or have '/' for '.'. */
static void test_first_bytes(void **state)
{
	static const struct example rows[] = {
		{ "operator new(unsigned long)", "", GC, NATIVE },
		{ "operator_new", "", APP, NATIVE },
		{ "operator", "", APP, NATIVE },
		{ "encoding/xml.Marshal", "", SER, GO },
		{ "encodings/xml.Marshal", "", APP, GO },
		{ "encodin", "", APP, NATIVE },
		{ "java/util/HashMap.get", "", STD, JVM },
		{ "java.util.HashMap.get", "", STD, JVM },
		{ "javas/util/Map.get", "", APP, JVM },
		{ "sqrt", "", STD, NATIVE },
		{ "sqr", "", APP, NATIVE },
		{ "sqrts", "", APP, NATIVE },
	};

	(void)state;
	CHECK(rows);
}

/* Long and broken names must only be survived. */
static void test_hostile(void **state)
{
	static char long_name[70000];

	(void)state;
	for (size_t i = 0; i < sizeof long_name; i++)
		long_name[i] = "(<:.[#$/"[i % 8];
	code_classify(NULL, (struct str){ long_name, sizeof long_name },
		      (struct str){ long_name, sizeof long_name }, 0);
	assert_int_equal(
		code_classify(NULL, STR("_ZN99999999999999999999"), STR(""), 0)
			.kind,
		APP);
	assert_int_equal(code_classify(NULL, STR("_ZN"), STR(""), 0).kind, APP);
	assert_int_equal(code_classify(NULL, (struct str){ NULL, 0 },
				       (struct str){ NULL, 0 }, 0)
				 .kind,
			 APP);
}

UNIT_TESTS(code_kind)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_jvm),
		cmocka_unit_test(test_python),
		cmocka_unit_test(test_node),
		cmocka_unit_test(test_dotnet_and_ruby),
		cmocka_unit_test(test_rust_and_native),
		cmocka_unit_test(test_kernel_entry),
		cmocka_unit_test(test_profile_languages),
		cmocka_unit_test(test_first_bytes),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("analyze/code_kind", tests, NULL,
					   NULL);
}
