# Lines of a round, a library, a name and a rate, with tabs between: what runs by turns have printed. Prints a line for each
# name: the median of each library, and the ratio of the best peer's to Tutti's, below 1 where Tutti is quicker. The ratio
# is the median of the rounds', behind it stand the least and the greatest.
BEGIN { FS = "\t" }
{
    if (!($2 in library_seen)) {
        library_seen[$2]
        libraries[++library_count] = $2
    }
    if (!($3 in name_seen)) {
        name_seen[$3]
        names[++name_count] = $3
    }
    if ($1 > rounds)
        rounds = $1
    rates[$3, $2, $1, ++count[$3, $2, $1]] = $4 + 0
}

# Sorts the first `size` of `list`, few of them, and returns the one in the middle.
function median(list, size,   i, j, value) {
    for (i = 2; i <= size; ++i) {
        value = list[i]
        for (j = i - 1; j >= 1 && list[j] > value; --j)
            list[j + 1] = list[j]
        list[j + 1] = value
    }
    return list[int((size + 1) / 2)]
}

# Fills of_round, and returns the library's median for the name, 0 where it has none.
function rate_of(name, library,   round, i, size, all, values) {
    for (round = 1; round <= rounds; ++round) {
        size = count[name, library, round] + 0
        if (size == 0)
            continue
        for (i = 1; i <= size; ++i)
            values[i] = rates[name, library, round, i]
        all[++all[0]] = of_round[library, round] = median(values, size)
    }
    size = all[0]
    return size ? median(all, size) : 0
}

function ratio_to(peer,   round, size, ratios, middle) {
    for (round = 1; round <= rounds; ++round)
        if ((peer, round) in of_round && ("tutti", round) in of_round)
            ratios[++size] = of_round[peer, round] / of_round["tutti", round]
    middle = median(ratios, size)
    return sprintf("; ratio %.2f (%.2f to %.2f)%s", middle, ratios[1], ratios[size],
                   size < 3 || (ratios[1] <= 1 && ratios[size] >= 1) ? ", undecided" : "")
}

END {
    for (n = 1; n <= name_count; ++n) {
        line = best = ""
        best_rate = 0
        split("", of_round)
        for (l = 1; l <= library_count; ++l) {
            rate = rate_of(names[n], libraries[l])
            if (!rate)
                continue
            line = line (line == "" ? " " : ", ") libraries[l] sprintf(" %.1f", rate)
            if (libraries[l] != "tutti" && rate > best_rate) {
                best = libraries[l]
                best_rate = rate
            }
        }
        printf "%s: %s, MB/s:%s%s\n", program, names[n], line, best == "" ? "" : ratio_to(best)
    }
}
