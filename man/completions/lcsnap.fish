# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lcsnap_global_optspecs
    string join \n schema= h/help V/version
end

function __fish_lcsnap_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lcsnap_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lcsnap_using_subcommand
    set -l cmd (__fish_lcsnap_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lcsnap -n "__fish_lcsnap_needs_command" -l schema -d 'Print the JSON Schema of the records of that name, and end' -r -f -a "event\t''
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
complete -c lcsnap -n "__fish_lcsnap_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcsnap -n "__fish_lcsnap_needs_command" -s V -l version -d 'Print version'
complete -c lcsnap -n "__fish_lcsnap_needs_command" -f -a "take" -d 'Make a snapshot from progress records'
complete -c lcsnap -n "__fish_lcsnap_needs_command" -f -a "check" -d 'Check snapshots and partial views'
complete -c lcsnap -n "__fish_lcsnap_needs_command" -f -a "diff" -d 'Tell what differs between snapshots'
complete -c lcsnap -n "__fish_lcsnap_needs_command" -f -a "reconcile" -d 'Tell what snapshots correct, as events for a journal'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l coverage -d 'What is covered: every child of the source and epoch, or exactly those listed' -r -f -a "all\t'Every child of the source and epoch'
listed\t'Exactly those listed'"
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l snapshot-id -d 'The id of what is written (default: made from its content)' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l max-line-bytes -d 'Longest line that is read; events have at most 65536 bytes in any case' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l complete -d 'Nothing is missing: write snapshots, not partial views'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand take" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand check" -l max-line-bytes -d 'Longest line that is read; events have at most 65536 bytes in any case' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand check" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand check" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand check" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand diff" -l max-line-bytes -d 'Longest line that is read; events have at most 65536 bytes in any case' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand diff" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand diff" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand diff" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -l against -d 'The progress records that the snapshots are held against' -r -F
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -l omission-grace -d 'N complete snapshots in a row leave a child out before it is stale, N more: lost' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -l max-line-bytes -d 'Longest line that is read; events have at most 65536 bytes in any case' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcsnap -n "__fish_lcsnap_using_subcommand reconcile" -s h -l help -d 'Print help (see more with \'--help\')'
