#include "benchmarks/peers/contender.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace tutti::bench;

TEST_CASE("each launcher is asked in its own words", "[benchmarks]")
{
    using Words = std::vector<std::string>;
    const Contender tutti{"tutti", "Tutti", "tuttirun", "", ""};
    const Contender openmpi{"openmpi", "Open MPI", "mpirun", "", ""};
    const Contender mpich{"mpich", "MPICH", "mpirun", "", ""};
    CHECK(tutti.command(2, Binding::core, {}, "p", {"x"}) ==
          Words{"tuttirun", "--bind-to", "core", "-n", "2", "p", "x"});
    CHECK(openmpi.command(1000, Binding::none, {}, "p", {}) ==
          Words{"mpirun", "--bind-to", "none", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n",
                "1000", "p"});
    CHECK(openmpi.command(1, Binding::core, {}, "p", {}) ==
          Words{"mpirun", "--bind-to", "core", "-n", "1", "p"});
    CHECK(mpich.command(2, Binding::core, {}, "p", {}) ==
          Words{"mpirun", "-bind-to", "core", "-n", "2", "p"});

    const Hosts hosts{{"a", "b"}, "eth0"};
    CHECK(tutti.command(4, Binding::none, hosts, "p", {}) ==
          Words{"tuttirun", "--bind-to", "none", "-H", "a:2,b:2", "--interface", "eth0", "-n", "4", "p"});
    CHECK(mpich.command(2, Binding::none, hosts, "p", {"x"}) == Words{"mpirun", "-bind-to", "none", "-hosts",
                                                                      "a:1,b:1", "-env", "UCX_NET_DEVICES",
                                                                      "eth0", "-n", "2", "p", "x"});
    Contender tuned{"openmpi:tuned", "Open MPI 4.1.4, tuned", "mpirun", "", ""};
    tuned.settings = settings_of("openmpi", 4, "tuned");
    const Words command = tuned.command(1, Binding::core, {}, "p", {});
    CHECK(Words(command.begin(), command.begin() + 6) ==
          Words{"mpirun", "--bind-to", "core", "--mca", "pml", "ob1"});
    CHECK(Words(command.end() - 3, command.end()) == Words{"-n", "1", "p"});

    const Words crowded = openmpi.command(2000, Binding::none, hosts, "p", {});
    CHECK(std::find(crowded.begin(), crowded.end(), "--oversubscribe") != crowded.end());
    CHECK(std::find(crowded.begin(), crowded.end(), "btl_tcp_if_include") != crowded.end());
    CHECK(tutti.command(2, Binding::none, {{"a", "b"}, {}}, "p", {}) ==
          Words{"tuttirun", "--bind-to", "none", "-H", "a:1,b:1", "-n", "2", "p"});
}
