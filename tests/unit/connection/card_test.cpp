// Business cards: what comes back, and what is none.
#include <catch2/catch.hpp>

#include <random>

#include "lib/foundation/connection/card.hpp"

using Bytes = std::vector<std::byte>;
using tutti::connection::Card;
using tutti::network::IpAddress;

namespace {

Card some_card()
{
    return {3,
            4242,
            "b.example.org",
            {{*IpAddress::parse("10.0.0.2"), 24, "eth0"}, {*IpAddress::parse("fd00::2"), 64, "ib0"}}};
}

}  // namespace

TEST_CASE("a card comes back as it was")
{
    const auto card = Card::parse(some_card().to_bytes());
    REQUIRE(card);
    CHECK(card->rank == 3);
    CHECK(card->port == 4242);
    CHECK(card->host == "b.example.org");
    CHECK(card->addresses == some_card().addresses);
}

TEST_CASE("no part of a card is one, nor a card with something behind it")
{
    Bytes bytes = some_card().to_bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(Card::parse(std::span(bytes).first(size)));
    bytes.push_back(std::byte{0});
    CHECK_FALSE(Card::parse(bytes));
}

TEST_CASE("damaged cards are cards or not, and nothing worse")
{
    std::mt19937 random(1);
    const Bytes good = some_card().to_bytes();
    for (int attempt = 0; attempt < 2000; ++attempt) {
        Bytes bytes = good;
        for (std::size_t i = 0; i <= random() % 4; ++i)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        if (const auto card = Card::parse(bytes)) {
            CHECK(card->rank >= 0);
            CHECK(card->addresses.size() <= 64);
            for (const auto& entry : card->addresses)
                CHECK(entry.prefix <= entry.address.bits());
        }
    }
}
