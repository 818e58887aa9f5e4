# What the scripts share that run programs as the distribution has installed them, linked with another MPI library. Each
# sources this file after real.bash.
near_numbers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/near.awk
mkdir -p "$place"
cd "$place"

# is_there THING: a command, or a file, whose name may be a pattern.
is_there() {
    command -v "$1" > /dev/null || compgen -G "$1" > /dev/null
}

# installed PACKAGE THING: skips unless the thing is there, which comes with the package. TUTTI_REAL_INSTALL=1 has apt-get
# install it.
installed() {
    is_there "$2" && return
    [[ ${TUTTI_REAL_INSTALL:-} ]] || skip "install $1, or set TUTTI_REAL_INSTALL=1"
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1" > "$place/log" 2>&1 ||
        skip "apt-get cannot install $1: $(grep -m 1 '^E: ' "$place/log")"
    is_there "$2" || skip "$1 has no $2 here"
}

# The time is that of ranks, not of threads of them that share cores.
export OMP_NUM_THREADS=1

# both FAMILY RANKS COMMAND...: runs it on Tutti, and on the library that it was linked with where there is that
# library's mpirun.FAMILY, by turns, three times or TUTTI_REAL_RUNS. What it prints is in $output and $theirs; says how
# long both took, the median. A script may define `begin`, which is called before each run, and `result`, a file that a
# run writes and that belongs to what it prints.
theirs=$place/theirs
result=/dev/null
begin() { :; }

since() {
    awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f\n", to - from }'
}

# median TIMES...
median() {
    printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"
}

both() {
    local family=$1 ranks=$2 options=() ours=() own=() start i
    shift 2
    # Open MPI's mpirun tears lines of ranks that write at once: a file a rank keeps them whole.
    [[ $family != openmpi ]] ||
        options=(--allow-run-as-root --oversubscribe --output-filename "$theirs.ranks:nojobid,nocopy")
    rm -f "$theirs"
    for ((i = 0; i < ${TUTTI_REAL_RUNS:-3}; ++i)); do
        begin
        start=$EPOCHREALTIME
        run "$ranks" "$@"
        ours+=("$(since "$start")")
        cat "$result" >> "$output"
        never_says 'ended without joining'
        command -v "mpirun.$family" > /dev/null || continue
        begin
        rm -rf "$theirs.ranks"
        start=$EPOCHREALTIME
        timeout 120 "mpirun.$family" "${options[@]}" -n "$ranks" "$@" > "$theirs" 2>&1 < "$input" ||
            { rm -f "$theirs" && continue; }
        own+=("$(since "$start")")
        [[ ! -d $theirs.ranks ]] || find "$theirs.ranks" -type f -print0 | sort -z | xargs -0 cat >> "$theirs"
        cat "$result" >> "$theirs"
    done
    echo "$name: $ranks ranks: $(median "${ours[@]}") s on Tutti, $(
        [[ ${#own[@]} -eq 0 ]] && echo 'not run' || echo "$(median "${own[@]}") s") on its own library"
}

# near PATTERN TOLERANCE: the lines with it are the same in both outputs but for numbers with a point, which differ by
# that part of the greater at most.
near() {
    [[ ! -e $theirs ]] ||
        paste -d '\n' <(grep -E -e "$1" "$output") <(grep -E -e "$1" "$theirs") |
        awk -v tolerance="$2" -f "$near_numbers" > "$place/difference" ||
        { head -n 20 "$place/difference" >&2 && fail "output differs from that under its own library"; }
}

# same PATTERN: the lines with it are the same in both outputs.
same() {
    [[ ! -e $theirs ]] ||
        diff <(grep -E -e "$1" "$output") <(grep -E -e "$1" "$theirs") > "$place/difference" ||
        { head -n 20 "$place/difference" >&2 && fail "output differs from that under its own library"; }
}

# compiled FAMILY NAME OPTIONS...: a program of the text on standard input, linked with what FAMILY's compiler wrapper
# names: an installed binary as a user has it from earlier. NAME ends with .c or .cpp.
compiled() {
    local wrapper=mpicc
    [[ $2 == *.c ]] || wrapper=mpicxx
    needs "$wrapper.$1"
    cat > "$2"
    quietly "$wrapper.$1" -O1 -w -o "${2%.*}" "$2" "${@:3}"
}
