# fish completion for tracefind
# SPDX-License-Identifier: Apache-2.0
# Checked against the program's own table by tests/lint/options_sync.py.

set -l commands slow diff show profile types doctor help version
set -l none "not __fish_seen_subcommand_from $commands"
set -l data '__fish_seen_subcommand_from slow diff show profile types doctor'
set -l finding '__fish_seen_subcommand_from slow show'
set -l profiling '__fish_seen_subcommand_from slow diff profile'
set -l viewing '__fish_seen_subcommand_from diff profile'
set -l comparing '__fish_seen_subcommand_from slow diff'
set -l slow '__fish_seen_subcommand_from slow'
set -l types '__fish_seen_subcommand_from types'
set -l help '__fish_seen_subcommand_from help'

complete -c tracefind -n $none -f
complete -c tracefind -n $none -a slow -d 'from a trace to the function that made it slow'
complete -c tracefind -n $none -a diff -d 'compare two profiles without a trace'
complete -c tracefind -n $none -a show -d 'the spans of a trace with their self time'
complete -c tracefind -n $none -a profile -d 'one profile of a service and a window'
complete -c tracefind -n $none -a types -d 'the types of profiles there are, and which to use when'
complete -c tracefind -n $none -a doctor -d 'check both servers and what they hold; name the mend'
complete -c tracefind -n $none -a help -d 'this list, or the options of a command'
complete -c tracefind -n $none -a version -d 'the version'
complete -c tracefind -n $none -l replay -r -F -d 'repeat a recorded run'
complete -c tracefind -n $help -f -a "$commands"

complete -c tracefind -s h -l help -d 'show the options of a command'
complete -c tracefind -s V -l version -d 'show the version'

complete -c tracefind -n $finding -l span -x -d 'this span'
complete -c tracefind -n $data -l service -x -d 'only this service'
complete -c tracefind -n $finding -l name -x -d 'only spans of this name'
complete -c tracefind -n $finding -l by -x -a 'critical-path self duration' -d 'what makes a span guilty'
complete -c tracefind -n $slow -l scope -x -a 'auto span cohort instance service' -d 'whose samples to rank'
complete -c tracefind -n $slow -l why -d 'the whole reasoning'
complete -c tracefind -n $types -l guide -d 'which type for which symptom'
complete -c tracefind -n $profiling -l map -x -d 'attribute and label that hold the same'
complete -c tracefind -n $profiling -l selector -x -d 'which profiles'
complete -c tracefind -n $profiling -l type -x -a 'auto cpu alloc inuse goroutine mutex block wall' -d 'profile type'
complete -c tracefind -n $profiling -l rules -r -F -d 'rules about kinds of code'
complete -c tracefind -n $comparing -l baseline -r -a 'auto previous 1h 1d 7d fast none' -d 'compare with'
complete -c tracefind -n $comparing -l baseline-selector -x -d 'compare with these profiles'
complete -c tracefind -n $comparing -l normalize -x -a 'request share rate' -d 'what to compare'

complete -c tracefind -n $data -l from -x -d 'start'
complete -c tracefind -n $data -l to -x -d 'end'
complete -c tracefind -n $data -l since -x -d 'start this long before the end'
complete -c tracefind -n $data -l around -x -d 'a window on both sides of this time'
complete -c tracefind -n $data -l pad -x -d 'widen the window on both sides'

complete -c tracefind -n $profiling -s n -l limit -x -d 'rows of a table'
complete -c tracefind -n $profiling -l sort -x -a 'owned self total delta' -d 'order of the functions'
complete -c tracefind -n $viewing -l focus -x -d 'only stacks with such a function'
complete -c tracefind -n $viewing -l ignore -x -d 'no stacks with such a function'
complete -c tracefind -n $viewing -l hide -x -d 'stacks without such frames'
complete -c tracefind -n $viewing -l show -x -d 'stacks of such frames only'
complete -c tracefind -n $viewing -l show-from -x -d 'stacks from such a frame on'
complete -c tracefind -n $viewing -l tag-focus -x -d 'only samples with such a label'
complete -c tracefind -n $viewing -l granularity -x -a 'function file line address' -d 'what a row is'
complete -c tracefind -n $viewing -l trim-path -x -d 'fronts to cut off the names of files'

complete -c tracefind -n $data -s o -l output -x -a 'table json folded difffolded' -d 'format and file'
complete -c tracefind -n $data -l color -x -a 'auto always never' -d 'when to colour'
complete -c tracefind -n $data -s q -l quiet -d 'the answer only'
complete -c tracefind -n $data -s v -l verbose -d 'list requests on standard error'
complete -c tracefind -n $data -l strict -d 'exit with 4 when the data is incomplete'

complete -c tracefind -n $data -l traces-url -x -d 'Tempo or Jaeger'
complete -c tracefind -n $data -l profiles-url -x -d 'Pyroscope'
complete -c tracefind -n $data -l connect-timeout -x -d 'give up connecting'
complete -c tracefind -n $data -l timeout -x -d 'give up the whole run'
complete -c tracefind -n $data -l retry -x -d 'more tries of a failed request'
complete -c tracefind -n $data -s H -x -d 'send this header too'
for side in '' traces- profiles-
	complete -c tracefind -n $data -l $side"tenant-id" -x -d 'X-Scope-OrgID'
	complete -c tracefind -n $data -l $side"username" -x -d 'user of basic authentication'
	complete -c tracefind -n $data -l $side"password-file" -r -F -d 'file with the password'
	complete -c tracefind -n $data -l $side"token-file" -r -F -d 'file with a bearer token'
	complete -c tracefind -n $data -l $side"header" -x -d 'send this header too'
	complete -c tracefind -n $data -l $side"cacert" -r -F -d 'certificates to trust'
	complete -c tracefind -n $data -l $side"cert" -r -F -d 'certificate to show'
	complete -c tracefind -n $data -l $side"key" -r -F -d 'its private key'
	complete -c tracefind -n $data -l $side"insecure" -d 'do not verify the certificate'
	complete -c tracefind -n $data -l $side"insecure-auth" -d 'credentials over plain http'
	complete -c tracefind -n $data -l $side"proxy" -x -d 'proxy'
end

complete -c tracefind -n $data -l record -r -F -d 'keep every request and answer'
complete -c tracefind -n $data -l replay -r -F -d 'take the answers from a case file'
