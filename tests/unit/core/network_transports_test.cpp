// What TUTTI_FABRIC may say, and where adapters are looked for.
#include "lib/core/process/network_transports.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tutti/error.hpp"

using tutti::detail::FabricChoice;
using tutti::detail::has_rdma_adapter;

TEST_CASE("wishes for a fabric")
{
    using Kind = FabricChoice::Kind;
    CHECK(FabricChoice::parse("").kind == Kind::automatic);
    CHECK(FabricChoice::parse("tcp").kind == Kind::tcp);
    CHECK(FabricChoice::parse("ofi").kind == Kind::ofi);
    CHECK(FabricChoice::parse("ofi").provider.empty());
    CHECK(FabricChoice::parse("ofi:tcp;ofi_rxm").kind == Kind::ofi);
    CHECK(FabricChoice::parse("ofi:tcp;ofi_rxm").provider == "tcp;ofi_rxm");
    for (const char* wrong : {"ofi:", "TCP", "verbs", "tcp,ofi"})
        CHECK_THROWS_AS(FabricChoice::parse(wrong), tutti::Error);
    CHECK_THROWS_WITH(FabricChoice::parse("tpc"), Catch::Contains("did you mean 'tcp'"));
}

TEST_CASE("an adapter is one that the kernel shows, not an empty folder for them")
{
    std::string root = (std::filesystem::temp_directory_path() / "tutti-adapters-XXXXXX").string();
    REQUIRE(mkdtemp(root.data()) != nullptr);
    CHECK_FALSE(has_rdma_adapter(root));
    std::filesystem::create_directories(root + "/sys/class/infiniband");
    CHECK_FALSE(has_rdma_adapter(root));
    std::filesystem::create_directories(root + "/sys/class/infiniband/mlx5_0");
    CHECK(has_rdma_adapter(root));
    std::filesystem::remove_all(root);
}
