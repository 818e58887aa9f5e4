# What the scripts share that run programs as the distribution has installed them, linked with another MPI library. Each
# sources this file after real.bash.
mkdir -p "$place"
cd "$place"

# installed PACKAGE COMMAND: skips unless the command is there. TUTTI_REAL_INSTALL=1 has apt-get install it.
installed() {
    command -v "$2" > /dev/null && return
    if [[ ${TUTTI_REAL_INSTALL:-} ]]; then
        quietly apt-get install -y --no-install-recommends "$1"
    fi
    command -v "$2" > /dev/null || skip "install $1, or set TUTTI_REAL_INSTALL=1"
}

since() {
    awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", to - from }'
}

# both FAMILY RANKS COMMAND...: runs it on Tutti, and on the library that it was linked with where there is that
# library's mpirun.FAMILY. What it prints is in $output and $theirs; says how long both took.
theirs=$place/theirs
both() {
    local family=$1 ranks=$2 start=$EPOCHREALTIME ours own='not installed' options=()
    shift 2
    run "$ranks" "$@"
    ours=$(since "$start")
    never_says 'ended without joining'
    [[ $family != openmpi ]] || options=(--allow-run-as-root --oversubscribe)
    rm -f "$theirs"
    if command -v "mpirun.$family" > /dev/null; then
        start=$EPOCHREALTIME
        if timeout 300 "mpirun.$family" "${options[@]}" -n "$ranks" "$@" > "$theirs" 2>&1 < /dev/null; then
            own=$(since "$start")
        else
            own='failed' && rm -f "$theirs"
        fi
    fi
    echo "$name: $ranks ranks: $ours on Tutti, $own on its own library"
}

# same PATTERN: the lines with it are the same in both outputs.
same() {
    [[ ! -e $theirs ]] ||
        diff <(grep -E -e "$1" "$output") <(grep -E -e "$1" "$theirs") > "$place/difference" ||
        { cat "$place/difference" >&2 && fail "output differs from that under its own library"; }
}
