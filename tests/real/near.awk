# Lines by turns of two outputs: prints those that differ, and fails if there are any.
function far(a, b) {
    if (a == b)
        return 0
    if (a !~ /[0-9]\.[0-9]/ || b !~ /[0-9]\.[0-9]/)
        return 1
    sub(/[dD]/, "e", a)
    sub(/[dD]/, "e", b)
    difference = a - b < 0 ? b - a : a - b
    greater = (a < 0 ? -a : +a) > (b < 0 ? -b : +b) ? (a < 0 ? -a : +a) : (b < 0 ? -b : +b)
    return difference > tolerance * greater
}
NR % 2 == 1 {
    count = split($0, words)
    line = $0
    next
}
{
    different = count != NF
    for (i = 1; i <= NF && !different; ++i)
        different = far(words[i], $i)
    if (different) {
        print "< " line "\n> " $0
        failed = 1
    }
}
END {
    exit failed
}
