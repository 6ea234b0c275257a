# SPDX-License-Identifier: Apache-2.0
"""The tricks that bench/ablation.py turns off, each by itself: edits of the
source, as (file, text, instead), or options of the build, and the jobs that
it can touch."""
from dataclasses import dataclass

PROFILES = ("P1", "P1 on two", "P2", "P3")
# Those that begin and end in milliseconds.
SHORT = ("start", "P3", "P11 html", "P9")


@dataclass(frozen=True)
class Trick:
    name: str
    jobs: tuple
    edits: tuple = ()
    options: tuple = ()


def linked(*names):
    """Mapped and bound at the start, whoever calls them."""
    libraries = ", ".join(f"'-l{name}'" for name in names)
    return (("src/meson.build", "link_args: found_by_libraries",
             "link_args: found_by_libraries + ['-Wl,--no-as-needed', "
             f"{libraries}]"),)


def without(file, call, instead=""):
    return ((file, call, instead),)


def no_prefetch(*files):
    return tuple((file, "__builtin_prefetch(", "(void)(") for file in files)


TRICKS = (
    Trick("libcurl opened late", SHORT, linked("curl")),
    Trick("libcrypto opened late", SHORT, linked("crypto")),
    Trick("ncurses opened late", SHORT, linked("ncursesw")),
    Trick("libzstd opened late", SHORT, linked("zstd")),
    Trick("functions of libcurl's libraries bound when called", ("P9",),
          without("src/base/library.c", "dlopen(file, RTLD_LAZY |",
                  "dlopen(file, RTLD_NOW |")),
    Trick("GnuTLS waits until it is used", ("P9",),
          without("src/wire/curl_calls.c", "return 1;", "return 0;")),
    Trick("64 KiB of an answer at a time", ("P9",),
          without("src/wire/http.c",
                  "keep(&rc, curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, "
                  "RECEIVE_BYTES));", "")),
    Trick("one large page, placed", PROFILES + SHORT[2:] +
          ("P7", "P10", "P4"),
          without("src/base/mem.c", "\tplace_heap();", "\t(void)place_heap;")),
    Trick("freed memory stays", PROFILES + ("P9", "P7", "P10", "P11 html"),
          (("src/base/mem.c", "mallopt(M_TRIM_THRESHOLD, INT_MAX);", ""),
           ("src/base/mem.c", "mallopt(M_MMAP_THRESHOLD, INT_MAX);", ""))),
    Trick("a task begins on another processor",
          ("P1 on two", "P2", "P3", "P7"),
          without("src/base/thread.c", "if (here >= 0)", "if (here < 0)")),
    Trick("threads are kept", ("P1 on two", "P2", "P3"),
          without("src/base/thread.c", "w = idle_take();",
                  "w = NULL; (void)idle_take;")),
    Trick("two files read side by side", ("P1 on two", "P2", "P3"),
          without("src/backend/files/files.c",
                  "if (!thread_is_worth_it() ||",
                  "if (true ||")),
    Trick("functions and tests in halves side by side",
          ("P1 on two", "P2", "P3"),
          without("src/base/thread.c", "count >= least", "false && least")),
    Trick("sums of both sides side by side", ("P1 on two", "P2", "P3"),
          without("src/analyze/function_totals.c",
                  "base->stack_count >= BESIDE_STACKS", "false")),
    Trick("identities of both sides side by side",
          ("P1 on two", "P2", "P3"),
          without("src/base/thread.c", "is_beside = is_worth_it &&",
                  "is_beside = false && is_worth_it &&")),
    Trick("sides of a merge side by side", ("P10",),
          without("src/model/profile_merge.c",
                  "&l->sides[1], true", "&l->sides[1], false")),
    Trick("folded lines cut and hashed beside", ("P7",),
          without("src/decode/folded.c",
                  "thread_try(&f->filler, fill_batches, f);",
                  "(void)fill_batches;")),
    Trick("the next piece of lines read beside", ("P7",),
          without("src/decode/folded.c",
                  "thread_start(&r->ahead, piece_read, p);",
                  "piece_read(p);")),
    Trick("packed samples of files", PROFILES + ("P10", "P12"),
          without("src/backend/files/files.c",
                  "\t\tallow_packed(order, &want);",
                  "\t\t(void)allow_packed; (void)order;")),
    Trick("packed samples of files too large to order",
          ("P10", "P12"),
          without("src/backend/files/files.c",
                  "order == STACKS_SUMMED ? 0 : LOOSE_MIN_BYTES",
                  "order == STACKS_SUMMED ? 0 : UINT64_MAX")),
    Trick("packed answers, put into order later", ("P9",),
          without("src/backend/fetch_profile.c", "if (f->packs_for_later &&",
                  "if (false && f->packs_for_later &&")),
    Trick("samples packed as they are written", PROFILES,
          without("src/decode/pprof_pack.c", "if (pack->is_ordered || !is_v",
                  "if (true || pack->is_ordered || !is_v")),
    Trick("ISA-L unpacks", PROFILES + ("P10",), options=("-Disal=disabled",)),
    Trick("radix sorts", ("P1", "P2", "P7", "P9", "P10"),
          (("src/base/radix.c", "uint64_t bits = differing_bits(items, count);",
            "uint64_t bits = differing_bits(items, count);\n"
            "\tqsort(items, count, sizeof *items, by_key);\n"
            "\treturn items;"),
           ("src/base/radix.c", "struct radix_item *radix_sort(",
            "#include <stdlib.h>\n"
            "static int by_key(const void *a, const void *b)\n{\n"
            "\tuint64_t x = ((const struct radix_item *)a)->key;\n"
            "\tuint64_t y = ((const struct radix_item *)b)->key;\n"
            "\treturn (x > y) - (x < y);\n}\n"
            "struct radix_item *radix_sort("))),
    Trick("numbers ordered by digits or inserted", ("P9", "P2"),
          (("src/analyze/ordering.c", "if (count <= FEW)", "if (!count)"),
           ("src/analyze/ordering.c", "else if (!sort_by_digits(",
            "else if (true || !sort_by_digits("))),
    Trick("strings by 16 bytes (SSE2)", ("P4", "P5", "P9"),
          without("src/base/json_reader.h", "#ifdef __SSE2__", "#if 0")),
    Trick("quick way over unwanted JSON", ("P4", "P5", "P9"),
          without("src/base/json.c", "if (r->depth > outer)\n\t\t\tjson_skip",
                  "if (false)\n\t\t\tjson_skip")),
    Trick("fetching ahead: places of packed samples",
          ("P1", "P1 on two", "P2"),
          no_prefetch("src/model/profile.c", "src/decode/pprof_pack.c",
                      "src/analyze/function_totals.c")),
    Trick("fetching ahead: tables",
          ("P1", "P1 on two", "P2", "P7", "P10"),
          no_prefetch("src/base/map.c", "src/base/text_table.c")),
    Trick("fetching ahead: tree of stacks", ("P7",),
          no_prefetch("src/model/profile_build.c")),
    Trick("fetching ahead: stacks in order, and to write",
          ("P10", "P12"),
          no_prefetch("src/model/sequence.c", "src/model/profile.c",
                      "src/render/pprof.c")),
    Trick("chains in front of tables", PROFILES + ("P10",),
          without("src/model/profile_build.c", "#define CHAIN_MAX 16u",
                  "#define CHAIN_MAX 1u")),
    Trick("optimised across folders (LTO)", PROFILES + ("P4", "P7", "P10",
                                                        "P11 html", "P9"),
          options=("-Db_lto=false",)),
)
