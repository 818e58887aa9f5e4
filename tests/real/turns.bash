# What the scripts share that measure a program on Tutti and on the peers, by turns. Each sources this file after real.bash.

# Peers whose compiler wrapper and launcher are there.
peers=()
for peer in openmpi mpich; do
    ! command -v "mpicc.$peer" > /dev/null || ! command -v "mpirun.$peer" > /dev/null || peers+=("$peer")
done

# Folders for files: memory and a disk.
folders=(/dev/shm "$place")

# build_for_all: calls the script's function `build` with the name of each library: it compiles with $MPICC into
# PROGRAM.LIBRARY.
build_for_all() {
    local library
    MPICC=mpicc build tutti
    for library in "${peers[@]}"; do
        MPICC=mpicc.$library build "$library"
    done
}

# by_turns RANKS PROGRAM ARGUMENTS...: runs PROGRAM.tutti and that of each peer, three times or TUTTI_REAL_RUNS, and
# prints the medians of what the function `figures`, the script's, finds in an output: lines of a name, a tab and a
# number. MPICH is left out where ranks share cores: its waits do not yield.
by_turns() {
    local ranks=$1 program=$2 library round
    shift 2
    rm -f "$place"/figures.*
    for ((round = 0; round < ${TUTTI_REAL_RUNS:-3}; ++round)); do
        run "$ranks" "./$program.tutti" "$@"
        figures < "$output" >> "$place/figures.tutti"
        for library in "${peers[@]}"; do
            [[ $library != mpich || $ranks -le $(nproc) ]] || continue
            run_peer "$library" "$ranks" "./$program.$library" "$@"
            figures < "$output" >> "$place/figures.$library"
        done
    done
    [[ -s $place/figures.tutti ]] || fail "no figures in the output of: $program $*"
    for library in tutti "${peers[@]}"; do
        [[ ! -e $place/figures.$library ]] || awk -F '\t' -v library="$library" '
            !($1 in count) { order[++names] = $1 }
            { values[$1, ++count[$1]] = $2 + 0 }
            END {
                for (i = 1; i <= names; ++i) {
                    n = count[order[i]]
                    for (a = 1; a <= n; ++a)  # few of them
                        for (b = a + 1; b <= n; ++b)
                            if (values[order[i], b] < values[order[i], a]) {
                                swapped = values[order[i], a]
                                values[order[i], a] = values[order[i], b]
                                values[order[i], b] = swapped
                            }
                    printf "%s\t%s\t%.1f\n", order[i], library, values[order[i], int((n + 1) / 2)]
                }
            }' "$place/figures.$library"
    done | awk -F '\t' -v name="$name" -v ranks="$ranks" '
        !($1 in line) { order[++names] = $1 }
        { line[$1] = line[$1] sprintf("%s %s %s", line[$1] == "" ? "" : ",", $2, $3) }
        END {
            for (i = 1; i <= names; ++i)
                printf "%s: %s ranks, %s, MB/s:%s\n", name, ranks, order[i], line[order[i]]
        }'
}
