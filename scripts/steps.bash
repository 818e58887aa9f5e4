# What quickstart and test share: steps that say one line when well and show their log when not.

# step TITLE LOG COMMAND...: runs the command with its output in LOG.
step() {
    local title=$1 log=$2 status=0 start=$SECONDS
    shift 2
    mkdir -p "$(dirname "$log")"
    "$@" > "$log" 2>&1 || status=$?
    if [[ $status -eq 0 ]]; then
        echo "$title: done in $((SECONDS - start)) s"
        return 0
    fi
    tail -n 40 "$log" >&2
    echo "$title: FAILED (exit status $status); the whole log is $log" >&2
    return "$status"
}

# configure DIR OPTIONS...: makes DIR a build directory. One that is there keeps what its user chose, but for
# OPTIONS.
configure() {
    local directory=$1
    shift
    if [[ -f $directory/build.ninja ]]; then
        meson configure "$directory" "$@"
    else
        meson setup "$directory" "$@"
    fi
}
