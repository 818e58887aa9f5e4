// Integers that stand for created objects: those of MPI_X_toint, which handles are in Fortran, and in facades
// the handles of MPICH's programs and of Open MPI's programs in Fortran. The handle of a created object is
// its address, which keeps its integer after the object's end: the integer then leads to what is there, a
// freed object or a new one. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::mpi {

class HandleNumbers {
public:
    /// Smaller integers are left to predefined handles.
    static constexpr std::uint32_t kFirst = 4096;
    /// As many bits as MPICH's handles have for them.
    static constexpr std::uint32_t kEnd = 1u << 26;

    /// The integer of an address; ends the program if all are given away.
    static std::uint32_t of(std::uintptr_t address)
    {
        const std::uint64_t known = recent[place_of(address)].load(std::memory_order_acquire);
        if (known / kEnd == rest_of(address) && known != 0) [[likely]]
            return known % kEnd;
        return look_up(address);
    }

    /// The address behind an integer; 0: none.
    static std::uintptr_t address_of(std::uint32_t number) noexcept
    {
        const Page* const page =
            number < kEnd ? pages[number / kPage].load(std::memory_order_acquire) : nullptr;
        return page == nullptr ? 0 : (*page)[number % kPage].load(std::memory_order_relaxed);
    }

    /// Before any thread asks for it.
    static void set_address_of(std::uint32_t number, std::uintptr_t address);

private:
    static constexpr std::uint32_t kPage = 4096;
    using Page = std::array<std::atomic<std::uintptr_t>, kPage>;
    static constexpr std::size_t kRecent = 1u << 14;
    static constexpr unsigned kBetweenObjects = 64;  // bytes, or more

    // An address is the place of its word in `recent`, and the rest of its bits.
    static std::size_t place_of(std::uintptr_t address) noexcept
    {
        return address / kBetweenObjects % kRecent;
    }
    static std::uint64_t rest_of(std::uintptr_t address) noexcept
    {
        return address / kBetweenObjects / kRecent * kBetweenObjects | address % kBetweenObjects;
    }

    static std::uint32_t look_up(std::uintptr_t address);

    /// Addresses by integer. A page is made when its first integer is given away, and stays. Release when
    /// stored and acquire when loaded.
    [[gnu::visibility("hidden")]] static std::array<std::atomic<Page*>, kEnd / kPage> pages;
    /// Rest and integer of addresses asked for before, so that those that come again, as requests do, are
    /// found without the lock. Release when stored and acquire when loaded: pages have the address before
    /// anybody finds the integer here.
    [[gnu::visibility("hidden")]] static std::array<std::atomic<std::uint64_t>, kRecent> recent;
};

/// The bodies of MPI_X_toint and MPI_X_fromint. A predefined handle is its own integer.
template <class Handle>
int toint(Handle handle)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return static_cast<int>(value < HandleNumbers::kFirst ? value : HandleNumbers::of(value));
}
/// `null` for an integer that was given to no handle.
template <class Handle>
Handle fromint(int number, Handle null) noexcept
{
    const auto value = static_cast<std::uint32_t>(number);
    const std::uintptr_t handle = value < HandleNumbers::kFirst ? value : HandleNumbers::address_of(value);
    return handle == 0 && number != 0 ? null : reinterpret_cast<Handle>(handle);
}

}  // namespace tutti::mpi
