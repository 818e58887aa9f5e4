// How peers are named, found and set up.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "benchmarks/peers/contender.hpp"
#include "benchmarks/peers/installation.hpp"
#include "benchmarks/tests/temporary_folder.hpp"

using namespace tutti::bench;

namespace {

namespace fs = std::filesystem;

void write_program(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
}

bool says(const PeerSettings& settings, const std::string& text)
{
    return text_of(settings).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a peer is named by its library, its path and its settings", "[benchmarks]")
{
    CHECK(parse_peer("openmpi").library == "openmpi");
    CHECK(parse_peer("openmpi").settings.empty());
    CHECK(parse_peer("mpich:tuned").settings == "tuned");
    CHECK(parse_peer("openmpi:ucx").settings == "ucx");
    CHECK(parse_peer("/opt/x").library.empty());
    CHECK(parse_peer("/opt/x").path == "/opt/x");
    const PeerName whole = parse_peer("openmpi:/opt/x:tuned");
    CHECK(whole.library == "openmpi");
    CHECK(whole.path == "/opt/x");
    CHECK(whole.settings == "tuned");
    CHECK(whole.text() == "openmpi:/opt/x:tuned");
    CHECK(parse_peer("./x:tuned").text() == "./x:tuned");
}

TEST_CASE("a peer that there is not is told what was probably meant", "[benchmarks]")
{
    CHECK_THROWS_WITH(parse_peer("opnmpi"), Catch::Contains("there is no peer 'opnmpi'; did you mean "
                                                            "'openmpi'?; there are openmpi, mpich, gloo"));
    CHECK_THROWS_WITH(parse_peer("openmpi:tunned"),
                      Catch::Contains("no kind of settings 'tunned'; did you mean 'tuned'?"));
    CHECK_THROWS_WITH(parse_peer("mpich:ucx"), Catch::Contains("there are tuned"));
    CHECK_THROWS_WITH(parse_peer("gloo:tuned"), Catch::Contains("leave it out"));
    CHECK_THROWS_WITH(parse_peer("gloo:/opt/x"), Catch::Contains("only an MPI"));
    CHECK_THROWS_WITH(parse_peer(""), Catch::Contains("there are openmpi, mpich, gloo"));
}

TEST_CASE("launchers tell library and version", "[benchmarks]")
{
    CHECK(version_in("mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to")->number == "4.1.4");
    CHECK(version_in("mpirun (Open MPI) 5.0.10\n")->library == "openmpi");
    CHECK(version_in("mpirun (Open MPI) 6.0.0a1\n")->major() == 6);
    CHECK(version_in("/opt/x/bin/mpicc: Open MPI 5.0.10 (Language: C)\n")->number == "5.0.10");
    const auto mpich = version_in("HYDRA build details:\n    Version:            4.0.2\n    Release Date: x");
    CHECK(mpich->library == "mpich");
    CHECK(mpich->number == "4.0.2");
    CHECK_FALSE(version_in("bash: mpirun: command not found").has_value());
}

TEST_CASE("tuned settings are those of the version", "[benchmarks]")
{
    CHECK(text_of(settings_of("openmpi", 4, "")).empty());
    CHECK(text_of(settings_of("openmpi", 4, "tuned")) ==
          "--mca pml ob1 --mca btl vader,self --mca btl_vader_single_copy_mechanism none --mca "
          "btl_vader_eager_limit 32768 --mca btl_vader_max_send_size 65536");
    CHECK(text_of(settings_of("openmpi", 5, "tuned")) ==
          "--mca pml ob1 --mca btl sm,self --mca smsc ^cma --mca btl_sm_eager_limit 32768 --mca "
          "btl_sm_max_send_size 65536");
    CHECK(text_of(settings_of("mpich", 4, "tuned")) == "UCX_TLS=posix,self");
    CHECK(says(settings_of("mpich", 5, "tuned"), "FI_PROVIDER=sockets MPIR_CVAR_CH4_CMA_ENABLE=0"));
    CHECK(says(settings_of("openmpi", 4, "ucx"), "UCX_TLS=posix,self --mca pml ucx"));
    Contender contender{"mpich:tuned", "", "", "", ""};
    contender.settings = settings_of("mpich", 4, "tuned");
    const Variables variables = variables_of(contender);
    CHECK(std::ranges::find(variables, std::pair<std::string, std::string>("UCX_TLS", "posix,self")) !=
          variables.end());
}

TEST_CASE("an MPI is found below its path, and what is wrong with a path is said", "[benchmarks]")
{
    const TemporaryFolder folder;
    const fs::path place = folder.path() / "openmpi-5";
    write_program(place / "bin" / "mpirun", "echo 'mpirun (Open MPI) 5.0.10'");
    CHECK_THROWS_WITH(installation_at(parse_peer(place.string())), Catch::Contains("no mpicc in"));
    write_program(place / "bin" / "mpicc", "exit 1");
    const Installation found = installation_at(parse_peer(place.string() + ":tuned"));
    CHECK(found.version.library == "openmpi");
    CHECK(found.version.major() == 5);
    CHECK(found.launcher == place / "bin" / "mpirun");
    CHECK(installation_at(parse_peer((place / "bin").string())).compiler == place / "bin" / "mpicc");
    CHECK_THROWS_WITH(installation_at(parse_peer("mpich:" + place.string())),
                      Catch::Contains("is that of openmpi 5.0.10"));
    CHECK_THROWS_WITH(
        installation_at(parse_peer((folder.path() / "openmpi-6").string())),
        Catch::Contains("there is no folder") && Catch::Contains("did you mean '" + place.string() + "'?"));
    CHECK_THROWS_WITH(built_for(found, folder.path()), Catch::Contains("tutti-bench of the build folder"));
    write_program(folder.path() / "build-peer", "echo cannot build; exit 1");
    CHECK_THROWS_WITH(built_for(found, folder.path()), Catch::Contains("cannot build"));
    write_program(folder.path() / "build-peer", R"(mkdir -p "$2" && cp "$1" "$2/peer-bench")");
    CHECK(fs::exists(built_for(found, folder.path()) / "peer-bench"));

    write_program(place / "bin" / "mpirun", "echo 'mpirun (PMIx Reference RunTime Environment) 4.0.0'");
    write_program(place / "bin" / "mpicc", "echo 'mpicc: Open MPI 6.0.0a1 (Language: C)'");
    CHECK(installation_at(parse_peer(place.string())).version.major() == 6);
    write_program(place / "bin" / "mpicc", "exit 1");
    CHECK_THROWS_WITH(installation_at(parse_peer(place.string())),
                      Catch::Contains("neither Open MPI's nor MPICH's launcher"));
}
