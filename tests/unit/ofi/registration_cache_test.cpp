// Registered memory: found again, shared, given back at the right time.
#include "transports/ofi/registration_cache.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using tutti::transport::ofi::Registrar;
using tutti::transport::ofi::Registration;
using tutti::transport::ofi::RegistrationCache;

namespace {

constexpr std::size_t kPage = 4096;

/// Keeps what is registered; has room for `most`.
class FakeRegistrar final : public Registrar {
public:
    std::optional<Registration> add(std::span<const std::byte> memory) noexcept override
    {
        if (live.size() == most)
            return std::nullopt;
        live.push_back({memory, ++made});
        return Registration{made, nullptr, nullptr};
    }
    void remove(const Registration& registration) noexcept override
    {
        const auto found = std::ranges::find(live, registration.key, &Live::key);
        missed += found == live.end();
        if (found != live.end())
            live.erase(found);
    }

    struct Live {
        std::span<const std::byte> memory;
        std::uint64_t key;
    };
    std::vector<Live> live;
    std::size_t most = 1000;
    std::uint64_t made = 0;
    int missed = 0;  // ends of what was not there
};

/// Addresses only: nothing is read.
std::span<const std::byte> at(std::uintptr_t address, std::size_t bytes)
{
    return {reinterpret_cast<const std::byte*>(address), bytes};
}

constexpr std::uintptr_t kBase = 1 << 20;

bool covers(const RegistrationCache::Entry& entry, std::span<const std::byte> memory)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    return entry.begin <= begin && begin + memory.size() <= entry.end;
}

}  // namespace

TEST_CASE("memory that is registered is found again, and in whole pages")
{
    FakeRegistrar registrar;
    RegistrationCache cache(registrar, 10);
    RegistrationCache::Entry* const first = cache.acquire(at(kBase + 100, 5000));
    REQUIRE(first != nullptr);
    CHECK(first->begin == kBase);
    CHECK(first->end == kBase + 2 * kPage);
    CHECK(registrar.live[0].memory.size() == 2 * kPage);
    CHECK(cache.acquire(at(kBase + 4000, 200)) == first);
    CHECK(cache.acquire(at(kBase, 2 * kPage)) == first);
    CHECK(cache.acquire(at(kBase + 2 * kPage - 1, 2)) != first);
    CHECK(registrar.made == 2);
    for (int i = 0; i < 3; ++i)
        cache.release(*first);
    CHECK(registrar.live.size() == 2);
    CHECK(cache.acquire(at(kBase + 1, 1)) == first);
    CHECK(registrar.made == 2);
}

TEST_CASE("registrations that pin pages end with their last user, and no sooner")
{
    FakeRegistrar registrar;
    RegistrationCache cache(registrar, 0);
    RegistrationCache::Entry* const first = cache.acquire(at(kBase, 100));
    RegistrationCache::Entry* const again = cache.acquire(at(kBase + 50, 100));
    REQUIRE(first == again);
    cache.release(*first);
    CHECK(registrar.live.size() == 1);
    cache.release(*again);
    CHECK(registrar.live.empty());
    CHECK(cache.size() == 0);
    CHECK(cache.acquire(at(kBase, 100))->registration.key == 2);
}

TEST_CASE("the longest unused goes first when too many are idle")
{
    FakeRegistrar registrar;
    RegistrationCache cache(registrar, 2);
    std::vector<RegistrationCache::Entry*> entries;
    for (std::uintptr_t i = 0; i < 3; ++i)
        entries.push_back(cache.acquire(at(kBase + i * kPage, 10)));
    CHECK(registrar.live.size() == 3);  // used ones are never too many
    cache.release(*entries[0]);
    cache.release(*entries[1]);
    CHECK(cache.acquire(at(kBase, 10)) == entries[0]);  // used again: now the second is the oldest
    cache.release(*entries[0]);
    cache.release(*entries[2]);
    REQUIRE(registrar.live.size() == 2);
    CHECK(registrar.live[0].key == 1);
    CHECK(registrar.live[1].key == 3);
}

TEST_CASE("what lies within a new registration is given up, but not while it is used")
{
    FakeRegistrar registrar;
    RegistrationCache cache(registrar, 10);
    RegistrationCache::Entry* const idle = cache.acquire(at(kBase + kPage, 10));
    RegistrationCache::Entry* const used = cache.acquire(at(kBase + 2 * kPage, 10));
    cache.release(*idle);
    RegistrationCache::Entry* const all = cache.acquire(at(kBase, 4 * kPage));
    REQUIRE(all != nullptr);
    CHECK(registrar.live.size() == 2);
    CHECK(cache.acquire(at(kBase + 2 * kPage, 10)) == all);
    cache.release(*used);
    CHECK(registrar.live.size() == 1);
}

TEST_CASE("a provider that has no room gets it from what is idle; without any, it says no")
{
    FakeRegistrar registrar;
    registrar.most = 2;
    RegistrationCache cache(registrar, 10);
    RegistrationCache::Entry* const idle = cache.acquire(at(kBase, 10));
    REQUIRE(cache.acquire(at(kBase + 10 * kPage, 10)) != nullptr);
    CHECK(cache.acquire(at(kBase + 20 * kPage, 10)) == nullptr);
    cache.release(*idle);
    CHECK(cache.acquire(at(kBase + 20 * kPage, 10)) != nullptr);
    CHECK(cache.acquire(at(kBase + 30 * kPage, 10)) == nullptr);
}

TEST_CASE("many overlapping pieces, at random: what is used is registered, and all ends once")
{
    FakeRegistrar registrar;
    {
        RegistrationCache cache(registrar, 5);
        std::mt19937 random(7);
        std::vector<std::pair<RegistrationCache::Entry*, std::span<const std::byte>>> used;
        for (int step = 0; step < 5000; ++step) {
            if (used.size() < 20 && random() % 2 == 0) {
                const auto memory = at(kBase + random() % (50 * kPage), 1 + random() % (8 * kPage));
                RegistrationCache::Entry* const entry = cache.acquire(memory);
                REQUIRE(entry != nullptr);
                REQUIRE(covers(*entry, memory));
                used.emplace_back(entry, memory);
            } else if (!used.empty()) {
                std::swap(used[random() % used.size()], used.back());
                cache.release(*used.back().first);
                used.pop_back();
            }
            for (const auto& [entry, memory] : used) {
                REQUIRE(std::ranges::find(registrar.live, entry->registration.key,
                                          &FakeRegistrar::Live::key) != registrar.live.end());
            }
            REQUIRE(registrar.live.size() <= used.size() + 5);
        }
    }
    CHECK(registrar.live.empty());
    CHECK(registrar.missed == 0);
}
