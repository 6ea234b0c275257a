# bash completion for tracefind                          -*- shell-script -*-
# SPDX-License-Identifier: Apache-2.0

# Option names of a command, one a line. Checked against the program's own
# table by tests/lint/options_sync.py.
_tracefind_options()
{
	local data='output color no-pager quiet verbose strict dry-run record
		replay from to since around pad service'
	local connecting='context traces-url profiles-url connect-timeout timeout
		retry'
	local caching=cache
	local sided='tenant-id username password-file token-file header cacert
		cert key insecure insecure-auth proxy'
	local finding='span name by'
	local profiling='map selector type rules sort'
	local viewing='focus ignore hide show show-from granularity trim-path'
	local labelling=tag-focus
	local details='peek tree list source-path'
	local searching='name limit min-duration above errors query all tags'
	local comparing='baseline baseline-selector normalize'
	local name side

	case $1 in
	slow) set -- $data $caching $connecting $finding $profiling $viewing $comparing scope why limit ;;
	show) set -- $data $caching $connecting $finding events errors collapse limit ;;
	search) set -- $data $caching $connecting $searching ;;
	diff) set -- $data $caching $connecting $profiling $viewing $labelling $comparing limit span baseline-span name ;;
	profile) set -- $data $caching $connecting $profiling $viewing $labelling $details limit ;;
	services) set -- $data $caching $connecting limit ;;
	types) set -- $data $caching $connecting guide ;;
	doctor) set -- $data $connecting ;;
	config) set -- $connecting $caching map origin ;;
	*) sided= ; set -- ;;
	esac
	for name in help version "$@" $sided; do
		printf -- '--%s\n' "$name"
	done
	for name in $sided; do
		for side in traces profiles; do
			printf -- '--%s-%s\n' "$side" "$name"
		done
	done
}

# Values of an option, one a line; "FILE" for files, nothing when any text
# will do.
_tracefind_values()
{
	case $1 in
	--by) printf '%s\n' critical-path self duration ;;
	--scope) printf '%s\n' auto span cohort instance service ;;
	--type)
		printf '%s\n' auto cpu alloc inuse goroutine mutex block wall ;;
	--baseline) printf '%s\n' auto previous 1h 1d 7d fast none ;;
	--normalize) printf '%s\n' request share rate ;;
	--granularity) printf '%s\n' function file line address ;;
	--above) printf '%s\n' p50 p90 p95 p99 ;;
	--sort) printf '%s\n' owned self total delta ;;
	--color) printf '%s\n' auto always never ;;
	--output|-o) printf '%s\n' table json csv folded difffolded chrome id ;;
	--record|--replay|--rules|--*password-file|--*token-file|--*cacert|--*cert|\
	--*key)
		echo FILE ;;
	esac
}

# Whether the option's value is the next word.
_tracefind_takes_value()
{
	case $1 in
	--*=*|--help|--version|--no-pager|--quiet|--verbose|--strict|--dry-run|\
	--guide|--events|--errors|--all|--tags|--cache|--origin|\
	--*insecure|--*insecure-auth)
		return 1 ;;
	--*|-n|-o|-H) return 0 ;;
	esac
	return 1
}

_tracefind_command()
{
	local i=1 word

	while ((i < COMP_CWORD)); do
		word=${COMP_WORDS[i]}
		case $word in
		-*) _tracefind_takes_value "$word" &&
			[[ ${COMP_WORDS[i + 1]} != = ]] && ((i++)) ;;
		=) ((i++)) ;;
		*) printf '%s\n' "$word"; return ;;
		esac
		((i++))
	done
}

_tracefind()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local commands='slow diff show search profile services types doctor config help version'
	local command values

	COMPREPLY=()
	# bash splits "--by=self" into three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $prev == -* ]] && ! _tracefind_takes_value "$prev"; then
		prev=
	fi
	if [[ -n $prev && $prev == -* ]]; then
		values=$(_tracefind_values "$prev")
		if [[ $values == FILE ]]; then
			COMPREPLY=($(compgen -f -- "$cur"))
		else
			COMPREPLY=($(compgen -W "$values" -- "$cur"))
		fi
		return
	fi
	command=$(_tracefind_command)
	if [[ -z $command && $cur != -* ]]; then
		COMPREPLY=($(compgen -W "$commands" -- "$cur"))
	elif [[ -z $command ]]; then
		COMPREPLY=($(compgen -W '--help --version --replay' -- "$cur"))
	elif [[ $cur == -* ]]; then
		values=$(_tracefind_options "$command")
		COMPREPLY=($(compgen -W "$values" -- "$cur"))
	elif [[ $command == config && $prev == config ]]; then
		values='list get set use view import'
		COMPREPLY=($(compgen -W "$values" -- "$cur"))
	elif [[ $command == help ]]; then
		COMPREPLY=($(compgen -W "$commands" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}

complete -o filenames -F _tracefind tracefind
