#include <csignal>

#include <array>

#include <catch2/catch.hpp>

#include "launcher/command_line/grammar.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("A program alone leaves every default")
{
    const WithVariable timeout("MPIEXEC_TIMEOUT", std::nullopt);
    const JobOptions options = parse({"./a.out", "-n", "3", "--help"});
    REQUIRE(options.apps.size() == 1);
    CHECK(options.apps[0].argv == Words{"./a.out", "-n", "3", "--help"});
    CHECK(options.apps[0].ranks == 0);
    CHECK(options.apps[0].environment.empty());
    CHECK(options.apps[0].working_directory.empty());
    CHECK(options.hosts.empty());
    CHECK(options.binding == MachineLevel::automatic);
    CHECK(options.map_by == MachineLevel::slot);
    CHECK(options.rank_by == MachineLevel::automatic);
    CHECK(options.ranks_per.ranks == 0);
    CHECK_FALSE(options.launcher);
    CHECK_FALSE(options.doctor);
    CHECK(options.stdin_target == StdinTarget::rank);
    CHECK(options.stdin_rank == 0);
    CHECK(options.timeout_seconds == 0);
    CHECK(options.forward_signals.empty());
    CHECK_FALSE(options.rank_variables);
    CHECK_FALSE(options.report_bindings);
    CHECK_FALSE(options.display_map);
    CHECK_FALSE(options.output.tag);
    CHECK_FALSE(options.output.label);
    CHECK_FALSE(options.output.timestamp);
    CHECK_FALSE(options.output.merge_stderr);
    CHECK(options.output.directory.empty());
    CHECK_FALSE(options.quiet);
    CHECK(options.verbosity == 0);
}

TEST_CASE("The number of ranks has many spellings")
{
    const Words words = GENERATE(values<Words>({{"-n", "7"},
                                                {"-np", "7"},
                                                {"-c", "7"},
                                                {"--n", "7"},
                                                {"--np", "7"},
                                                {"--np=7"},
                                                {"-n=7"},
                                                {"-n", "7", "-np", "7"},
                                                {"-n", "007"}}));
    Words line = words;
    line.push_back("a");
    CAPTURE(line);
    CHECK(parse(line).apps.at(0).ranks == 7);
}

TEST_CASE("Variables with the rank's numbers are set on request")
{
    CHECK(parse({"--rank-env", "a"}).rank_variables);
    CHECK(parse({"-rank-env", "-n", "2", "a", ":", "-n", "1", "b"}).rank_variables);
    CHECK_FALSE(parse({"a", "--rank-env"}).rank_variables);
}

TEST_CASE("The heap is a variable of all programs, which a program's own -x goes before")
{
    CHECK(parse({"--heap", "on", "a"}).apps[0].environment ==
          std::vector<std::pair<std::string, std::string>>{{"TUTTI_HEAP", "on"}});
    CHECK(parse({"--heap", "off", "-x", "TUTTI_HEAP=on", "a"}).apps[0].environment.back().second == "on");
    CHECK(parse({"--heap", "auto", "a"}).apps[0].environment.back().second == "auto");
    CHECK(parse({"a"}).apps[0].environment.empty());
    CHECK_THROWS(parse({"--heap", "yes", "a"}));
}

TEST_CASE("Placement values of both dialects")
{
    CHECK(parse({"--bind-to", "none", "a"}).binding == MachineLevel::none);
    CHECK(parse({"-bind-to", "core", "a"}).binding == MachineLevel::core);
    CHECK(parse({"--bind-to=socket", "a"}).binding == MachineLevel::socket);
    CHECK(parse({"--bind-to", "numa", "a"}).binding == MachineLevel::numa);
    CHECK(parse({"--bind-to", "hwthread", "a"}).binding == MachineLevel::hwthread);
    CHECK(parse({"--map-by", "slot", "a"}).map_by == MachineLevel::slot);
    CHECK(parse({"-map-by", "core", "a"}).map_by == MachineLevel::core);
    CHECK(parse({"--map-by", "socket", "a"}).map_by == MachineLevel::socket);
    CHECK(parse({"--map-by", "numa", "a"}).map_by == MachineLevel::numa);
    CHECK(parse({"--map-by", "hwthread", "a"}).map_by == MachineLevel::hwthread);
    CHECK(parse({"--map-by", "node", "a"}).map_by == MachineLevel::node);
    CHECK(parse({"--rank-by", "slot", "a"}).rank_by == MachineLevel::slot);
    CHECK(parse({"--rank-by", "core", "a"}).rank_by == MachineLevel::core);
    CHECK(parse({"--rank-by", "socket", "a"}).rank_by == MachineLevel::socket);
    CHECK(parse({"--rank-by", "numa", "a"}).rank_by == MachineLevel::numa);
    CHECK(parse({"-rank-by", "node", "a"}).rank_by == MachineLevel::node);
    CHECK(parse({"--report-bindings", "a"}).report_bindings);
    CHECK(parse({"--display", "map", "a"}).display_map);
    CHECK(parse({"-display-map", "a"}).display_map);
}

TEST_CASE("Hosts come from a list or a file")
{
    const JobOptions listed = parse({"-hosts", "localhost:2,127.0.0.1", "a"});
    REQUIRE(listed.hosts.size() == 2);
    CHECK(listed.hosts[0].name == "localhost");
    CHECK(listed.hosts[0].slots == 2);
    CHECK(listed.hosts[1].slots == 1);
    CHECK(parse({"-H", "localhost:3", "a"}).hosts.at(0).slots == 3);

    const TemporaryFolder folder;
    const std::string file = folder.write("hosts", "localhost slots=5\n").string();
    for (const char* option : {"-f", "--hostfile", "-machinefile"}) {
        CHECK(parse({option, file, "a"}).hosts.at(0).slots == 5);
    }
}

TEST_CASE("Ranks a node have the spellings of both dialects")
{
    const Words words = GENERATE(values<Words>({{"-N", "3"},
                                                {"-ppn", "3"},
                                                {"-perhost", "3"},
                                                {"-npernode", "3"},
                                                {"--npernode", "3"},
                                                {"--map-by", "ppr:3:node"},
                                                {"-N", "3", "--map-by", "ppr:3:node"}}));
    Words line = words;
    line.push_back("a");
    CAPTURE(line);
    CHECK(parse(line).ranks_per.ranks == 3);
    CHECK(parse(line).map_by == MachineLevel::slot);
}

TEST_CASE("How other hosts are reached")
{
    const WithVariable no_agent("TUTTI_LAUNCH_AGENT", std::nullopt);
    const WithVariable no_interface("TUTTI_INTERFACE", std::nullopt);
    CHECK(parse({"--launcher", "ssh", "a"}).launcher == StartMethod::Agent::remote_shell);
    CHECK(parse({"-launcher", "slurm", "a"}).launcher == StartMethod::Agent::srun);
    CHECK(parse({"--launch-agent", "ssh  -p 22", "a"}).launch_agent == Words{"ssh", "-p", "22"});
    CHECK(parse({"--launch-agent", "'/my tools/ssh'  -o \"A='b c'\" ''", "a"}).launch_agent ==
          Words{"/my tools/ssh", "-o", "A='b c'", ""});
    CHECK(parse({"-launcher-exec", "/bin/x", "a"}).launch_agent == Words{"/bin/x"});
    CHECK(parse({"--prefix", "/opt/tutti", "a"}).prefix == "/opt/tutti");
    CHECK(parse({"--start-timeout", "2.5", "a"}).start_timeout_seconds == 2.5);
    CHECK(parse({"a"}).daemon_timeout_seconds == 30);
    CHECK(parse({"--daemon-timeout", "2.5", "a"}).daemon_timeout_seconds == 2.5);
    CHECK(parse({"--daemon-timeout", "0", "a"}).daemon_timeout_seconds == 0);
    const JobOptions options = parse({"--interface", "eth0,10.1.0.0/16", "--fabric", "ofi:verbs", "a"});
    CHECK(options.interface == "eth0,10.1.0.0/16");
    CHECK(options.apps.at(0).environment ==
          Environment{{"TUTTI_INTERFACE", "eth0,10.1.0.0/16"}, {"TUTTI_FABRIC", "ofi:verbs"}});
    CHECK(parse({"--doctor", "-H", "x,y"}).doctor);
    CHECK(parse({"--doctor", "-H", "x,y"}).apps.empty());
    CHECK_FALSE(parse({"--doctor"}).json);
    CHECK(parse({"--doctor", "--json"}).json);

    const WithVariable agent("TUTTI_LAUNCH_AGENT", "rsh -K");
    const WithVariable interface("TUTTI_INTERFACE", "ib0");
    CHECK(parse({"a"}).launch_agent == Words{"rsh", "-K"});
    CHECK(parse({"a"}).interface == "ib0");
    CHECK(parse({"--launch-agent", "x", "--interface", "eth1", "a"}).launch_agent == Words{"x"});
    CHECK(parse({"--interface", "eth1", "a"}).interface == "eth1");
    CHECK_THAT(parse_error({"--interface", "eth0,10.0.0.0/99", "a"}),
               Catch::Contains("--interface=eth0,10.0.0.0/99: '10.0.0.0/99' is neither an interface nor"));
    const WithVariable wrong("TUTTI_INTERFACE", "fd00::/x");
    CHECK_THAT(parse_error({"a"}), Catch::Contains("TUTTI_INTERFACE=fd00::/x"));
}

TEST_CASE("Input and output options")
{
    CHECK(parse({"--tag-output", "a"}).output.tag);
    CHECK(parse({"-l", "a"}).output.label);
    CHECK(parse({"-prepend-rank", "a"}).output.label);
    CHECK(parse({"--timestamp-output", "a"}).output.timestamp);
    CHECK(parse({"-merge-stderr-to-stdout", "a"}).output.merge_stderr);
    CHECK(parse({"--output-filename", "logs", "a"}).output.directory == "logs");
    const JobOptions dashed = parse({"--output-filename=-l", "a"});
    CHECK(dashed.output.directory == "-l");
    CHECK_FALSE(dashed.output.label);
    CHECK(parse({"--stdin", "all", "a"}).stdin_target == StdinTarget::all);
    CHECK(parse({"--stdin", "none", "a"}).stdin_target == StdinTarget::none);
    const JobOptions third = parse({"-stdin", "3", "a"});
    CHECK(third.stdin_target == StdinTarget::rank);
    CHECK(third.stdin_rank == 3);
}

TEST_CASE("The launcher's own options, and those without effect")
{
    CHECK(parse({"-q", "a"}).quiet);
    CHECK(parse({"-v", "a"}).verbosity == 1);
    CHECK(parse({"-v", "--verbose", "a"}).verbosity == 2);
    CHECK(parse({"-vv", "a"}).verbosity == 2);
    const JobOptions options =
        parse({"--oversubscribe", "--allow-run-as-root", "-genvall", "-envall", "-n", "2", "a"});
    CHECK(options.apps.at(0).ranks == 2);
    CHECK(options.apps.at(0).environment.empty());
}

TEST_CASE("Lines for other launchers mean here what comes nearest")
{
    // Open MPI 4 and 5
    const JobOptions open_mpi =
        parse({"--allow-run-as-root", "--oversubscribe", "--use-hwthread-cpus", "-mca", "btl", "self,vader",
               "--mca", "pml", "ob1", "--bynode", "-x", "A=1", "-np", "3", "--tag-output", "./a", "-mca"});
    CHECK(open_mpi.apps.at(0).argv == Words{"./a", "-mca"});
    CHECK(open_mpi.apps.at(0).ranks == 3);
    CHECK(open_mpi.apps.at(0).environment == Environment{{"A", "1"}});
    CHECK(open_mpi.map_by == MachineLevel::node);
    CHECK(open_mpi.output.tag);
    CHECK(open_mpi.without_effect == Words{"--allow-run-as-root", "--oversubscribe", "--use-hwthread-cpus",
                                           "-mca btl self,vader", "--mca pml ob1"});
    const JobOptions five =
        parse({"--map-by", "ppr:2:node:PE=4:OVERSUBSCRIBE", "--bind-to", "core:overload-allowed", "--output",
               "tag,merge-stderr-to-stdout,dir=logs", "--display", "map,bindings", "a"});
    CHECK(five.ranks_per.ranks == 2);
    CHECK(five.cores_per_rank == 4);
    CHECK(five.binding == MachineLevel::automatic);
    CHECK(five.output.tag);
    CHECK(five.output.merge_stderr);
    CHECK(five.output.directory == "logs");
    CHECK(five.display_map);
    CHECK(five.report_bindings);
    CHECK(parse({"--map-by", ":OVERSUBSCRIBE", "a"}).map_by == MachineLevel::slot);
    CHECK(parse({"--map-by", "package:PE=2", "a"}).map_by == MachineLevel::socket);
    CHECK(parse({"--cpus-per-proc", "3", "--map-by", "slot:PE=3", "a"}).cores_per_rank == 3);
    CHECK(parse({"--bind-to-socket", "a"}).binding == MachineLevel::socket);
    CHECK(parse({"--pernode", "a"}).ranks_per.ranks == 1);
    CHECK_FALSE(parse({"--display-allocation", "a"}).display_map);

    // MPICH and Intel
    const WithVariable set("TUTTI_TEST_VARIABLE", "from here");
    const WithVariable unset("TUTTI_TEST_OTHER", std::nullopt);
    const JobOptions hydra = parse({"-genv",
                                    "I_MPI_PIN=1",
                                    "-genv",
                                    "I_MPI_DEBUG",
                                    "5",
                                    "-env",
                                    "A=x=y",
                                    "-genvlist",
                                    "TUTTI_TEST_VARIABLE,TUTTI_TEST_OTHER",
                                    "-ppn",
                                    "2",
                                    "-iface",
                                    "eth0",
                                    "-bind-to",
                                    "core:2",
                                    "-bootstrap",
                                    "ssh",
                                    "-rr",
                                    "-print-rank-map",
                                    "-rmk",
                                    "slurm",
                                    "-n",
                                    "4",
                                    "./a"});
    CHECK(hydra.apps.at(0).environment == Environment{{"I_MPI_PIN", "1"},
                                                      {"I_MPI_DEBUG", "5"},
                                                      {"TUTTI_TEST_VARIABLE", "from here"},
                                                      {"TUTTI_INTERFACE", "eth0"},
                                                      {"A", "x=y"}});
    CHECK(hydra.without_effect == Words{"-rmk slurm", "I_MPI_PIN", "I_MPI_DEBUG"});
    CHECK(hydra.ranks_per.ranks == 2);
    CHECK(hydra.cores_per_rank == 2);
    CHECK(hydra.binding == MachineLevel::automatic);
    CHECK(hydra.map_by == MachineLevel::node);
    CHECK(hydra.display_map);
    CHECK(hydra.launcher == StartMethod::Agent::remote_shell);
    const JobOptions two =
        parse({"-n", "1", "-envlist", "TUTTI_TEST_VARIABLE", "a", ":", "-n", "2", "-mca", "x", "y", "b"});
    CHECK(two.apps.at(0).environment == Environment{{"TUTTI_TEST_VARIABLE", "from here"}});
    CHECK(two.apps.at(1).environment.empty());
    CHECK(two.without_effect == Words{"-mca x y"});
}

TEST_CASE("Signals are given by name or number, each once")
{
    CHECK(parse({"--forward-signals", "WINCH,SIGURG,10", "a"}).forward_signals ==
          std::vector<int>{SIGWINCH, SIGURG, 10});
    CHECK(parse({"--forward-signals", "USR1,SIGUSR1,10", "a"}).forward_signals == std::vector<int>{SIGUSR1});
    const std::string real_time = std::to_string(SIGRTMAX);
    CHECK(parse({"--forward-signals", real_time, "a"}).forward_signals == std::vector<int>{SIGRTMAX});
}

TEST_CASE("The time limit comes from the option, else from the environment")
{
    const WithVariable unset("MPIEXEC_TIMEOUT", std::nullopt);
    CHECK(parse({"--timeout", "0.25", "a"}).timeout_seconds == 0.25);
    CHECK(parse({"-timeout", "90", "a"}).timeout_seconds == 90);
    {
        const WithVariable timeout("MPIEXEC_TIMEOUT", "12.5");
        CHECK(parse({"a"}).timeout_seconds == 12.5);
        CHECK(parse({"--timeout", "3", "a"}).timeout_seconds == 3);
    }
    {
        const WithVariable timeout("MPIEXEC_TIMEOUT", "");
        CHECK(parse({"a"}).timeout_seconds == 0);
    }
    const WithVariable timeout("MPIEXEC_TIMEOUT", "soon");
    CHECK_THAT(parse_error({"a"}), Catch::Contains("MPIEXEC_TIMEOUT: 'soon' is not a time"));
}

TEST_CASE("when and how hangs are reported")
{
    const WithVariable unset("TUTTI_HANG_REPORT", std::nullopt);
    CHECK_FALSE(parse({"a"}).hang_report_seconds);
    CHECK(parse({"--hang-report", "2.5", "a"}).hang_report_seconds == 2.5);
    CHECK(parse({"--hang-report", "0", "a"}).hang_report_seconds == 0);
    CHECK(parse({"a"}).on_deadlock == OnDeadlock::report);
    CHECK(parse({"--on-deadlock", "abort", "a"}).on_deadlock == OnDeadlock::abort);
    CHECK_THAT(parse_error({"--on-deadlock", "abbort", "a"}), Catch::Contains("did you mean 'abort'"));
    const WithVariable set("TUTTI_HANG_REPORT", "7");
    CHECK(parse({"a"}).hang_report_seconds == 7);
    CHECK(parse({"--hang-report", "3", "a"}).hang_report_seconds == 3);
}

TEST_CASE("--status and --top take a job at most, and start nothing")
{
    CHECK_FALSE(parse({"a"}).status_of);
    CHECK(parse({"--status"}).status_of == "");
    CHECK(parse({"--status", "1234"}).status_of == "1234");
    CHECK_FALSE(parse({"a"}).top_of);
    CHECK(parse({"--top"}).top_of == "");
    CHECK(parse({"--top", "1234"}).top_of == "1234");
    CHECK_THAT(parse_error({"--top", "1", "2"}), Catch::Contains("--top takes one word at most"));
    CHECK_THAT(parse_error({"--top", "--status"}), Catch::Contains("give one of them"));
    CHECK_THAT(parse_error({"--status", "./a.out", "input"}),
               Catch::Contains("--status takes one word at most"));
}

TEST_CASE("Variables are set, taken over, or set for all")
{
    const WithVariable own("TUTTI_TEST_VARIABLE", "from here");
    CHECK(parse({"-x", "A=1", "-x", "B=", "-x", "C=x=y", "a"}).apps.at(0).environment ==
          Environment{{"A", "1"}, {"B", ""}, {"C", "x=y"}});
    CHECK(parse({"-x", "TUTTI_TEST_VARIABLE", "a"}).apps.at(0).environment ==
          Environment{{"TUTTI_TEST_VARIABLE", "from here"}});
    CHECK(parse({"-env", "A", "1", "-env", "B", "", "a"}).apps.at(0).environment ==
          Environment{{"A", "1"}, {"B", ""}});
    CHECK(parse({"-x", "A=1", "-env", "A", "1", "a"}).apps.at(0).environment == Environment{{"A", "1"}});

    const JobOptions two = parse(
        {"-n", "1", "-env", "A", "own", "a", ":", "-genv", "A", "all", "-genv", "B", "2", "-n", "1", "b"});
    CHECK(two.apps.at(0).environment == Environment{{"B", "2"}, {"A", "own"}});
    CHECK(two.apps.at(1).environment == Environment{{"A", "all"}, {"B", "2"}});
}

TEST_CASE("Values of one bracket or brace stay as they are")
{
    CHECK(parse({"--wdir", "[x,y]", "a"}).apps.at(0).working_directory == "[x,y]");
    CHECK(parse({"-x", "A={}", "-x", "B=[1,2]", "a"}).apps.at(0).environment ==
          Environment{{"A", "{}"}, {"B", "[1,2]"}});
    CHECK(parse({"-env", "A", "{}", "a"}).apps.at(0).environment == Environment{{"A", "{}"}});
}

TEST_CASE("Several programs have numbers, variables and folders of their own")
{
    const JobOptions options =
        parse({"-n", "1", "--wdir", "/tmp", "./server", "8080", ":", "-np", "3", "-x", "A=1", "--tag-output",
               "./worker", "-n", "9", ":", "-n", "2", "./logger"});
    REQUIRE(options.apps.size() == 3);
    CHECK(options.apps[0].argv == Words{"./server", "8080"});
    CHECK(options.apps[0].ranks == 1);
    CHECK(options.apps[0].working_directory == "/tmp");
    CHECK(options.apps[0].environment.empty());
    CHECK(options.apps[1].argv == Words{"./worker", "-n", "9"});
    CHECK(options.apps[1].ranks == 3);
    CHECK(options.apps[1].working_directory.empty());
    CHECK(options.apps[1].environment == Environment{{"A", "1"}});
    CHECK(options.apps[2].ranks == 2);
    CHECK(options.output.tag);
}

TEST_CASE("--check has a value behind = or none, and sets the ranks' variable")
{
    const auto environment_for = [](const char* option) {
        return parse({option, "-n", "2", "a", "all"}).apps.at(0).environment;
    };
    CHECK(environment_for("--check") == Environment{{"TUTTI_CHECK", "on"}});
    CHECK(environment_for("--check=types,report") == Environment{{"TUTTI_CHECK", "types,report"}});
    CHECK(parse({"--check", "all"}).apps.at(0).argv == Words{"all"});
    CHECK_THROWS_WITH(parse({"--check", "--check=races", "a"}), Catch::Contains("given twice"));
}
