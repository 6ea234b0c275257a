/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cost_answer.h"

#include "base/escape.h"
#include "base/num.h"
#include "base/timefmt.h"

/* A script that brings a service to the size that is advised: step by step, each
 * watched for an hour before the next, and taken back when the objective is no
 * longer kept. POSIX sh. Foreign text stands in it as words of the shell, in
 * assignments alone; what a platform says is parsed before it is used. */

/* The shortest budget that `tracefind slo` counts. */
#define WATCHED_MIN 60
/* By quarters, from a hundred times what is needed and back again: 17 steps. */
#define STEPS_MOST 40

static const char *const helpers =
	"say() { printf '%s\\n' \"$*\" >&2; }\n"
	"stop() { say \"stopped: $*\"; exit 1; }\n"
	"\n"
	"case $wait in\n"
	"'' | *[!0-9]* | 0* | ?????*) wait=0 ;;\n"
	"esac\n"
	"[ \"$wait\" -ge 60 ] || stop 'WAIT: minutes, 60 to 9999'\n"
	"case $steps in\n"
	"'' | *[!0-9]* | 0* | ???*) stop 'STEPS: 1 to 99' ;;\n"
	"esac\n"
	"case $service in\n"
	"-* | '') stop 'a name that begins with - would be an option' ;;\n"
	"esac\n"
	"\n"
	"# Thousandths of a CPU of \"250m\", \"0.25\", \"2\"; nothing of no amount.\n"
	"milli() {\n"
	"	case $1 in\n"
	"	*[!0-9.m]* | *.*.* | *m?* | [.m]* | 0[0-9]* | ??????????*) return 1 ;;\n"
	"	'') echo 0 ;;\n"
	"	*.*m) return 1 ;;\n"
	"	*m) echo \"${1%m}\" ;;\n"
	"	*.*) f=${1#*.}000\n"
	"		f=${f%\"${f#???}\"}\n"
	"		echo $((${1%.*} * 1000 + 1$f - 1000)) ;;\n"
	"	*) echo $(($1 * 1000)) ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"# MiB of \"512Mi\", \"1Gi\", \"524288Ki\", \"512M\", \"536870912\".\n"
	"mib() {\n"
	"	n=${1%%[!0-9]*}\n"
	"	case $n in 0?* | ????????????????*) return 1 ;; esac\n"
	"	case $1 in\n"
	"	'') echo 0 ;;\n"
	"	\"$n\") echo $((n / 1048576)) ;;\n"
	"	\"${n:-0}Ki\") echo $((n / 1024)) ;;\n"
	"	\"${n:-0}Mi\") echo \"$n\" ;;\n"
	"	\"${n:-0}Gi\") echo $((n * 1024)) ;;\n"
	"	\"${n:-0}k\") echo $((n * 1000 / 1048576)) ;;\n"
	"	\"${n:-0}M\") echo $((n * 1000000 / 1048576)) ;;\n"
	"	\"${n:-0}G\") echo $((n * 1000000000 / 1048576)) ;;\n"
	"	*) return 1 ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"# From $1 to $2, a quarter of it at most; $2 where there is no amount yet,\n"
	"# $1 where none is advised.\n"
	"toward() {\n"
	"	most=$(($1 / 4))\n"
	"	[ \"$most\" -gt 0 ] || most=1\n"
	"	if [ \"$2\" -eq 0 ]; then echo \"$1\"\n"
	"	elif [ \"$1\" -eq 0 ]; then echo \"$2\"\n"
	"	elif [ \"$2\" -gt $(($1 + most)) ]; then echo $(($1 + most))\n"
	"	elif [ \"$2\" -lt $(($1 - most)) ]; then echo $(($1 - most))\n"
	"	else echo \"$2\"; fi\n"
	"}\n"
	"\n";

/* go: the loop; of the platform are read_size, plan, set_size and shown. */
static const char *const loop =
	"why() {\n"
	"	case $1 in\n"
	"	10) say \"the objective is not kept\" ;;\n"
	"	*) say \"whether the objective is kept is not known"
	" (tracefind slo: $1)\" ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"back() {\n"
	"	trap '' HUP INT TERM\n"
	"	say \"going back to $before\"\n"
	"	set_back \"$@\" ||\n"
	"		stop \"COULD NOT GO BACK to $before: do it by hand\"\n"
	"	say \"back at $before\"\n"
	"}\n"
	"\n"
	"# Whether the platform has what it had; checked in a shell of its own.\n"
	"untouched() (\n"
	"	was=$(numbers)\n"
	"	read_size \"$@\" 2>/dev/null\n"
	"	[ \"$(numbers)\" = \"$was\" ]\n"
	")\n"
	"\n"
	"# A signal ends the hour's sleep, too.\n"
	"signalled= sleeper=\n"
	"trap 'signalled=yes; [ -z \"$sleeper\" ] || kill \"$sleeper\" 2>/dev/null'"
	" HUP INT TERM\n"
	"pause() {\n"
	"	sleep $((wait * 60)) &\n"
	"	sleeper=$!\n"
	"	[ \"$signalled\" ] && kill \"$sleeper\"\n"
	"	wait \"$sleeper\"\n"
	"	sleeper=\n"
	"}\n"
	"interrupted() {\n"
	"	say 'interrupted'\n"
	"	[ -z \"$before\" ] || back \"$@\"\n"
	"	exit 130\n"
	"}\n"
	"\n"
	"before=\n"
	"read_size \"$@\"\n"
	"kept\n"
	"status=$?\n"
	"[ -z \"$signalled\" ] || interrupted\n"
	"if [ $status -ne 0 ]; then\n"
	"	why $status\n"
	"	say 'nothing was changed'\n"
	"	[ $status -eq 10 ] || status=1\n"
	"	exit $status\n"
	"fi\n"
	"step=0\n"
	"while plan; do\n"
	"	step=$((step + 1))\n"
	"	if [ $step -gt \"$steps\" ]; then\n"
	"		say \"$steps steps done, at $(shown): the next run goes on\"\n"
	"		exit 0\n"
	"	fi\n"
	"	before=$(shown)\n"
	"	say \"step $step: from $before to $(planned)\"\n"
	"	if ! set_size \"$@\"; then\n"
	"		say 'the platform did not take it'\n"
	"		if untouched \"$@\"; then say \"still at $before\"\n"
	"		else back \"$@\"; fi\n"
	"		[ -z \"$signalled\" ] || exit 130\n"
	"		exit 1\n"
	"	fi\n"
	"	[ \"$signalled\" ] || pause\n"
	"	[ -z \"$signalled\" ] || interrupted \"$@\"\n"
	"	kept\n"
	"	status=$?\n"
	"	[ -z \"$signalled\" ] || interrupted \"$@\"\n"
	"	if [ $status -ne 0 ]; then\n"
	"		why $status\n"
	"		back \"$@\"\n"
	"		[ $status -eq 10 ] || status=1\n"
	"		exit $status\n"
	"	fi\n"
	"	took\n"
	"	before=\n"
	"	[ -z \"$signalled\" ] || interrupted\n"
	"done\n"
	"say \"done: $(shown)\"\n";

static void apply_begin(const struct cost_answer *a, const char *tool,
			const char *example, struct out *out)
{
	outf(out,
	     "#!/bin/sh\n"
	     "# Brings a service to the size below in steps of a quarter, and "
	     "back when its\n"
	     "# objective is not kept over the hour after a step. Written by "
	     "tracefind cost.\n"
	     "# Arguments are given to %s: sh FILE %s\n"
	     "# Ends with 0: done, 10: the objective was not kept, 1: stopped, "
	     "130: interrupted, and back.\n",
	     tool, example);
	cost_write_inputs(&a->cost->size, out);
	outf(out,
	     "set -u\n"
	     "wait=${WAIT:-%d} # minutes between a step and the look at its requests\n"
	     "steps=${STEPS:-%d} # at most; the next run goes on\n",
	     WATCHED_MIN, STEPS_MOST);
}

/* A blank in front is that of shell_word_add(). */
static void write_word(struct out *out, const char *name, const char *text)
{
	struct buf word;

	buf_init(&word, LIMIT_OPTION_VALUE_BYTES);
	shell_word_add(&word, str_from(text));
	if (word.state != BUF_OK)
		out_fail_memory(out);
	outf(out, "%s=", name);
	out_str(out, str_slice(buf_str(&word), 1, word.len));
	out_char(out, '\n');
	buf_release(&word);
}

static void write_kept(const struct cost_answer *a, struct out *out)
{
	char threshold[32];

	outf(out,
	     "# 0: the objective is kept over the last minutes, 10: it is "
	     "not.\n"
	     "kept() {\n"
	     "	tracefind slo --service=\"$service\" --objective=%.10g",
	     a->objective);
	format_duration_option(a->threshold_ns, threshold);
	if (a->threshold_ns)
		outf(out, " --threshold=%s", threshold);
	out_text(out, " \\\n		--window=\"${wait}m\" --sample=0");
	out_str(out, a->guard_servers);
	out_text(out, " >/dev/null\n}\n\n");
}

void cost_write_gcloud_apply(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	const struct cost_size *s = &a->cost->size;
	struct cost_run_size to;

	cost_run_size(s, &to);
	apply_begin(a, "gcloud", "--region=europe-west1", out);
	write_word(out, "service", a->service);
	out_text(out, "container=${CONTAINER:-} old_port=\n");
	outf(out, "to_cpu=%d to_mib=%lld # 0: as it is\n\n",
	     s->advice[COST_CPU].count ? to.cores : 0,
	     s->advice[COST_MEMORY].count ? (long long)to.mib : 0);
	out_text(out, helpers);
	write_kept(a, out);
	out_text(out,
		 "# Of several containers the one that takes requests.\n"
		 "read_size() {\n"
		 "	list=$(gcloud run services describe \"$service\" "
		 "--flatten='spec.template.spec.containers[]' --format='"
		 "csv[no-heading,separator=\"|\"]("
		 "spec.template.spec.containers.name,"
		 "spec.template.spec.containers.ports[0].containerPort,"
		 "spec.template.spec.containers.resources.limits.cpu,"
		 "spec.template.spec.containers.resources.limits.memory)' "
		 "\"$@\") || stop 'gcloud does not describe it'\n"
		 "	found=0 all=0\n"
		 "	while IFS='|' read -r name port a b; do\n"
		 "		all=$((all + 1))\n"
		 "		if [ \"$container\" ]; then [ \"$name\" = "
		 "\"$container\" ] || continue\n"
		 "		elif [ \"$all\" -gt 1 ] && [ -z \"$port\" ]; then "
		 "continue\n"
		 "		elif [ \"$port\" ] && [ -z \"$old_port\" ]; then "
		 "found=0; fi\n"
		 "		old_name=$name old_port=$port old_cpu=$a old_mem=$b\n"
		 "		found=$((found + 1))\n"
		 "	done <<END\n"
		 "$list\n"
		 "END\n"
		 "	[ $found -eq 1 ] && { [ $all -eq 1 ] || [ \"$old_port\" ] || "
		 "[ \"$container\" ]; } ||\n"
		 "		stop \"which of $all containers? CONTAINER=NAME\"\n"
		 "	[ $all -eq 1 ] && old_name=\n"
		 "	cpu=$(milli \"$old_cpu\") && mem=$(mib \"$old_mem\") &&\n"
		 "		[ \"$cpu\" -gt 0 ] && [ \"$mem\" -gt 0 ] ||\n"
		 "		stop \"not understood: the service has "
		 "'$old_cpu|$old_mem'\"\n"
		 "}\n"
		 "numbers() { echo \"$cpu $mem\"; }\n\n"
		 "# Memory range for a number of CPUs, in MiB.\n"
		 "range() {\n"
		 "	case $1 in\n");
	cost_write_run_sizes(out);
	out_text(out,
		 "	*) return 1 ;;\n"
		 "	esac\n"
		 "}\n\n"
		 "# The next size of a CPU on the way, in CPUs.\n"
		 "cpu_toward() {\n"
		 "	found=$2\n"
		 "	for n in 1 2 4 6 8; do\n"
		 "		if [ $((n * 1000)) -gt \"$1\" ] && "
		 "[ \"$n\" -le \"$2\" ]; then\n"
		 "			echo \"$n\"\n"
		 "			return\n"
		 "		fi\n"
		 "		if [ $((n * 1000)) -lt \"$1\" ] && "
		 "[ \"$n\" -ge \"$2\" ]; then found=$n; fi\n"
		 "	done\n"
		 "	echo \"$found\"\n"
		 "}\n\n"
		 "plan() {\n"
		 "	next_cpu=$cpu next_mem=$(toward \"$mem\" \"$to_mib\")\n"
		 "	if [ \"$to_cpu\" -gt 0 ]; then\n"
		 "		n=$(cpu_toward \"$cpu\" \"$to_cpu\")\n"
		 "		if range \"$n\" && [ \"$next_mem\" -ge \"$least\" ] &&\n"
		 "			[ \"$next_mem\" -le \"$most\" ]; then\n"
		 "			next_cpu=$((n * 1000))\n"
		 "		elif range $((cpu / 1000)); then\n"
		 "			[ \"$next_mem\" -ge \"$least\" ] || "
		 "next_mem=$least\n"
		 "			[ \"$next_mem\" -le \"$most\" ] || "
		 "next_mem=$most\n"
		 "		fi\n"
		 "	fi\n"
		 "	[ \"$next_cpu\" -ne \"$cpu\" ] || [ \"$next_mem\" -ne "
		 "\"$mem\" ]\n"
		 "}\n\n"
		 "shown() { echo \"$old_cpu CPU, $old_mem\"; }\n"
		 "planned() { echo \"${next_cpu}m CPU, ${next_mem}Mi\"; }\n"
		 "update() {\n"
		 "	c=$1 m=$2\n"
		 "	shift 2\n"
		 "	gcloud run services update \"$service\" --quiet \"$@\" "
		 "${old_name:+--container=\"$old_name\"} --cpu=\"$c\" "
		 "--memory=\"$m\"\n"
		 "}\n"
		 "set_size() { update \"${next_cpu}m\" \"${next_mem}Mi\" \"$@\"; "
		 "}\n"
		 "set_back() { update \"$old_cpu\" \"$old_mem\" \"$@\"; }\n"
		 "took() {\n"
		 "	cpu=$next_cpu mem=$next_mem\n"
		 "	old_cpu=${cpu}m old_mem=${mem}Mi\n"
		 "}\n\n");
	out_text(out, loop);
}

void cost_write_kubernetes_apply(const void *answer, struct out *out)
{
	const struct cost_answer *a = answer;
	struct cost_advised to;

	cost_advised(&a->cost->size, &to);
	apply_begin(a, "kubectl", "--namespace=shop", out);
	write_word(out, "service", a->service);
	out_text(out,
		 "workload=${WORKLOAD:-deployment/$service}\n"
		 "container=${CONTAINER:-$service}\n");
	outf(out,
	     "to_rc=%lld to_rm=%lld # requests: milli-CPU, MiB; 0: as it is\n"
	     "to_lc=%lld to_lm=%lld # limits\n\n",
	     (long long)cost_milli_cores(to.request[COST_CPU]),
	     (long long)cost_mebibytes(to.request[COST_MEMORY]),
	     (long long)cost_milli_cores(to.limit[COST_CPU]),
	     (long long)cost_mebibytes(to.limit[COST_MEMORY]));
	out_text(out, helpers);
	write_kept(a, out);
	out_text(
		out,
		"read_size() {\n"
		"	list=$(kubectl get \"$workload\" -o jsonpath='{range "
		".spec.template.spec.containers[*]}{.name}|"
		"{.resources.requests.cpu}|{.resources.requests.memory}|"
		"{.resources.limits.cpu}|{.resources.limits.memory}{\"\\n\"}"
		"{end}' \"$@\") || stop \"kubectl does not get $workload\"\n"
		"	found=\n"
		"	while IFS='|' read -r name a b c d; do\n"
		"		if [ \"$name\" = \"$container\" ]; then\n"
		"			old_rc=$a old_rm=$b old_lc=$c old_lm=$d\n"
		"			found=yes\n"
		"		fi\n"
		"	done <<END\n"
		"$list\n"
		"END\n"
		"	[ \"$found\" ] || stop \"$workload has no container "
		"$container: CONTAINER=NAME\"\n"
		"	case $container in *[!a-zA-Z0-9._-]*) stop "
		"\"no name of a container: $container\" ;; esac\n"
		"	rc=$(milli \"$old_rc\") && rm=$(mib \"$old_rm\") &&\n"
		"		lc=$(milli \"$old_lc\") && lm=$(mib \"$old_lm\") ||\n"
		"		stop \"not understood: the container has '$old_rc' "
		"'$old_rm' '$old_lc' '$old_lm'\"\n"
		"}\n"
		"numbers() { echo \"$rc $rm $lc $lm\"; }\n\n"
		"# A limit that there is not stays so; no request is above its "
		"limit.\n"
		"plan() {\n"
		"	next_lc=$lc next_lm=$lm\n"
		"	[ \"$lc\" -eq 0 ] || next_lc=$(toward \"$lc\" \"$to_lc\")\n"
		"	[ \"$lm\" -eq 0 ] || next_lm=$(toward \"$lm\" \"$to_lm\")\n"
		"	next_rc=$(toward \"$rc\" \"$to_rc\")\n"
		"	next_rm=$(toward \"$rm\" \"$to_rm\")\n"
		"	[ \"$next_lc\" -eq 0 ] || [ \"$next_rc\" -le \"$next_lc\" ] "
		"|| next_rc=$next_lc\n"
		"	[ \"$next_lm\" -eq 0 ] || [ \"$next_rm\" -le \"$next_lm\" ] "
		"|| next_rm=$next_lm\n"
		"	[ \"$next_rc $next_rm $next_lc $next_lm\" != \"$rc $rm $lc "
		"$lm\" ]\n"
		"}\n\n"
		"shown() { echo \"requests ${old_rc:-no} CPU, ${old_rm:-no} "
		"memory, limits ${old_lc:-no} CPU, ${old_lm:-no} memory\"; }\n"
		"planned() { echo \"requests ${next_rc}m, ${next_rm}Mi, limits "
		"${next_lc}m, ${next_lm}Mi (0: none)\"; }\n"
		"# What there is not is null, which takes it away.\n"
		"amount() { if [ \"$1\" ]; then printf '\"%s\"' \"$1\"; else "
		"printf null; fi; }\n"
		"update() {\n"
		"	body=\"{\\\"cpu\\\":$(amount \"$1\"),\\\"memory\\\":$(amount "
		"\"$2\")}\"\n"
		"	body=\"{\\\"requests\\\":$body,\\\"limits\\\":{\\\"cpu\\\":"
		"$(amount \"$3\"),\\\"memory\\\":$(amount \"$4\")}}\"\n"
		"	shift 4\n"
		"	kubectl patch \"$workload\" --type=strategic -p "
		"\"{\\\"spec\\\":{\\\"template\\\":{\\\"spec\\\":{\\\"containers\\\":"
		"[{\\\"name\\\":\\\"$container\\\",\\\"resources\\\":$body}]}}}}\" "
		"\"$@\" &&\n"
		"		kubectl rollout status \"$workload\" --timeout=10m "
		"\"$@\"\n"
		"}\n"
		"unit() { [ \"$1\" -eq 0 ] || echo \"$1$2\"; }\n"
		"set_size() {\n"
		"	update \"$(unit \"$next_rc\" m)\" \"$(unit \"$next_rm\" "
		"Mi)\" \\\n"
		"		\"$(unit \"$next_lc\" m)\" \"$(unit \"$next_lm\" Mi)\" "
		"\"$@\"\n"
		"}\n"
		"set_back() { update \"$old_rc\" \"$old_rm\" \"$old_lc\" "
		"\"$old_lm\" \"$@\"; }\n"
		"took() {\n"
		"	rc=$next_rc rm=$next_rm lc=$next_lc lm=$next_lm\n"
		"	old_rc=$(unit \"$rc\" m) old_rm=$(unit \"$rm\" Mi)\n"
		"	old_lc=$(unit \"$lc\" m) old_lm=$(unit \"$lm\" Mi)\n"
		"}\n\n");
	out_text(out, loop);
}
