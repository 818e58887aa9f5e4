// The job's key: its hexadecimal form, and what tells jobs apart.
#include <catch2/catch.hpp>

#include <string>

#include "lib/foundation/security/key.hpp"

using tutti::security::Key;

TEST_CASE("a key survives its way through hexadecimal digits")
{
    const Key key = Key::random();
    const std::string text = key.to_hex();
    CHECK(text.size() == 64);
    const auto back = Key::from_hex(text);
    REQUIRE(back);
    CHECK(*back == key);
    CHECK(back->to_hex() == text);
    const auto known = Key::from_hex("000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d1e1f");
    REQUIRE(known);
    for (std::size_t i = 0; i < Key::kBytes; ++i)
        CHECK(std::to_integer<std::size_t>(known->bytes()[i]) == i);
}

TEST_CASE("two keys differ, and so do their jobs")
{
    const Key one = Key::random();
    const Key other = Key::random();
    CHECK_FALSE(one == other);
    CHECK(one.job() != other.job());
    CHECK(one.job() == Key::from_hex(one.to_hex())->job());
}

TEST_CASE("what is no key is none")
{
    const std::string text = Key::random().to_hex();
    CHECK_FALSE(Key::from_hex(""));
    CHECK_FALSE(Key::from_hex(text.substr(1)));
    CHECK_FALSE(Key::from_hex(text + "0"));
    CHECK_FALSE(Key::from_hex(text + "00"));
    CHECK_FALSE(Key::from_hex("g" + text.substr(1)));
    CHECK_FALSE(Key::from_hex(text.substr(0, 63) + " "));
    CHECK_FALSE(Key::from_hex(std::string(64, '\0')));
}
