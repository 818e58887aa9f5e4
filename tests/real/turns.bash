# What the scripts share that measure a program on Tutti and on the peers, by turns. Each sources this file after real.bash.

# Peers whose compiler wrapper and launcher are there.
peers=()
for peer in openmpi mpich; do
    ! command -v "mpicc.$peer" > /dev/null || ! command -v "mpirun.$peer" > /dev/null || peers+=("$peer")
done

# Folders for files: memory and a disk.
folders=(/dev/shm "$place")

# system_of FOLDER: the kind of its file system.
system_of() { df --output=fstype "$1" | tail -n 1; }

# build_for_all: calls the script's function `build` with the name of each library: it compiles with $MPICC into
# PROGRAM.LIBRARY.
build_for_all() {
    local library
    MPICC=mpicc build tutti
    for library in "${peers[@]}"; do
        MPICC=mpicc.$library build "$library"
    done
}

# by_turns RANKS PROGRAM ARGUMENTS...: runs PROGRAM.tutti and that of each peer, five times or TUTTI_REAL_RUNS, and
# prints the medians of what the function `figures`, the script's, finds in an output: lines of a name, a tab and a
# number. Each rank has a core, where there are enough. Else MPICH is left out: its waits do not yield.
turns_awk=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/turns.awk
by_turns() {
    local ranks=$1 program=$2 library round
    shift 2
    launch=(--bind-to core)
    [[ $ranks -le $(nproc) ]] || launch=()
    rm -f "$place/figures"
    for ((round = 1; round <= ${TUTTI_REAL_RUNS:-5}; ++round)); do
        for library in tutti "${peers[@]}"; do
            case $library in
                tutti) run "$ranks" "./$program.tutti" "$@" ;;
                *)
                    [[ $library != mpich || $ranks -le $(nproc) ]] || continue
                    run_peer "$library" "$ranks" "./$program.$library" "$@"
                    ;;
            esac
            figures < "$output" | sed "s/^/$round\t$library\t$ranks ranks, /" >> "$place/figures"
        done
    done
    [[ -s $place/figures ]] || fail "no figures in the output of: $program $*"
    awk -v program="$name" -f "$turns_awk" "$place/figures"
}
