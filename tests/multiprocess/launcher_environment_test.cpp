// What ranks find around them: variables, directory, processors, arguments.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

TEST_CASE("each rank knows its numbers")
{
    const Result result = tuttirun(script(4, "echo $PMIX_RANK $TUTTI_LOCAL_RANK $TUTTI_LOCAL_SIZE"));
    CHECK(sorted(lines_of(result.out)) == std::vector<std::string>{"0 0 4", "1 1 4", "2 2 4", "3 3 4"});
}

TEST_CASE("ranks have their numbers under the names of torchrun, if asked for")
{
    const std::string print =
        "echo $PMIX_RANK: $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $NODE_RANK $GROUP_RANK "
        "$MASTER_ADDR";
    const Result result = tuttirun(on_hosts({2, 1}, {"--rank-env", "-x", "RANK=9", "sh", "-c", print}));
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) ==
          std::vector<std::string>{"0: 0 3 0 2 0 0", "1: 1 3 1 2 0 0", "2: 2 3 0 1 1 1"});
    CHECK(sorted(lines_of(tuttirun(script(2, "echo $PMIX_RANK,$RANK,$WORLD_SIZE,$LOCAL_RANK")).out)) ==
          std::vector<std::string>{"0,,,", "1,,,"});
}

TEST_CASE("ranks have their numbers under the names of mpirun, unless told otherwise")
{
    const std::string print =
        "echo $PMIX_RANK: $OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_SIZE $OMPI_COMM_WORLD_LOCAL_RANK "
        "$OMPI_COMM_WORLD_LOCAL_SIZE, $PMI_RANK $PMI_SIZE $MPI_LOCALRANKID $MPI_LOCALNRANKS";
    const Words expected{"0: 0 3 0 2, 0 3 0 2", "1: 1 3 1 2, 1 3 1 2", "2: 2 3 0 1, 2 3 0 1"};
    CHECK(sorted(lines_of(tuttirun(on_hosts({2, 1}, shell(print))).out)) == expected);
    // Those of a job within a rank are its own.
    CHECK(sorted(lines_of(tuttirun(script(1, "\"$TUTTIRUN\" -n 1 sh -c "
                                             "'echo $OMPI_COMM_WORLD_SIZE $PMI_SIZE' < /dev/null"))
                             .out)) == Words{"1 1"});
    const Words off{"--mpirun-env=no", "-n", "1", "sh", "-c",
                    "env | grep -E '^(OMPI_COMM|PMI_|MPI_LOCAL)' || echo none"};
    CHECK(tuttirun(off).out == "none\n");
}

TEST_CASE("another launcher's job within a rank is not taken for the rank")
{
    const std::string exchange = shell_quoted(program("bootstrap_actions")) + " exchange < /dev/null";
    // As a program without the variables of PMIx it is a job of one.
    const Result alone = tuttirun(script(2, "env -u PMIX_NAMESPACE -u PMIX_RANK " + exchange));
    CHECK(alone.status == 0);
    CHECK(alone.out == "singleton rank 0 of 1, 1 local\nsingleton rank 0 of 1, 1 local\n");
    // Hydra's: its ranks would all be this one.
    const Result below = tuttirun(script(1, "PMI_FD=9 PMI_RANK=0 PMI_SIZE=2 " + exchange));
    CHECK(below.status == 4);
    CHECK(contains(below.err, "PMI_FD names no connection to a launcher"));
    if (::access("/usr/bin/mpirun.openmpi", X_OK) == 0) {
        const Result open_mpi = tuttirun(script(
            1, "mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 sh -c 'echo $OMPI_COMM_WORLD_RANK' "
               "< /dev/null"));
        CHECK(sorted(lines_of(open_mpi.out)) == Words{"0", "1"});
    }
}

TEST_CASE("a variable that is not set is not handed on, with a word about it")
{
    ::unsetenv("TUTTI_TEST_NEW");
    const Result result = tuttirun({"-x", "TUTTI_TEST_NEW", "-n", "1", "echo", "here"});
    CHECK(result.status == 0);
    CHECK(result.out == "here\n");
    CHECK(result.err == "tuttirun: -x hands on TUTTI_TEST_NEW, which is not set here; going on without\n");
}

TEST_CASE("under a name of MPI's the launcher says whose options it takes")
{
    const auto says = [](const std::string& name) {
        return Launched(shell("ln -s \"$TUTTIRUN\" \"$TMPDIR/" + name + "\"; \"$TMPDIR/" + name +
                              "\" --version; rm \"$TMPDIR/" + name + "\""))
            .wait()
            .out;
    };
    for (const char* name : {"mpirun", "mpiexec"}) {
        CHECK(says(name).starts_with(std::string(name) + " (Tutti) "));
        CHECK(contains(says(name), "Open MPI"));
        CHECK(contains(says(name), "MPICH"));
    }
    CHECK(says("tuttirun").starts_with("tuttirun (Tutti) "));
    CHECK_FALSE(contains(says("tuttirun"), "Open MPI"));
}

TEST_CASE("several programs in one job")
{
    const Result result = tuttirun({"-n", "1", "sh", "-c", "echo a $PMIX_RANK", ":", "-n", "2", "sh", "-c",
                                    "echo b $PMIX_RANK", ":", "-n", "1", "sh", "-c", "echo c $PMIX_RANK"});
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == std::vector<std::string>{"a 0", "b 1", "b 2", "c 3"});
}

TEST_CASE("lines of scripts for other launchers run, and only -v says what has no effect")
{
    const std::filesystem::path hosts =
        std::filesystem::temp_directory_path() / ("tutti-test-hosts-" + std::to_string(::getpid()));
    std::ofstream(hosts) << "localhost slots=2\n";
    const auto run = [&hosts](std::vector<std::string> words) {
        words.insert(words.end(), {"-machinefile",
                                   hosts.string(),
                                   "--mca",
                                   "btl",
                                   "self",
                                   "-mca",
                                   "pml",
                                   "ob1",
                                   "--allow-run-as-root",
                                   "--oversubscribe",
                                   "-genv",
                                   "I_MPI_PIN",
                                   "off",
                                   "-np",
                                   "1",
                                   "sh",
                                   "-c",
                                   "echo a $I_MPI_PIN",
                                   ":",
                                   "-n",
                                   "2",
                                   "--use-hwthread-cpus",
                                   "sh",
                                   "-c",
                                   "echo b $PMIX_RANK"});
        return tuttirun(words);
    };
    const Result silent = run({});
    CHECK(silent.status == 0);
    CHECK(sorted(lines_of(silent.out)) == std::vector<std::string>{"a off", "b 1", "b 2"});
    CHECK(silent.err == "");
    const Result verbose = run({"-v"});
    CHECK(verbose.status == 0);
    CHECK(
        lines_of(verbose.err).at(0) ==
        "tuttirun: without effect here: --mca btl self, -mca pml ob1, --allow-run-as-root, --oversubscribe, "
        "--use-hwthread-cpus, I_MPI_PIN (tuttirun --help has what is used instead)");
    // What is started and where, the libraries for others' programs, and malloc's heap.
    CHECK(lines_of(verbose.err).size() == std::size_t{3} + TUTTI_TEST_FACADES + (can_list_paths() ? 1 : 0));
    CHECK(contains(lines_of(verbose.err).back(), ": rank 0 is pid "));
    std::filesystem::remove(hosts);
}

TEST_CASE("arguments arrive as they are")
{
    const Result result = tuttirun({"-n", "1", "printf", "<%s>", "", "two words", "-n", "*", "a=b"});
    CHECK(result.out == "<><two words><-n><*><a=b>");
}

TEST_CASE("variables are passed, set, and those of an outer job are not")
{
    ::setenv("TUTTI_TEST_OUTER", "kept", 1);
    ::setenv("PMIX_NAMESPACE", "someone-else", 1);
    ::setenv("PMIX_SERVER_URI2", "nowhere", 1);
    ::setenv("OMPI_COMM_WORLD_SIZE", "99", 1);
    const Result result = tuttirun({"-x", "TUTTI_TEST_NEW=a b", "-n", "2", "sh", "-c",
                                    "echo $TUTTI_TEST_OUTER,$TUTTI_TEST_NEW,$OMPI_COMM_WORLD_SIZE,"
                                    "${PMIX_NAMESPACE%-*}"});
    ::unsetenv("TUTTI_TEST_OUTER");
    ::unsetenv("PMIX_NAMESPACE");
    ::unsetenv("PMIX_SERVER_URI2");
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
    CHECK(result.out == "kept,a b,2,tutti\nkept,a b,2,tutti\n");
}

TEST_CASE("a job inside a rank of a job is a job of its own")
{
    const Result result = tuttirun(script(
        2, "\"$TUTTIRUN\" -n 2 " + shell_quoted(program("bootstrap_actions")) + " exchange < /dev/null"));
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) ==
          std::vector<std::string>{"pmix rank 0 of 2, 2 local", "pmix rank 0 of 2, 2 local",
                                   "pmix rank 1 of 2, 2 local", "pmix rank 1 of 2, 2 local"});
}

TEST_CASE("a parent that ignores its children's ends has its job ended all the same, with its status")
{
    // Ranks ignore what they would ignore without a launcher. No shell: those take SIGCHLD themselves.
    const Words ignored{"-n", "1", "grep", "SigIgn", "/proc/self/status"};
    constexpr unsigned long kBoth = 1UL << (SIGCHLD - 1) | 1UL << (SIGPIPE - 1);
    const auto bits = [](const Result& result) {
        return std::strtoul(result.out.substr(std::min(result.out.find('\t'), result.out.size())).c_str(), nullptr, 16);
    };
    const auto run = [&](const std::string& signals, const Words& arguments) {
        Words command{"perl", "-e", "$SIG{$_} = 'IGNORE' for split / /, shift; exec @ARGV", signals};
        const Words rest = tuttirun_command(arguments);
        command.insert(command.end(), rest.begin(), rest.end());
        return Launched(command).wait();
    };
    CHECK((bits(run("CHLD PIPE", ignored)) & kBoth) == kBoth);
    CHECK((bits(run("", ignored)) & kBoth) == 0);
    CHECK(run("CHLD", script(2, "exit $PMIX_RANK")).status == 1);
    CHECK(run("CHLD", on_hosts({1, 1}, {"sh", "-c", "exit 3"})).status == 3);
}

TEST_CASE("the working directory")
{
    const Result here = tuttirun({"--wdir", "/usr/lib", "-n", "2", "pwd"});
    CHECK(here.out == "/usr/lib\n/usr/lib\n");
    CHECK(tuttirun({"--wdir", "/usr", "-n", "1", "bin/true"}).status == 0);
    const Result missing = tuttirun({"--wdir", "/no/such/place", "-n", "2", "pwd"});
    CHECK(missing.status == 127);
    CHECK(contains(missing.err, "working directory /no/such/place: No such file or directory"));
}

TEST_CASE("scripts without a first line run as the shell runs them")
{
    Launched job(
        {"sh", "-c",
         "echo 'echo script $PMIX_RANK $1' > \"$TMPDIR/s\"; chmod +x \"$TMPDIR/s\"; \"$TUTTIRUN\" -n 2 "
         "\"$TMPDIR/s\" arg; PATH=\"$TMPDIR:$PATH\" \"$TUTTIRUN\" -n 1 s found; rm \"$TMPDIR/s\""});
    CHECK(sorted(lines_of(job.wait().out)) ==
          std::vector<std::string>{"script 0 arg", "script 0 found", "script 1 arg"});
}

TEST_CASE("ranks run on this machine's cores, whichever machine hwloc's variables show to other tools")
{
    const Words count{"sh", "-c", "echo $TUTTI_LOCAL_SIZE"};
    const std::string cores = lines_of(tuttirun(count).out).at(0);
    ::setenv("HWLOC_SYNTHETIC", "package:2 core:16 pu:2", 1);
    const Result one_a_core = tuttirun(count);
    const Result bound = tuttirun({"--bind-to", "core", "-n", "1", "sh", "-c", "echo $HWLOC_SYNTHETIC"});
    ::unsetenv("HWLOC_SYNTHETIC");
    CHECK(one_a_core.err == "");
    CHECK(one_a_core.status == 0);
    CHECK(lines_of(one_a_core.out) == Words(static_cast<std::size_t>(std::stoi(cores)), cores));
    CHECK(bound.status == 0);
    CHECK(bound.out == "package:2 core:16 pu:2\n");
}

TEST_CASE("ranks are bound to the processors that the map gives them")
{
    const std::string allowed = "grep Cpus_allowed_list /proc/self/status | cut -f 2";
    const Result bound = tuttirun({"--bind-to", "core", "-n", "1", "sh", "-c", allowed});
    const Result free = tuttirun({"--bind-to", "none", "-n", "1", "sh", "-c", allowed});
    CHECK(bound.status == 0);
    Launched self({"sh", "-c", allowed});
    const std::string own = self.wait().out;
    CHECK(free.out == own);
    if (::sysconf(_SC_NPROCESSORS_ONLN) > 1 && own != "0\n") {
        CHECK(bound.out != own);
    }
}

TEST_CASE("signals and descriptors of the launcher's own stay with it")
{
    // Neither blocked nor ignored signals, and no descriptors but 0, 1, 2 and the control channel (and the
    // one that lists them).
    const Result result = tuttirun(
        {"-n", "2", "sh", "-c", "grep -E 'SigBlk|SigIgn' /proc/self/status; ls /proc/self/fd | wc -l"});
    CHECK(sorted(lines_of(result.out)) ==
          std::vector<std::string>{"5", "5", "SigBlk:\t0000000000000000", "SigBlk:\t0000000000000000",
                                   "SigIgn:\t0000000000000000", "SigIgn:\t0000000000000000"});
}

TEST_CASE("malloc's heap goes before programs, but not before what starts containers, and -v says so once")
{
    if (!can_list_paths()) {
        WARN("not tested: LD_PRELOAD cannot hold a path with blanks, which TMPDIR has, too");
        return;
    }
    const auto preloads = [](const Result& result) {
        REQUIRE(result.status == 0);
        return result.out.find("libtutti_heap.so") != std::string::npos;
    };
    const std::string print = "echo $LD_PRELOAD";
    const Result result = tuttirun({"-v", "-n", "2", "sh", "-c", print});
    CHECK(preloads(result));
    const std::string note = "takes memory that ranks share";
    const std::size_t said = result.err.find(note);
    REQUIRE(said != std::string::npos);
    CHECK(result.err.find(note, said + 1) == std::string::npos);
    CHECK_FALSE(preloads(tuttirun({"-n", "1", "--heap", "off", "sh", "-c", print})));

    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("tutti-test-containers-" + std::to_string(::getpid()));
    const std::filesystem::path starter = folder / "apptainer";
    std::filesystem::create_directory(folder);
    std::ofstream(starter) << "#!/bin/sh\n" + print + "\n";
    std::filesystem::permissions(starter, std::filesystem::perms::owner_all);
    CHECK_FALSE(preloads(tuttirun({"-n", "1", starter.string()})));
    CHECK(preloads(tuttirun({"-n", "1", "--heap", "on", starter.string()})));
    std::filesystem::remove_all(folder);
}
