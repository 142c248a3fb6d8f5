# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lcjournal_global_optspecs
    string join \n schema= h/help V/version
end

function __fish_lcjournal_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lcjournal_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lcjournal_using_subcommand
    set -l cmd (__fish_lcjournal_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lcjournal -n "__fish_lcjournal_needs_command" -l schema -d 'Print the JSON Schema of the records of that name, and end' -r -f -a "event\t''
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
complete -c lcjournal -n "__fish_lcjournal_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcjournal -n "__fish_lcjournal_needs_command" -s V -l version -d 'Print version'
complete -c lcjournal -n "__fish_lcjournal_needs_command" -f -a "append" -d 'Store the events of the input and echo them as stored'
complete -c lcjournal -n "__fish_lcjournal_needs_command" -f -a "replay" -d 'Write a journal\'s entries'
complete -c lcjournal -n "__fish_lcjournal_needs_command" -f -a "verify" -d 'Check journals and sum them up'
complete -c lcjournal -n "__fish_lcjournal_needs_command" -f -a "repair" -d 'Mend a damaged journal, keeping aside what is taken out'
complete -c lcjournal -n "__fish_lcjournal_needs_command" -f -a "lock" -d 'Say who holds a journal\'s lock, and whether it could be taken over'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l sync -d 'When entries are brought to the disk before they are echoed' -r -f -a "batch\t'Once for each batch: all input that is ready, up to 1 MiB'
entry\t'After each entry'
none\t'Never: entries survive this program, but perhaps not the machine'"
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l max-line-bytes -d 'The longest entry, in bytes without LF; other readers may not take more than 65536' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l lock-timeout -d 'Give up (75) when the lock\'s holder has not changed for this long; 20 times this in all' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l stale-lock -d 'Least age at which a dead holder that left no more than its pid loses the lock' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l quiet -d 'Write nothing to stdout'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l no-redact -d 'Store details, activity and fields outside the contract as they are, secrets and all'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l full-replay -d 'Read the whole journal at the start, whatever PATH.state says'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l drain -d 'After a failure read on to the input\'s end, so that its writer is not ended by it'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l repair-tail -d 'Mend a damaged end as repair does, and go on; for unattended use'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand append" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l from -d 'Only entries from this journalSequence on' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l to -d 'Only entries up to this journalSequence' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l child -d 'Only entries of this child' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l source -d 'Only entries of this source' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l kind -d 'Only entries of this kind' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l follow -d 'Wait for more; a journal that is truncated or replaced ends it with 1, =name begins anew' -r -f -a "descriptor\t'The file that is there now'
name\t'Whatever file has the name'"
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l max-line-bytes -d 'The longest entry, in bytes without LF; other readers may not take more than 65536' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l lock-timeout -d 'Give up (75) when the lock\'s holder has not changed for this long; 20 times this in all' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l stale-lock -d 'Least age at which a dead holder that left no more than its pid loses the lock' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l events -d 'Write events: leave journalSequence out'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -l max-line-bytes -d 'The longest entry, in bytes without LF; other readers may not take more than 65536' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -l lock-timeout -d 'Give up (75) when the lock\'s holder has not changed for this long; 20 times this in all' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -l stale-lock -d 'Least age at which a dead holder that left no more than its pid loses the lock' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l max-line-bytes -d 'The longest entry, in bytes without LF; other readers may not take more than 65536' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l lock-timeout -d 'Give up (75) when the lock\'s holder has not changed for this long; 20 times this in all' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l stale-lock -d 'Least age at which a dead holder that left no more than its pid loses the lock' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l dry-run -d 'Only say what would be done'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l drop-damaged -d 'Move damaged lines aside although entries follow, and renumber these'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand repair" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand lock" -l stale-lock -d 'Least age at which a dead holder that left no more than its pid loses the lock' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand lock" -l max-findings -d 'Show at most N findings in full; the rest are counted by code' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand lock" -l allow -d 'Report findings of this code, but do not count them (repeatable)' -r
complete -c lcjournal -n "__fish_lcjournal_using_subcommand lock" -l findings-json -d 'Write everything on stderr as JSONL'
complete -c lcjournal -n "__fish_lcjournal_using_subcommand lock" -s h -l help -d 'Print help (see more with \'--help\')'
