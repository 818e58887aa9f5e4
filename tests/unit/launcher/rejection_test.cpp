// Command lines that must be refused, each with a message that names what is wrong.
#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Words = std::vector<std::string>;

namespace {

struct Row {
    Words words;
    const char* message;
};

void check(const Row& row)
{
    CAPTURE(row.words);
    const std::string message = parse_error(row.words);
    CHECK_THAT(message, Catch::Contains(row.message));
    CHECK_THAT(message, Catch::EndsWith("See 'tuttirun --help' for the options and examples."));
}

}  // namespace

TEST_CASE("Absurd numbers of ranks")
{
    check(GENERATE(values<Row>({
        {{"-n", "0", "a"},
         "-n: 0 is out of range for a number of ranks; give a whole number from 1 to 65536"},
        {{"-np", "-1", "a"}, "-np: -1 is out of range"},
        {{"-n", "1e9", "a"}, "-n: '1e9' is not a number of ranks"},
        {{"-n", "1000000000", "a"}, "1000000000 is out of range"},
        {{"-n", "99999999999", "a"}, "99999999999 is out of range"},
        {{"-n", "99999999999999999999999", "a"}, "99999999999999999999999 is out of range"},
        {{"-n", "4x", "a"}, "'4x' is not a number of ranks"},
        {{"-n", "+4", "a"}, "'+4' is not a number of ranks"},
        {{"-n", " 4", "a"}, "' 4' is not a number of ranks"},
        {{"-n", "", "a"}, "'' is not a number of ranks"},
        {{"--np=", "a"}, "--np: '' is not a number of ranks"},
        {{"-n", "./a"}, "'./a' is not a number of ranks"},
        {{"-n65537", "a"}, "-n: 65537 is out of range for a number of ranks"},
    })));
}

TEST_CASE("Missing programs")
{
    check(GENERATE(values<Row>({
        {{}, "no program to run"},
        {{"-n", "2"}, "no program to run"},
        {{"-n", "2", "--"}, "no program to run"},
        {{"-n", "2", ""}, "the program's name is an empty word"},
        {{"-n", "1", "a", ":"}, "between ':' names no program"},
        {{":", "-n", "1", "a"}, "between ':' names no program"},
        {{"-n", "1", "a", ":", ":", "-n", "1", "b"}, "between ':' names no program"},
        {{"-n", "1", "a", ":", "./b"}, "'./b' has no -n: with several programs each needs its number"},
    })));
}

TEST_CASE("A variable's value that is taken from the program")
{
    check({{"-n", "2", "-genv", "A", "./hello"},
           "no program to run: -genv takes two words, so './hello' is the value of A; write '-genv A VALUE "
           "./hello', or '-x A ./hello' to hand on what is set here"});
    check({{"-env", "A", "b", ":", "-n", "1", "c"}, "-env takes two words, so 'b' is the value of A"});
}

TEST_CASE("Contradictions")
{
    check(GENERATE(values<Row>({
        {{"-n", "2", "-np", "3", "a"}, "option -np is given twice, as '2' and as '3'"},
        {{"--bind-to", "core", "--bind-to", "none", "a"}, "given twice, as 'core' and as 'none'"},
        {{"-n", "1", "--map-by", "core", "a", ":", "-map-by", "numa", "-n", "1", "b"},
         "as 'core' and as 'numa'"},
        {{"--wdir", "/", "-wd", "/tmp", "a"}, "as '/' and as '/tmp'"},
        {{"--timeout", "1", "--timeout", "2", "a"}, "option --timeout is given twice"},
        {{"--stdin", "1", "--stdin", "none", "a"}, "option --stdin is given twice"},
        {{"-x", "A=1", "-x", "A=2", "a"}, "variable A is given twice, as '1' and as '2'"},
        {{"-x", "A=1", "-env", "A", "2", "a"}, "variable A is given twice"},
        {{"-genv", "A", "1", "-genv", "A", "2", "a"}, "variable A is given twice"},
        {{"--bynode", "--map-by", "core", "a"}, "option --map-by is given twice, as 'node' and as 'core'"},
        {{"--map-by", "slot:PE=2", "--bind-to", "core:3", "a"},
         "the number of cores a rank is given twice, as '2' and as '3'"},
        {{"-q", "-v", "a"}, "--quiet and --verbose contradict"},
    })));
    const TemporaryFolder folder;
    const std::string file = folder.write("hosts", "localhost\n").string();
    check({{"-H", "localhost", "--hostfile", file, "a"}, "--host and --hostfile both say where ranks go"});
}

TEST_CASE("Mistyped options and values get a suggestion")
{
    check(GENERATE(values<Row>({
        {{"--bind-too", "core", "a"}, "unknown option '--bind-too'; did you mean '--bind-to'?"},
        {{"--oversubscrib", "a"}, "did you mean '--oversubscribe'?"},
        {{"-hostfle", "x", "a"}, "did you mean '-hostfile'?"},
        {{"--report-binding", "a"}, "did you mean '--report-bindings'?"},
        {{"--quantum", "a"}, "unknown option '--quantum'\n"},
        {{"--mca", "btl"}, "option '--mca' needs 2 values, but the command line ends"},
        {{"-genvnone", "a"}, "unknown option '-genvnone'; ranks inherit all variables"},
        {{"--nolocal", "a"}, "unknown option '--nolocal'; name the hosts to use by --host"},
        {{"--bind-to", "croe", "a"},
         "--bind-to: unknown value 'croe'; did you mean 'core'? (known: none, core, "
         "socket, numa, l3cache, hwthread)"},
        {{"--bind-to", "core:x", "a"}, "--bind-to: unknown value 'core:x'; did you mean 'core'?"},
        {{"--bind-to", "core:0", "a"}, "--bind-to: 0 is out of range for a number of cores a rank"},
        {{"--bind-to", "socket:2", "a"}, "--bind-to: unknown value 'socket:2'"},
        {{"--map-by", "slot:PE=", "a"}, "--map-by: '' is not a number of cores a rank"},
        {{"--map-by", "slot:PF=1", "a"}, "--map-by: unknown value 'slot:PF=1'"},
        {{"--map-by", "", "a"}, "--map-by: unknown value ''"},
        {{"--output", "tags", "a"}, "--output: unknown value 'tags'; did you mean 'tag'?"},
        {{"--output", "dir=", "a"}, "--output: the path is empty"},
        {{"-map-by", "sockt", "a"}, "-map-by: unknown value 'sockt'; did you mean 'socket'?"},
        {{"--rank-by", "hwthread", "a"}, "--rank-by: unknown value 'hwthread' (known: slot, core"},
        {{"--display", "mpa", "a"}, "did you mean 'map'?"},
        {{"--stdin", "al", "a"}, "--stdin: unknown value 'al'; did you mean 'all'?"},
    })));
}

TEST_CASE("Values that make no sense")
{
    const WithVariable unset("TUTTI_TEST_VARIABLE", std::nullopt);
    check(GENERATE(values<Row>({
        {{"-x", "=1", "a"}, "'' is no name of an environment variable"},
        {{"-env", "=B", "a"}, "'' is no name of an environment variable"},
        {{"-genvlist", "A,,B", "a"}, "-genvlist: 'A,,B' has an empty part"},
        {{"-envlist", "A,B=1", "a"}, "-envlist: 'B=1' is no name of an environment variable"},
        {{"-genv", "", "1", "a"}, "'' is no name of an environment variable"},
        {{"--stdin", "-1", "a"}, "--stdin: -1 is out of range for a rank"},
        {{"--timeout", "0", "a"}, "--timeout: '0' is not a time"},
        {{"--timeout", "-3", "a"}, "'-3' is not a time"},
        {{"--timeout", "5s", "a"}, "'5s' is not a time"},
        {{"--timeout", "inf", "a"}, "'inf' is not a time"},
        {{"--timeout", "nan", "a"}, "'nan' is not a time"},
        {{"--timeout", "1e300", "a"}, "'1e300' is not a time"},
        {{"--timeout", "1e999", "a"}, "'1e999' is not a time"},
        {{"--forward-signals", "WNCH", "a"}, "'WNCH' is no signal; did you mean 'WINCH'?"},
        {{"--forward-signals", "USR1,,USR2", "a"}, "has an empty part"},
        {{"--forward-signals", "", "a"}, "has an empty part"},
        {{"--forward-signals", "KILL", "a"}, "signal 'KILL' cannot be forwarded"},
        {{"--forward-signals", "19", "a"}, "signal '19' cannot be forwarded"},
        {{"--forward-signals", "32", "a"}, "signal '32' cannot be forwarded"},
        {{"--forward-signals", "0", "a"}, "0 is out of range for a signal"},
        {{"--forward-signals", "999", "a"}, "999 is out of range for a signal"},
        {{"-H", "else where", "a"}, "-H: 'else where' is no name of a host"},
        {{"-H", "-x", "a"}, "option '-H' needs a value, but '-x' follows it"},
        {{"-H=-vv", "a"}, "-H: '-vv' is no name of a host"},
        {{"--map-by", "ppr:2:cor", "a"}, "--map-by: unknown value 'cor'; did you mean 'core'?"},
        {{"--map-by", "ppr:2:slot", "a"}, "--map-by: unknown value 'slot'"},
        {{"--map-by", "ppr:node", "a"}, "'ppr:node' is not understood; write ppr:N:WHAT"},
        {{"--map-by", "ppr::node", "a"}, "'' is not a number of ranks on each node"},
        {{"--map-by", "seq", "-N", "2", "a"},
         "--map-by seq says where each rank goes; leave out other --map-by"},
        {{"--cpu-set", "0-x", "a"}, "--cpu-set: 'x' is not a number of a core"},
        {{"--cpu-set", "3-1", "a"}, "--cpu-set: 1 is out of range"},
        {{"-n2x", "a"}, "unknown option '-n2x'"},
        {{"--n2", "a"}, "unknown option '--n2'"},
        {{"-H2", "a"}, "unknown option '-H2'"},
        {{"-n2", "-np", "3", "a"}, "option -np is given twice, as '2' and as '3'"},
        {{"-N", "0", "a"}, "-N: 0 is out of range for a number of ranks a node"},
        {{"-N", "2", "-ppn", "3", "a"}, "option -ppn is given twice, as '2' and as '3'"},
        {{"-N", "2", "--map-by", "ppr:3:node", "a"}, "the number of ranks on each host is given twice"},
        {{"--fabric", "udp", "a"}, "--fabric: 'udp' is not understood; write tcp"},
        {{"--fabric", "ofi:", "a"}, "--fabric: 'ofi:' is not understood"},
        {{"--interface", "eth0,,eth1", "a"}, "--interface: 'eth0,,eth1' has an empty part"},
        {{"--launcher", "rsh", "a"}, "--launcher: unknown value 'rsh'"},
        {{"--launch-agent", " ", "a"}, "--launch-agent: the command is empty"},
        {{"--launch-agent", "'/my ssh", "a"}, "--launch-agent: a quote in ''/my ssh' is not closed"},
        {{"--launcher", "slurm", "--launch-agent", "x", "a"}, "contradict each other"},
        {{"--prefix", "opt", "a"}, "--prefix: 'opt' is no absolute path"},
        {{"--daemon-timeout", "soon", "a"}, "--daemon-timeout: 'soon' is not a time"},
        {{"--start-timeout", "0", "a"}, "--start-timeout: '0' is not a time"},
        {{"--json", "./a"}, "--json is for what --doctor finds"},
        {{"--doctor", "./a"}, "--doctor runs no program; leave out './a'"},
        {{"--hostfile", "/nonexistent/hosts", "a"},
         "cannot read hostfile '/nonexistent/hosts': No such file"},
        {{"--wdir", "", "a"}, "--wdir: the path is empty; is a shell variable unset?"},
        {{"--output-filename=", "a"}, "--output-filename: the path is empty"},
        {{"-f", "", "a"}, "-f: the path is empty"},
        {{"--quiet=1", "a"}, "--quiet: unknown value '1' (known: no, yes)"},
    })));
}
