#include "lib/mpi/object/handle_numbers.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "lib/foundation/base/say.hpp"

namespace tutti::mpi {

namespace {

struct GivenNumbers {
    std::mutex mutex;
    std::unordered_map<std::uintptr_t, std::uint32_t> by_address;
    std::uint32_t next = HandleNumbers::kFirst;
};

// Never destroyed: handles may be converted after main.
GivenNumbers& given_numbers()
{
    static GivenNumbers& all = *new GivenNumbers;
    return all;
}

[[noreturn]] void end_without_numbers()
{
    base::say(fmt::format(
        "tutti: {} objects of MPI are alive, and there are no handles for more; free requests and "
        "other objects when they are no longer used\n",
        HandleNumbers::kEnd - HandleNumbers::kFirst));
    std::abort();
}

}  // namespace

constinit std::array<std::atomic<HandleNumbers::Page*>, HandleNumbers::kEnd / HandleNumbers::kPage>
    HandleNumbers::pages{};
constinit std::array<std::atomic<std::uint64_t>, HandleNumbers::kRecent> HandleNumbers::recent{};

void HandleNumbers::set_address_of(std::uint32_t number, std::uintptr_t address)
{
    std::atomic<Page*>& page = pages[number / kPage];
    if (page.load(std::memory_order_relaxed) == nullptr)
        page.store(new Page{}, std::memory_order_release);
    (*page.load(std::memory_order_relaxed))[number % kPage].store(address, std::memory_order_relaxed);
}

std::uint32_t HandleNumbers::look_up(std::uintptr_t address)
{
    GivenNumbers& all = given_numbers();
    const std::lock_guard lock(all.mutex);
    const auto [place, is_new] = all.by_address.try_emplace(address, all.next);
    if (is_new) {
        if (all.next == kEnd)
            end_without_numbers();
        set_address_of(all.next++, address);
    }
    const std::uint64_t rest = rest_of(address);
    if (rest < ~std::uint64_t{0} / kEnd)
        recent[place_of(address)].store(rest * kEnd + place->second, std::memory_order_release);
    return place->second;
}

}  // namespace tutti::mpi
