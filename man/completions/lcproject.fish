complete -c lcproject -l color -d 'Colour --tree and --table: on a terminal, always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lcproject -l expect -d 'Exit with 1 unless every root child is in STATE at the end, and there is one' -r -f -a "created\t''
starting\t''
running\t''
waiting\t''
completed\t''
failed\t''
cancelled\t''
lost\t''"
complete -c lcproject -l window -d 'Recent sequences remembered for each child, to tell repeats (1 to 65536)' -r
complete -c lcproject -l max-line-bytes -d 'Longest line that is read; events have at most 65536 bytes in any case' -r
complete -c lcproject -l stale-after -d 'A child is stale when nothing was heard of it for D, by the clock of its source' -r
complete -c lcproject -l omission-grace -d 'N complete snapshots in a row leave a child out before it is stale, N more: lost' -r
complete -c lcproject -l lost-after -d 'A stale child is lost when nothing was heard of it for another D (default: never)' -r
complete -c lcproject -l now -d 'When the input has ended, judge silence as if it were TIME for every source' -r
complete -c lcproject -l snapshot-cmd -d 'Ask CMD for a snapshot at the beginning, after gaps and reconnects, of stale children' -r
complete -c lcproject -l snapshot-every -d 'Ask every D, too' -r
complete -c lcproject -l snapshot-timeout -d 'CMD has failed when it has not answered after D' -r
complete -c lcproject -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcproject -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcproject -l schema -d 'Print the JSON Schema of the records of that name, and end' -r -f -a "event\t''
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
complete -c lcproject -l updates -d 'Tell what became of each line as it comes, with the child\'s record after it'
complete -c lcproject -l tree -d 'Show the children under their parents, for people'
complete -c lcproject -l table -d 'Show one row per child, for people'
complete -c lcproject -l strict -d 'Only `created` starts a child; what is late, old or unobserved is a finding too'
complete -c lcproject -l live -d 'As --updates, but staleness goes by the time of receipt and is told while it is silent; with --tree on a terminal, the tree as it grows'
complete -c lcproject -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcproject -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcproject -s V -l version -d 'Print version'
