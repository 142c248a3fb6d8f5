_evosci2lc() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="evosci2lc"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        evosci2lc)
            opts="-h -V --check --max-line-bytes --source --source-epoch --child-id --root-child-id --attempt --parent-child-id --resume --adopted --fixed-clock --excerpt --heartbeat-every --max-findings --findings-json --allow --schema --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --max-line-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --source)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --source-epoch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --child-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root-child-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --attempt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --parent-child-id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fixed-clock)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --excerpt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --heartbeat-every)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-findings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --schema)
                    COMPREPLY=($(compgen -W "event journal-entry snapshot partial-view progress update audit intent synthesized diagnostic diff finding findings note error check verify repair lock" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _evosci2lc -o nosort -o bashdefault -o default evosci2lc
else
    complete -F _evosci2lc -o bashdefault -o default evosci2lc
fi
