/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include "base/limits.h"
#include "render/render.h"

const struct command commands[] = {
	{ "slow", COMMAND_SLOW, "slow [OPTIONS] [TRACE|FILE...]",
	  "from a slow trace to the guilty function",
	  "Finds the span that cost the time of a trace, fetches the profile of its\n"
	  "service for that time and for a healthy baseline, and names the\n"
	  "functions that grew.\n"
	  "TRACE is an id, a traceparent, a URL of Grafana, Tempo or Jaeger, files\n"
	  "(profiles among them are used), or - for standard input. Without it, a\n"
	  "typical slow trace through --service is chosen.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind slow 4bf92f3577b34da6a3ce929d0e0e4736\n"
	  "  tracefind slow --service user-db --since 30m\n"
	  "  tracefind slow trace.json cpu.pb.gz\n"
	  "  tracefind slow trace.json --profiles-url http://pyroscope:4040\n"
	  "  tracefind slow 4bf92f3577b34da6a3ce929d0e0e4736 -o svg=slow.svg\n",
	  "service since type baseline output interactive why", LIMIT_ARGUMENTS,
	  FORMATS_OF_RESULTS, RENDER_NEEDS_SPANS | RENDER_NEEDS_ONE },
	{ "diff", COMMAND_DIFF, "diff [OPTIONS] [BEFORE [AFTER]]",
	  "compare two profiles without a trace",
	  "Compares the profiles of a service in a window with a baseline, the\n"
	  "samples of two spans, or two profile files. One file is compared with\n"
	  "the server's profiles.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind diff old.pb.gz new.pb.gz\n"
	  "  tracefind diff --service user-db --since 10m --baseline 1d\n"
	  "  tracefind diff --service user-db --baseline version=1.4\n"
	  "  tracefind diff --span 00f067aa0ba902b7 \\\n"
	  "          --baseline-span b9c7c989f97918e1\n"
	  "  tracefind diff --service user-db --name find --baseline fast\n"
	  "  tracefind diff --selector '{version=\"1.5\"}' \\\n"
	  "          --baseline-selector '{version=\"1.4\"}'\n",
	  "service since baseline type focus output interactive", 2,
	  FORMATS_OF_RESULTS, RENDER_NEEDS_SPANS | RENDER_NEEDS_ONE },
	{ "check", COMMAND_CHECK, "check [OPTIONS] [FILE|FOLDER...]",
	  "performance gate for a pipeline",
	  "Compares a candidate with a baseline: profiles, folders with one profile\n"
	  "per run, or a service in a window. Exits with 10 when a significant\n"
	  "growth exceeds --fail-on, with 5 when inconclusive.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind check new/ --against old/\n"
	  "  tracefind check new/ --save perf.json\n"
	  "  tracefind check new/ --against perf.json --fail-on 'total>10%'\n"
	  "  tracefind check --service user-db --baseline version=1.4\n"
	  "  tracefind check --service user-db --fail-on 'latency>10%'\n"
	  "  tracefind check --all --since 1h --baseline 7d\n",
	  "service since against baseline fail-on output", LIMIT_ARGUMENTS,
	  FORMATS_OF_ANSWERS " markdown junit sarif github" },
	{ "show", COMMAND_SHOW, "show [OPTIONS] TRACE|FILE...",
	  "the spans of a trace with their self time",
	  "Prints a trace as a waterfall: self time, the critical path marked,\n"
	  "repeated calls folded to one line. With --span, all details of\n"
	  "one span. TRACE as for slow.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind show 4bf92f3577b34da6a3ce929d0e0e4736\n"
	  "  tracefind show trace.json --errors\n"
	  "  tracefind show trace.json --collapse user-db -n 40\n"
	  "  tracefind show trace.json --span 00f067aa0ba902b7\n"
	  "  tracefind show trace.json -o chrome=trace-events.json\n",
	  "span service errors events collapse output", LIMIT_ARGUMENTS,
	  FORMATS_OF_RESULTS, RENDER_NEEDS_PROFILE | RENDER_NEEDS_BASELINE },
	{ "search", COMMAND_SEARCH, "search [OPTIONS] [--tags [TAG]]",
	  "recent traces, slowest first, with a duration histogram",
	  "Lists the slowest traces of a window (the last hour) by service,\n"
	  "operation or TraceQL, with the distribution of durations. Health checks\n"
	  "are left out unless --all is given.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind search --service user-db --since 30m\n"
	  "  tracefind search --service user-db --above p95 --errors\n"
	  "  tracefind search --query '{ span.http.status_code >= 500 }'\n"
	  "  tracefind search --service user-db -n 3 -o id |\n"
	  "          xargs -n1 tracefind slow\n"
	  "  tracefind search --tags span.http.route --service user-db\n",
	  "service name above errors since limit output query", 1,
	  FORMATS_OF_ANSWERS " csv markdown id" },
	{ "profile", COMMAND_PROFILE, "profile [OPTIONS] [FILE...]",
	  "functions of one profile: of a service or from files",
	  "Prints the functions of one profile: of a service in a window (the\n"
	  "last 15 minutes), or from files, added up: pprof, folded stacks,\n"
	  "speedscope, perf script, .cpuprofile, .heapprofile, .jfr...\n"
	  "--peek and --tree show callers and callees, --list source lines.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind profile --service user-db --since 10m\n"
	  "  tracefind profile cpu.pb.gz --sort self -n 30\n"
	  "  tracefind profile cpu.pb.gz --peek mallocgc --ignore gcBgMark\n"
	  "  tracefind profile pod-1.pb.gz pod-2.pb.gz -o pprof=sum.pb.gz\n",
	  "service since type sort focus peek list output", LIMIT_ARGUMENTS,
	  FORMATS_OF_RESULTS, RENDER_NEEDS_BASELINE | RENDER_NEEDS_SPANS },
	{ "leak", COMMAND_LEAK,
	  "leak [OPTIONS] {--service NAME | FILE|FOLDER...}",
	  "find memory and goroutine leaks",
	  "Examines the memory in use and the goroutines of a service over hours\n"
	  "(the last six), per instance and from restart to restart, and names the\n"
	  "function that grows without end: how fast, on which path, and the time\n"
	  "to the limit. Growth that levels off, follows the load or appears in one\n"
	  "instance only is no leak. A leak exits with 10. Files of one folder\n"
	  "belong to one process. -o google and -o prometheus write an alert for\n"
	  "the next one.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind leak --service user-db\n"
	  "  tracefind leak --service user-db --since 1d --limit-bytes 512MiB\n"
	  "  tracefind leak heaps/pod-1 heaps/pod-2\n"
	  "  tracefind leak --service user-db --type goroutine -o html=leak.html\n"
	  "  tracefind leak --service user-db -o google --platform cloud-run\n",
	  "service since type limit-bytes output", LIMIT_ARGUMENTS,
	  FORMATS_OF_ANSWERS " csv markdown html google prometheus" },
	{ "dash", COMMAND_DASH, "dash -o google|grafana [OPTIONS] [SERVICE...]",
	  "dashboard of services: latency, requests, CPU, memory",
	  "Writes a dashboard for Google Cloud Monitoring or Grafana: latency,\n"
	  "requests, CPU and memory of the named services, or of all. Dashboards\n"
	  "for Grafana link to traces and profiles, with a flame graph of each\n"
	  "service that sends profiles. Metrics are discovered (--metrics-url) or\n"
	  "given (--platform, --metric); then no server is queried.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind dash -o grafana user-db web\n"
	  "  tracefind dash -o google --platform cloud-run > dashboard.json\n"
	  "  tracefind dash -o grafana=web.json --platform otel --type cpu web\n",
	  "platform metric threshold output", LIMIT_ARGUMENTS,
	  "google grafana" },
	{ "alert", COMMAND_ALERT,
	  "alert -o FORMAT|--now [OPTIONS] [SERVICE...]",
	  "alert on latency or error budget of a service",
	  "Writes an alert for Google Cloud Monitoring, Grafana or Prometheus: p95\n"
	  "latency of a service above 2 s for 5 minutes, or as set by --quantile,\n"
	  "--threshold and --for. The metric is discovered (--metrics-url) or given\n"
	  "(--platform, --metric). --now evaluates the condition once, on metrics\n"
	  "or traces, exits with 10 when it holds, and names the slowest trace.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind alert -o prometheus user-db > rules.yaml\n"
	  "  tracefind alert -o google --platform cloud-run > policy.json\n"
	  "  tracefind alert --now --threshold 500ms --for 10m web\n"
	  "  tracefind alert -o grafana --objective 99.9 --threshold 2s web\n",
	  "now threshold for objective platform", LIMIT_ARGUMENTS,
	  FORMATS_OF_ANSWERS " google grafana prometheus" },
	{ "slo", COMMAND_SLO,
	  "slo --service NAME --objective PERCENT [OPTIONS]",
	  "SLO compliance, error budget and burn rate, and what consumes it",
	  "Counts good requests of a service, within --threshold and without error,\n"
	  "in metrics (--metrics-url) or traces. Investigates some of the bad ones\n"
	  "to explain what consumes the error budget, and shows its burn rate.\n"
	  "Exits with 10 when the budget is exhausted or burns too fast.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind slo --service checkout --objective 99.9 --threshold 300ms\n"
	  "  tracefind slo --service web --name 'GET /cart' --objective 99 \\\n"
	  "          --threshold 1s --window 7d\n"
	  "  tracefind slo --service checkout --objective 99.9 \\\n"
	  "          --threshold 300ms -o prometheus=rules.yaml\n"
	  "  tracefind slo --service checkout --objective 99.9 -o google\n",
	  "objective threshold window sample", 0,
	  FORMATS_OF_ANSWERS " markdown html prometheus google openslo" },
	{ "cost", COMMAND_COST, "cost [OPTIONS] --service NAME | FILE...",
	  "cost per request, and where; cost of the last change",
	  "CPU and memory of a service (the last hour) by function, operation and\n"
	  "request, at your prices, with idle capacity. --compare prices the\n"
	  "difference from a baseline, --right-size suggests an instance size.\n"
	  "Requests and allocation come from --metrics-url or options.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind cost --service checkout --price-cpu 0.0445/h\n"
	  "  tracefind cost --service checkout --prices prices.ini --compare\n"
	  "  tracefind cost --service checkout --baseline version=1.4 -o json\n"
	  "  tracefind cost --service checkout --right-size -o kubernetes\n"
	  "  tracefind cost --service checkout -o gcloud-apply --objective 99.9\n"
	  "  tracefind cost cpu.pb.gz --requests 12000 --price-cpu 0.000024\n",
	  "service since prices compare right-size output", LIMIT_ARGUMENTS,
	  FORMATS_OF_ANSWERS " csv markdown gcloud kubernetes gcloud-apply "
			     "kubernetes-apply" },
	{ "services", COMMAND_SERVICES, "services [OPTIONS]",
	  "the services that send profiles, most CPU first",
	  "Lists the services that sent profiles in a window (the last hour), with\n"
	  "their CPU over time and their profile types.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind services\n"
	  "  tracefind services --since 1d -n 0\n"
	  "  tracefind services -o id | xargs -n1 tracefind types --service\n",
	  "since limit output", 0, FORMATS_OF_ANSWERS " csv markdown id" },
	{ "types", COMMAND_TYPES, "types [OPTIONS]",
	  "available profile types, and which to use when",
	  "Lists the profile types of a service, or of all, in a window (the last\n"
	  "hour): short name, kind, full id. --guide explains which type answers\n"
	  "which question and how to enable it, without querying a server.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind types --service user-db --since 1d\n"
	  "  tracefind types --guide\n",
	  "service since guide output", 0, FORMATS_OF_ANSWERS },
	{ "when", COMMAND_WHEN, "when --service NAME [OPTIONS]",
	  "when a service became slower or more expensive",
	  "Finds the change point in the cost or duration of requests of a service,\n"
	  "in the duration of an operation (--name) or in the cost of a function\n"
	  "(--function), in a window (the last six hours): the interval it lies in,\n"
	  "the levels before and after, and whether a version, the instances or the\n"
	  "traffic changed then. Noise, a slow rise and a daily rhythm are no\n"
	  "change points, and are named as such.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind when --service user-db\n"
	  "  tracefind when --service web --name 'GET /cart' --since 1d\n"
	  "  tracefind when --service user-db --function FindByEmail\n"
	  "  tracefind when --service user-db --since 2d -o html=when.html\n",
	  "service name function since type output", 0,
	  FORMATS_OF_ANSWERS " csv markdown html" },
	{ "export", COMMAND_EXPORT, "export [OPTIONS] [FILE|FOLDER...]",
	  "copy traces and profiles to other tools",
	  "Copies the traces and profiles of a window (the last hour): traces to an\n"
	  "OTLP receiver or a file, profiles to one, to Pyroscope or to a folder.\n"
	  "Each is sent once; an interrupted run resumes.\n"
	  "Sources are the configured servers or files, for profiles also folders.\n"
	  "Receivers have separate logins: --to-header and so on.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind export --traces-url gcp://shop-prod --since 6h \\\n"
	  "          --to-traces otlp+http://tempo:4318 \\\n"
	  "          --to-profiles pyroscope+http://pyroscope:4040\n"
	  "  tracefind export --since 1h --service web --to-traces web.otlp\n"
	  "  tracefind export cpu.pb.gz --service web \\\n"
	  "          --to-profiles pyroscope+http://pyroscope:4040\n",
	  "to-traces to-profiles since state rate", LIMIT_ARGUMENTS,
	  FORMATS_OF_ANSWERS },
	{ "convert", COMMAND_CONVERT,
	  "convert -o FORMAT=FILE [OPTIONS] FILE...",
	  "convert a profile or trace file to other formats",
	  "Writes a profile or trace file in each format that an -o names. The\n"
	  "input format is detected; several profiles are added up. A profile\n"
	  "becomes pprof, folded, speedscope, otlp, dot, csv, svg, html or json, a\n"
	  "trace otlp, chrome, svg, html or json.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind convert app.jfr -o pprof=app.pb.gz\n"
	  "  tracefind convert cpu.pb.gz -o cpu.folded -o cpu.speedscope.json\n"
	  "  tracefind convert jaeger.json -o otlp=trace.otlp\n"
	  "  tracefind convert app.jfr --type alloc -o alloc.pb.gz\n",
	  "type output", LIMIT_ARGUMENTS,
	  "json csv folded pprof speedscope dot chrome otlp svg html",
	  RENDER_NEEDS_BASELINE },
	{ "doctor", COMMAND_DOCTOR, "doctor [OPTIONS] [TRACE]",
	  "check the servers and their data; suggest fixes",
	  "Checks addresses, connections, logins, versions and clocks of the\n"
	  "servers, then their data for a trace or a service: names, types,\n"
	  "samples, span profiles, metrics. For each problem it prints the fix as a\n"
	  "command or a setting. TRACE as for slow.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind doctor\n"
	  "  tracefind doctor 4bf92f3577b34da6a3ce929d0e0e4736\n"
	  "  tracefind doctor --service user-db\n",
	  "service since output verbose", 1, FORMATS_OF_ANSWERS },
	{ "mcp", COMMAND_MCP, "mcp [OPTIONS]",
	  "the commands as tools of an assistant, over stdio",
	  "Serves the Model Context Protocol on standard input and output: the\n"
	  "commands as tools of an assistant or an editor. Tools:\n"
	  "  find_slow_traces, explain_trace, show_trace, compare, function_detail,\n"
	  "  list_services, list_profile_types, since_when, check_change, find_leak,\n"
	  "  cost, slo, doctor, more\n"
	  "Answers are cut to --budget; the rest can be requested.\n"
	  "Nothing is written, no server is queried but those of the options and\n"
	  "the configuration, and no file is read but below --root.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind mcp --context prod\n"
	  "  tracefind mcp --root ~/profiles\n",
	  "context root budget", 0 },
	{ "config", COMMAND_CONFIG, "config ACTION [OPTIONS] [ARGUMENTS]",
	  "server contexts and settings in effect",
	  "Reads and writes the configuration, ~/.config/tracefind/config;\n"
	  "tracefind-config(5) describes it. Actions:\n"
	  "  list                 the contexts; * marks the current one\n"
	  "  get KEY              a value of the context\n"
	  "  set KEY VALUE        set it; comments stay\n"
	  "  unset KEY            remove it\n"
	  "  init                 prompts for the servers, on a terminal\n"
	  "  use CONTEXT          switch to another context\n"
	  "  view [--origin]      settings in effect, and where each is set\n"
	  "  import grafana FILE  contexts from Grafana's data sources\n"
	  "get and set accept --context NAME; set creates a new one.\n"
	  "\n"
	  "Examples:\n"
	  "  tracefind config set --context prod \\\n"
	  "          traces-url https://tempo.example.com\n"
	  "  tracefind config use prod\n"
	  "  tracefind config view --origin\n",
	  "context", 3 },
	{ "completion", COMMAND_COMPLETION, "completion SHELL",
	  "the completion script for bash, zsh or fish",
	  "Prints the script that completes commands, options and their values\n"
	  "on the command line of SHELL: bash, zsh or fish. It completes names\n"
	  "of contexts, and of services and types that the cache (--cache) holds,\n"
	  "too.\n"
	  "\n"
	  "Examples:\n"
	  "  source <(tracefind completion bash)\n"
	  "  tracefind completion zsh > ~/.zfunc/_tracefind\n"
	  "  tracefind completion fish | source\n",
	  "", 1 },
	{ "help", COMMAND_HELP, "help [--all] [COMMAND|options]",
	  "this list, or the options of a command",
	  "Lists the commands, or shows the options of one that are used most;\n"
	  "with --all, all of them. 'help options' shows those that most\n"
	  "commands share: time, pictures, servers, logins, case files.\n",
	  "all", 1 },
	{ "version", COMMAND_VERSION, "version", "the version",
	  "Prints the version, then how the program was built and with which\n"
	  "libraries.\n",
	  "", 0 },
	{ NULL },
};

const struct command *command_find(struct str name)
{
	for (const struct command *c = commands; c->name; c++)
		if (str_equal(str_from(c->name), name))
			return c;
	return NULL;
}
