// What scripts for other launchers rely on: variables of their ranks, how their hosts are reached.
#include <catch2/catch.hpp>

#include "launcher/hosts/hosts.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("Variables of mpirun's ranks are set unless they are not wanted")
{
    CHECK(parse({"a"}).mpirun_variables);
    CHECK(parse({"--mpirun-env", "a"}).mpirun_variables);
    CHECK_FALSE(parse({"--mpirun-env=no", "a"}).mpirun_variables);
}

TEST_CASE("A variable that is not set cannot be handed on, and stops nothing")
{
    const WithVariable unset("TUTTI_TEST_VARIABLE", std::nullopt);
    const JobOptions options = parse({"-x", "TUTTI_TEST_VARIABLE", "-x", "A=1", "a"});
    CHECK(options.not_set == Words{"TUTTI_TEST_VARIABLE"});
    CHECK(options.apps.at(0).environment == Environment{{"A", "1"}});
}

TEST_CASE("What has no effect is noted once")
{
    const JobOptions options = parse({"--oversubscribe", "--mca", "btl", "tcp", "-mca", "btl", "tcp", "--mca",
                                      "pml", "ob1", "--oversubscribe", "-x", "I_MPI_PIN=1", "a"});
    CHECK(options.without_effect ==
          Words{"--oversubscribe", "--mca btl tcp", "-mca btl tcp", "--mca pml ob1", "I_MPI_PIN"});
}

TEST_CASE("What others' options say of how hosts are reached has its effect")
{
    const JobOptions open_mpi =
        parse({"-mca", "plm_rsh_args", "-p 2222", "--mca", "plm_rsh_agent", "/my/ssh -q : rsh", "a"});
    CHECK(open_mpi.agent_arguments == Words{"-p", "2222"});
    CHECK(open_mpi.launch_agent == Words{"/my/ssh", "-q"});
    CHECK(open_mpi.without_effect.empty());
    for (const char* option : {"-bootstrap-exec-args", "-launcher-exec-args"})
        CHECK(parse({option, "-p 2222", "a"}).agent_arguments == Words{"-p", "2222"});
    const StartMethod method = start_method(parse({"-bootstrap-exec-args", "-p 2222", "a"}), {});
    CHECK(method.agent == Words{"ssh", "-p", "2222"});
}
