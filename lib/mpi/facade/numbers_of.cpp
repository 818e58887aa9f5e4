#include "lib/mpi/facade/numbers_of.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "lib/foundation/base/say.hpp"

namespace tutti::mpi::facade {

std::array<std::uintptr_t, kNumbers> addresses_by_number;

namespace {

constexpr std::size_t kRecent = 1024;

struct AllNumbers {
    std::mutex mutex;
    std::unordered_map<std::uintptr_t, std::uint32_t> by_address;
    std::uint32_t next = kFirstNumber;
};

// Never destroyed: handles may be made after main.
AllNumbers& all_numbers()
{
    static AllNumbers& all = *new AllNumbers;
    return all;
}

// A guess by address, so that what comes again, as requests do, is found without the lock. Release when
// stored and acquire when loaded: the array has the address before anybody finds the integer here.
std::array<std::atomic<std::uint32_t>, kRecent> recent;

}  // namespace

std::uint32_t number_of(std::uintptr_t address)
{
    std::atomic<std::uint32_t>& guess = recent[(address / 64) % kRecent];
    if (const std::uint32_t number = guess.load(std::memory_order_acquire);
        addresses_by_number[number] == address)
        return number;
    AllNumbers& all = all_numbers();
    const std::lock_guard lock(all.mutex);
    const auto [place, is_new] = all.by_address.try_emplace(address, all.next);
    if (is_new) {
        if (all.next == kNumbers) {
            base::say(
                fmt::format("tutti: {} objects of MPI are alive, and there are no handles for more; free "
                            "requests and other objects when they are no longer used\n",
                            kNumbers - kFirstNumber));
            std::abort();
        }
        addresses_by_number[all.next++] = address;
    }
    guess.store(place->second, std::memory_order_release);
    return place->second;
}

}  // namespace tutti::mpi::facade
