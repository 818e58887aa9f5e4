# Compares the results of runs with the list of those that are known not to pass. A line there is a run
# ("coll/allred 4 -count=10: why") or a program, for all its runs ("coll/allred: why").
function wrong(words) {
    print words
    failed = 1
}

BEGIN {
    split(directories, parts, ",")
    for (i in parts)
        wanted[parts[i]] = 1
}

FNR == NR {
    if (!/^#/ && match($0, /: /))
        known[substr($0, 1, RSTART - 1)] = 1
    next
}

{
    split($0, parts, "|")
    run = parts[1]
    result = parts[2]
    split(run, words, " ")
    name = run in known ? run : words[1]
    is_known = name in known
    met[name] = 1
    ++count[result]
    if (result == "failed" && !is_known)
        wrong("fails: " run)
    if (result == "passed" && is_known)
        wrong("passes, though it is listed as one that does not: " run)
}

END {
    for (name in known) {
        split(name, parts, "/")
        if (parts[1] in wanted && !(name in met))
            wrong("is listed, but there is no such run: " name)
    }
    printf "%s: %d of %d runs passed, %d skipped\n", title, count["passed"], count["passed"] + count["failed"],
        count["skipped"]
    exit failed || count["passed"] == 0
}
