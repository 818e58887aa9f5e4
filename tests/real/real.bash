# What the scripts of this folder share. Each gets the build folder of Tutti as its argument, and sources this file.
unset LD_LIBRARY_PATH  # Meson sets it for tests: with it peers would run on our libraries of their names
set -euo pipefail

name=$(basename "$0")
tutti=$(cd "${1:?usage: $name BUILD-FOLDER}" && pwd)
place=$tutti/tests/real/$name
sources=${TUTTI_REAL_SOURCES:-$tutti/tests/real/sources}
export PATH=$tutti/scripts/mpi:$PATH

skip() {
    echo "$name: skipped: $*"
    exit 77
}

fail() {
    echo "$name: $*" >&2
    exit 1
}

needs() {
    local command
    for command; do
        command -v "$command" > /dev/null || skip "there is no $command"
    done
}

# quietly COMMAND...: what it prints is shown only if it fails.
quietly() {
    local log=$place/log
    "$@" > "$log" 2>&1 && return
    tail -n 40 "$log" >&2
    fail "failed: $*"
}

# debian PACKAGE: its upstream source comes into $sources. The system's lists need not name source packages: lists of
# our own do, for the repositories that the system has.
debian() {
    command -v apt-get > /dev/null || return 1
    mkdir -p "$sources"
    local lists=$sources/apt
    mkdir -p "$lists/lists/partial"
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
        grep -i debian > "$lists/sources.list"
    local options=(-o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$lists/lists" -o "Dir::Cache=$lists" -o "APT::Sandbox::User=$(id -un)")
    (
        cd "$sources"
        timeout 120 apt-get "${options[@]}" update && timeout 120 apt-get "${options[@]}" source -y --download-only \
            --tar-only "$1"
    ) > "$lists/log" 2>&1
}

# of_source NAME: the first folder or archive of that name in $sources.
of_source() {
    local candidate
    for candidate in "$sources/$1" "$sources/$1"[-_]*.orig.tar.* "$sources/$1"*.tar.*; do
        [[ ! -e $candidate ]] || { echo "$candidate" && return; }
    done
    return 1
}

# source_of NAME [PACKAGE]: enters a copy of the source of NAME, in which it is built. PACKAGE is Debian's source package
# of it. What was built earlier is kept.
source_of() {
    local found
    [[ $place != *[[:space:]]* ]] || skip "most sources of others are not built where a path has blanks"
    if [[ ! -d $place/source ]]; then
        found=$(of_source "$1") || { [[ -n ${2:-} ]] && debian "$2" && found=$(of_source "$2"); } ||
            skip "put the source of $1, a folder or an archive $1*.tar.*, into $sources"
        rm -rf "$place"
        mkdir -p "$place/unpacked"
        if [[ -d $found ]]; then
            cp -r "$found/." "$place/unpacked"
        else
            tar -x -f "$found" -C "$place/unpacked" --strip-components=1
        fi
        # The files of a checkout are of no order: nothing that was generated from another is older than it.
        find "$place/unpacked" -exec touch -d @1000000000 {} +
        mv "$place/unpacked" "$place/source"
    fi
    cd "$place/source"
}

# run RANKS COMMAND...: rank 0 reads $input; what the ranks print is in $output. It may take $limit seconds. mpirun gets
# $launch before the program, options that all libraries' have where peers run it, too.
output=$place/output
input=/dev/null
limit=120
launch=()
run() {
    local ranks=$1
    shift
    timeout "$limit" mpirun -n "$ranks" "${launch[@]}" "$@" > "$output" 2>&1 < "$input" && return
    local code=$?
    tail -n 40 "$output" >&2
    fail "ended with $code: mpirun -n $ranks ${launch[*]} $*"
}

# run_peer PEER RANKS COMMAND...: the same by a peer, openmpi or mpich, for a program that was built with it.
run_peer() {
    local peer=$1 ranks=$2 options=("${launch[@]}")
    shift 2
    [[ $peer != openmpi || ${launch[*]} ]] || options=(--oversubscribe)
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 "mpirun.$peer" "${options[@]}" -n "$ranks" \
        "$@" > "$output" 2>&1 < /dev/null || fail "mpirun.$peer -n $ranks $* failed"
}

# says PATTERN, never_says PATTERN: of the output of the last run, or of the file that is the second argument.
says() {
    grep -qE -e "$1" "${2:-$output}" && return
    tail -n 40 "${2:-$output}" >&2
    fail "the output has no line with '$1'"
}

never_says() {
    ! grep -E -e "$1" "${2:-$output}" >&2 || fail "the output has lines with '$1'"
}
