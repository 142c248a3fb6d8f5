complete -c evosci2lc -l max-line-bytes -d 'Skip lines longer than N bytes' -r
complete -c evosci2lc -l source -d 'The name of the source' -r
complete -c evosci2lc -l source-epoch -d 'The run\'s epoch [default: start time and pid]' -r
complete -c evosci2lc -l child-id -d 'The run\'s child id [default: from the epoch]' -r
complete -c evosci2lc -l root-child-id -d 'Its topmost ancestor, shared by retries [default: itself]' -r
complete -c evosci2lc -l attempt -d 'Which attempt it is, from 0' -r
complete -c evosci2lc -l parent-child-id -d 'The child that started this run' -r
complete -c evosci2lc -l fixed-clock -d 'A clock that only events advance (STEP: 1ms)' -r
complete -c evosci2lc -l excerpt -d 'Show N characters of a text, redacted; 0: none' -r
complete -c evosci2lc -l heartbeat-every -d 'One heartbeat in this time while text streams' -r
complete -c evosci2lc -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c evosci2lc -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c evosci2lc -l schema -d 'Print the JSON Schema of the records of that name, and end' -r -f -a "event\t''
journal-entry\t''
snapshot\t''
partial-view\t''
progress\t''
update\t''
audit\t''
intent\t''
synthesized\t''
diagnostic\t''
diff\t''
finding\t''
findings\t''
note\t''
error\t''
check\t''
verify\t''
repair\t''
lock\t''"
complete -c evosci2lc -l check -d 'Only say what is in each FILE and how it ends'
complete -c evosci2lc -l resume -d 'The next turn, in a new epoch, of a known run: no `created`'
complete -c evosci2lc -l adopted -d 'Somebody else\'s run, joined late'
complete -c evosci2lc -l findings-json -d 'Write everything on stderr as JSONL'
complete -c evosci2lc -s h -l help -d 'Print help'
complete -c evosci2lc -s V -l version -d 'Print version'
