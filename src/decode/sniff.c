/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/sniff.h"

#include <stdint.h>
#include <stdio.h>

#include "base/num.h"
#include "decode/callgrind.h"
#include "decode/folded_lines.h"
#include "decode/perf_script.h"

/* How far into a page or a text a look goes. */
#define LOOK_BYTES ((size_t)16384)
#define LOOK_LINES 20
#define LOOK_MEMRAY_BYTES 32
#define LOOK_FORM_BYTES 80

struct magic {
	struct str start;
	const char *looks_like;
};

#define MAGIC(literal, text)                                                   \
	{                                                                      \
		{ literal, sizeof(literal) - 1 }, text                         \
	}

#define MEMRAY                                                                 \
	"allocations of memray (make speedscope of them: memray transform "    \
	"speedscope -o FILE.json FILE)"

#define BPFTRACE                                                               \
	"the output of bpftrace (make folded stacks of it: "                   \
	"stackcollapse-bpftrace.pl FILE > FILE.folded, of FlameGraph)"

#define RPROF                                                                  \
	"a profile of R's Rprof with lines or memory (record without: "        \
	"Rprof(\"FILE\"), whose stacks can be folded)"

static const struct magic magics[] = {
	MAGIC("\x1f\x8b", "gzip inside gzip"),
	MAGIC("\x28\xb5\x2f\xfd", "zstd-compressed data (unpack it first)"),
	MAGIC("\x04\x22\x4d\x18", "LZ4-compressed data (unpack it first)"),
	MAGIC("\xfd\x37zXZ", "xz-compressed data (unpack it first)"),
	MAGIC("BZh", "bzip2-compressed data (unpack it first)"),
	MAGIC("PK\x03\x04", "a zip archive"),
	MAGIC("\x89PNG", "a PNG picture"),
	MAGIC("GIF8", "a GIF picture"),
	MAGIC("\xff\xd8\xff", "a JPEG picture"),
	MAGIC("%PDF-", "a PDF document"),
	MAGIC("\x7f"
	      "ELF",
	      "an ELF program or core dump"),
	MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0",
	      "a CPU profile of gperftools (make pprof of it: go tool pprof "
	      "-proto -output=FILE.pb.gz PROGRAM FILE)"),
	MAGIC("heap profile: ",
	      "a heap profile of gperftools (make pprof of it: go tool pprof "
	      "-proto -output=FILE.pb.gz PROGRAM FILE)"),
	MAGIC("heap_v2/",
	      "a heap profile of jemalloc (make folded stacks of it: jeprof "
	      "--collapsed PROGRAM FILE > FILE.folded)"),
	MAGIC("JAVA PROFILE", "a Java heap dump, which has objects but no "
			      "stacks (record these: jcmd PID JFR.start)"),
	MAGIC("Nettrace", "a .nettrace of .NET (make speedscope of it: "
			  "dotnet-trace convert --format Speedscope FILE)"),
	MAGIC("\x04\x08{", "a dump of stackprof (make folded stacks of it: "
			   "stackprof --stackcollapse FILE > FILE.folded)"),
	MAGIC("\xfb)\x03",
	      "a profile of Python's cProfile, which has no stacks "
	      "(record some: py-spy record --format raw -o "
	      "FILE.folded -- python PROGRAM)"),
	MAGIC("MOJ", "a MOJO file of austin (make folded stacks of it: "
		     "mojo2austin FILE FILE.austin)"),
	MAGIC("memray\0", MEMRAY),
	MAGIC("rbspy0",
	      "raw data of rbspy (make speedscope of it: rbspy report "
	      "-f speedscope -i FILE -o FILE.json)"),
	MAGIC("desc: ", "a heap profile of Valgrind's massif (ms_print FILE "
			"shows it)"),
	MAGIC("goroutine profile: total ",
	      "goroutines as text of Go (ask without debug=1: "
	      "/debug/pprof/goroutine)"),
	MAGIC("--- contention:\n",
	      "waits or locks as text of Go (ask without debug=1: "
	      "/debug/pprof/block, /debug/pprof/mutex)"),
	MAGIC("--- mutex:\n", "locks as text of Go (ask without debug=1: "
			      "/debug/pprof/mutex)"),
	MAGIC("threadcreate profile: total ",
	      "threads as text of Go (ask without debug=1: "
	      "/debug/pprof/threadcreate)"),
	MAGIC("goroutine ", "stacks of goroutines as text of Go (ask without "
			    "debug=2: /debug/pprof/goroutine)"),
	MAGIC("NYTProf ", "a profile of NYTProf (make folded stacks of it: "
			  "nytprofcalls FILE > FILE.folded)"),
	MAGIC("sample.interval=",
	      "a profile of R's Rprof (make folded stacks of it: awk "
	      "'NR>1{gsub(/\"/,\"\");s=$NF;for(i=NF-1;i>0;i--)s=s\";\"$i;"
	      "n[s]++}END{for(s in n)print s,n[s]}' FILE > FILE.folded)"),
	MAGIC("line profiling: ", RPROF),
	MAGIC("memory profiling: ", RPROF),
	MAGIC("Attaching ", BPFTRACE),
	MAGIC("@[", BPFTRACE),
	MAGIC("Sampling at ", "the output of bcc's profile (ask it for folded "
			      "stacks: profile -f > FILE.folded)"),
	MAGIC("PERFILE2", "a perf.data file (make text of it: "
			  "perf script > perf.txt)"),
	MAGIC("go 1.", "a Go execution trace (make pprof of its waits: go tool "
		       "trace -pprof=sync FILE > sync.pb.gz)"),
	MAGIC("SQLite format 3", "an SQLite database"),
	MAGIC("\xff\xfe", "UTF-16 text (save it as UTF-8)"),
	MAGIC("\xfe\xff", "UTF-16 text (save it as UTF-8)"),
};

/* Go's begin as those of gperftools do. */
static bool is_heap_text_of_go(struct str bytes)
{
	return str_starts(bytes, STR("heap profile: ")) &&
	       str_find(str_take_line(&bytes), STR("] @ heap/")) != SIZE_MAX;
}

/* An LZ4 frame, whose first block begins with bytes as they are. */
static bool is_memray_packed(struct str bytes)
{
	return str_starts(bytes, STR("\x04\x22\x4d\x18")) &&
	       str_find(str_slice(bytes, 0, LOOK_MEMRAY_BYTES),
			STR("memray\0")) != SIZE_MAX;
}

static const char *find_magic(struct str bytes)
{
	if (is_memray_packed(bytes))
		return MEMRAY;
	if (is_heap_text_of_go(bytes))
		return "a heap profile as text of Go (ask without debug=1: "
		       "/debug/pprof/heap)";
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (str_starts(bytes, magics[i].start))
			return magics[i].looks_like;
	return NULL;
}

static bool has_text(struct str text, struct str needle)
{
	return str_find(str_slice(text, 0, LOOK_BYTES), needle) != SIZE_MAX;
}

/* Looks for a tag in either case, as pages write both. */
static bool has_tag(struct str text, struct str tag)
{
	text = str_slice(text, 0, LOOK_BYTES);
	for (size_t at = 0; at + tag.len <= text.len; at++)
		if (text.ptr[at] == '<' &&
		    str_equal_nocase(str_slice(text, at, tag.len), tag))
			return true;
	return false;
}

static const char *describe_markup(struct str text)
{
	if (has_tag(text, STR("<svg")))
		return "an SVG picture";
	if (has_tag(text, STR("<?xml")) && !has_tag(text, STR("<html")))
		return "an XML document";
	if (has_text(text, STR("Grafana")) || has_text(text, STR("grafana")))
		return "an HTML page (Grafana login?)";
	if (has_text(text, STR("Jaeger")))
		return "an HTML page (Jaeger's; was the path wrong?)";
	return "an HTML page (login or proxy?)";
}

enum folded_verdict { FOLDED_NO, FOLDED_MAYBE, FOLDED_SURELY };

/* "12", "-12" or "12.5" */
static bool is_weight(struct str word, bool *is_whole)
{
	size_t point = str_until(word, 0, '.');
	bool is_negative = word.len && word.ptr[0] == '-';
	uint64_t count;

	*is_whole = point >= word.len;
	return parse_u64(str_slice(word, is_negative, point - is_negative),
			 &count) &&
	       (point + 1 >= word.len ||
		str_is_digits(str_slice(word, point + 1, word.len)));
}

/* "frame;frame 12": something, a blank, a number. A sentence may end in a
 * number, too, but its first words hold blanks and no semicolon; a version may
 * stand alone behind a name. */
static enum folded_verdict judge_folded(struct str line)
{
	size_t blank = line.len;
	struct str stack;
	bool is_whole;

	while (blank > 0 && line.ptr[blank - 1] != ' ')
		blank--;
	if (blank < 2 ||
	    !is_weight(str_slice(line, blank, line.len), &is_whole))
		return FOLDED_NO;
	stack = str_trim(str_slice(line, 0, blank));
	if (folded_is_comment(stack))
		return FOLDED_NO;
	if (str_find(stack, STR(";")) != SIZE_MAX ||
	    (is_whole && str_find(stack, STR(" ")) == SIZE_MAX))
		return FOLDED_SURELY;
	return FOLDED_MAYBE;
}

/* Only the first lines are looked at; the decoder judges the others, and
 * names the line that is wrong. */
static bool is_folded(struct str text)
{
	bool is_sure = false;
	unsigned lines = 0;

	while (text.len && lines < LOOK_LINES) {
		struct str line = str_trim(str_take_line(&text));
		enum folded_verdict verdict;

		if (line.len == 0)
			continue;
		verdict = judge_folded(line);
		if (verdict == FOLDED_NO && line.ptr[0] == '#')
			continue;
		if (verdict == FOLDED_NO)
			break;
		is_sure |= verdict == FOLDED_SURELY;
		lines++;
	}
	return is_sure;
}

static bool is_text(struct str bytes)
{
	bytes = str_slice(bytes, 0, LOOK_BYTES);
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = (unsigned char)bytes.ptr[i];

		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' &&
		    c != '\f')
			return false;
	}
	return true;
}

static struct guess sniff_text(struct str text)
{
	if (callgrind_is(text))
		return GUESS_FORMAT(FORMAT_CALLGRIND);
	/* Without times a sample begins with "work  1234". */
	if (perf_script_is(text))
		return GUESS_FORMAT(FORMAT_PERF_SCRIPT);
	/* A folded line may begin with "<module>". */
	if (is_folded(text))
		return GUESS_FORMAT(FORMAT_FOLDED);
	if (text.ptr[0] == '<')
		return GUESS_OTHER(describe_markup(text));
	if (has_text(text, STR("Full thread dump ")))
		return GUESS_OTHER(
			"threads of Java at one moment (record their stacks: "
			"jcmd PID JFR.start duration=60s filename=FILE.jfr)");
	if (has_text(text, STR("# Overhead ")))
		return GUESS_OTHER("a report of perf (make text of its "
				   "samples: perf script > perf.txt)");
	return GUESS_OTHER("text");
}

/* The body of a form, which begins with a line between two parts. */
static bool is_form(struct str bytes)
{
	struct str line = str_take_line(&bytes);

	return str_starts(line, STR("--")) && line.len <= LOOK_FORM_BYTES &&
	       str_starts(bytes, STR("Content-")) &&
	       has_text(bytes, STR("form-data; name=\""));
}

static struct guess sniff(struct str bytes)
{
	struct str text = bytes;
	struct guess guess;

	if (bytes.len == 0)
		return GUESS_OTHER("an empty file");
	if (str_starts(bytes, STR("FLR\0")))
		return GUESS_FORMAT(FORMAT_JFR);
	if (find_magic(bytes))
		return GUESS_OTHER(find_magic(bytes));
	if (is_form(bytes))
		return GUESS_FORMAT(FORMAT_PUSHED);
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_slice(text, 3, text.len);
	text = str_trim(text);
	if (text.len && (text.ptr[0] == '{' || text.ptr[0] == '[')) {
		guess = sniff_json(text);
		/* A folded line may begin with "[unknown]". */
		if (guess.format == FORMAT_UNKNOWN && is_folded(text))
			return GUESS_FORMAT(FORMAT_FOLDED);
		return guess;
	}
	guess = sniff_protobuf(bytes);
	if (guess.format != FORMAT_UNKNOWN || guess.looks_like)
		return guess;
	if (text.len == 0)
		return GUESS_OTHER("nothing but blanks");
	if (is_text(text))
		return sniff_text(text);
	return GUESS_OTHER("binary data of no known kind");
}

enum format format_sniff(struct str bytes, char *looks_like, size_t size)
{
	struct guess guess = sniff(bytes);

	if (size)
		snprintf(looks_like, size, "%s",
			 guess.looks_like ? guess.looks_like : "");
	return guess.format;
}
