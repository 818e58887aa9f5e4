#include <catch2/catch.hpp>

#include "benchmarks/suite/messages/matching.hpp"
#include "benchmarks/suite/session/validate.hpp"

#include <set>

using namespace tutti::bench;

TEST_CASE("a wrong, shifted or foreign byte is seen", "[benchmarks]")
{
    PageBuffer buffer(10000, 0);
    const Bytes data = buffer.bytes(10000);
    fill_pattern(data, 3);
    CHECK(wrong_bytes(data, 3) == 0);
    CHECK(wrong_bytes(data.first(0), 3) == 0);
    CHECK(wrong_bytes(data, 4) > 9000);                // another message's bytes
    CHECK(wrong_bytes(data.subspan(1), 3) > 9000);     // off by one
    CHECK(wrong_bytes(data.subspan(4096), 3) > 5000);  // off by a page
    data[9999] ^= std::byte{1};
    CHECK(wrong_bytes(data, 3) == 1);
}

TEST_CASE("envelopes of the matching benchmark are distinct and all are visited", "[benchmarks]")
{
    for (const int depth : {1, 10, 7919, 10000}) {
        const Envelopes envelopes{depth, 100};
        std::set<int> distinct;  // also without the source
        std::set<int> visited;
        for (int i = 0; i < depth; ++i) {
            distinct.insert(envelopes.tag(i));
            visited.insert(envelopes.turn(i));
            CHECK(envelopes.source(i) >= 1);
            CHECK(envelopes.source(i) <= 100);
        }
        CHECK(distinct.size() == static_cast<std::size_t>(depth));
        if (depth != 7919)
            CHECK(visited.size() == static_cast<std::size_t>(depth));
    }
}
