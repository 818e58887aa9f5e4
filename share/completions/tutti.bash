# bash: options and subcommands as --help of Tutti's commands lists them; otherwise files.

# Words of --help that begin an indented line, with their other spellings.
_tutti_words() {
    "$@" --help 2> /dev/null |
        sed -nE 's/^  ([A-Za-z-][A-Za-z0-9_+-]*((, ?)[A-Za-z-][A-Za-z0-9_+-]*)*)([ =[].*)?$/\1/p' | tr -d ' ' | tr ',' '\n'
}

_tutti() {
    local command=$1 current=$2 previous=$3 word
    local -a asked=("$command")
    COMPREPLY=()
    case $previous in
        -H | --host | --hosts) mapfile -t COMPREPLY < <(compgen -A hostname -- "$current") ;;
        --bind-to) mapfile -t COMPREPLY < <(compgen -W 'none core socket numa l3cache hwthread' -- "$current") ;;
        --map-by) mapfile -t COMPREPLY < <(compgen -W 'slot core socket numa l3cache hwthread node seq' -- "$current") ;;
        --mpi) mapfile -t COMPREPLY < <(compgen -W 'auto own preload' -- "$current") ;;
        --on-deadlock) mapfile -t COMPREPLY < <(compgen -W 'report abort' -- "$current") ;;
    esac
    [[ ${#COMPREPLY[@]} -eq 0 ]] || return 0
    if [[ ${command##*/} == tutti-bench ]]; then
        # The options are those of the benchmark that stands before.
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [[ $word == -* ]] || { asked+=("$word") && break; }
        done
        if [[ ${#asked[@]} -eq 1 || $current == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_tutti_words "${asked[@]}")" -- "$current")
        fi
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_tutti_words "$command")" -- "$current")
    fi
}
complete -o default -o bashdefault -F _tutti tuttirun tutti-info tutti-bench
