// Connections keep the system's congestion control, but for bbr.
#include "transports/tcp/congestion.hpp"

#include <catch2/catch.hpp>

#include "lib/foundation/connection/socket.hpp"
#include "tutti/error.hpp"

using namespace tutti::transport::tcp;
using Catch::Matchers::Contains;

namespace {

std::string of_system()
{
    return congestion_control_of(tutti::connection::make_socket(true).get());
}

/// What connections get that are made for `wish`.
std::string given_for(const std::string& wish)
{
    const tutti::base::UniqueFd fd = tutti::connection::make_socket(true);
    CHECK(set_congestion_control(fd.get(), choose_congestion_control(wish)));
    return congestion_control_of(fd.get());
}

}  // namespace

TEST_CASE("Connections avoid bbr, and keep any other congestion control of the system's", "[congestion]")
{
    const std::string system = of_system();
    CAPTURE(system);
    REQUIRE(!system.empty());
    if (system.starts_with("bbr"))
        CHECK((given_for("") == "cubic" || given_for("") == "reno"));
    else
        CHECK(given_for("") == system);
    CHECK(given_for("system") == system);
    CHECK(given_for("reno") == "reno");  // every kernel has it, for every process
}

TEST_CASE("A congestion control that there is not is an error with those that there are", "[congestion]")
{
    CHECK_THROWS_WITH(choose_congestion_control("warp"),
                      Contains("TUTTI_TCP_CONGESTION=warp") && Contains("reno") && Contains("'system'"));
}
