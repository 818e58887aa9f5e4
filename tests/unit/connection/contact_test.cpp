// contacts: what comes back, and what is none.
#include <catch2/catch.hpp>

#include <random>

#include "lib/foundation/connection/contact.hpp"

using Bytes = std::vector<std::byte>;
using tutti::connection::Contact;
using tutti::network::IpAddress;

namespace {

Contact some_contact()
{
    return {3,
            4242,
            "b.example.org",
            {{*IpAddress::parse("10.0.0.2"), 24, "eth0"}, {*IpAddress::parse("fd00::2"), 64, "ib0"}}};
}

}  // namespace

TEST_CASE("a contact comes back as it was")
{
    const auto contact = Contact::parse(some_contact().to_bytes());
    REQUIRE(contact);
    CHECK(contact->rank == 3);
    CHECK(contact->port == 4242);
    CHECK(contact->host == "b.example.org");
    CHECK(contact->addresses == some_contact().addresses);
}

TEST_CASE("no part of a contact is one, nor a contact with something behind it")
{
    Bytes bytes = some_contact().to_bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(Contact::parse(std::span(bytes).first(size)));
    bytes.push_back(std::byte{0});
    CHECK_FALSE(Contact::parse(bytes));
}

TEST_CASE("damaged contacts are contacts or not, and nothing worse")
{
    std::mt19937 random(1);
    const Bytes good = some_contact().to_bytes();
    for (int attempt = 0; attempt < 2000; ++attempt) {
        Bytes bytes = good;
        for (std::size_t i = 0; i <= random() % 4; ++i)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        if (const auto contact = Contact::parse(bytes)) {
            CHECK(contact->rank >= 0);
            CHECK(contact->addresses.size() <= 64);
            for (const auto& entry : contact->addresses)
                CHECK(entry.prefix <= entry.address.bits());
        }
    }
}
