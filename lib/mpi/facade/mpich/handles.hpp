// Handles and statuses of MPICH's programs. A handle is an int: a predefined one, or the number of a created
// object with the highest bit set and its kind.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/handle_numbers.hpp"
#include "numbers.hpp"

extern "C" int* const MPI_UNWEIGHTED_of_programs __asm__("MPI_UNWEIGHTED");
extern "C" int* const MPI_WEIGHTS_EMPTY_of_programs __asm__("MPI_WEIGHTS_EMPTY");

namespace tutti::mpi::facade {

/// Files alone are pointers.
template <class T>
using HandleOf = std::conditional_t<std::is_same_v<T, MPI_File>, const void*, int>;

/// The bits of a handle that are its kind.
template <class T>
constexpr std::uint32_t kind_bits() noexcept
{
    constexpr bool kIsDatatype = std::is_same_v<T, MPI_Datatype>;
    std::uint32_t kind = 0;
    if (std::is_same_v<T, MPI_Comm>)
        kind = 1;
    if (std::is_same_v<T, MPI_Group>)
        kind = 2;
    if (kIsDatatype)
        kind = 3;
    if (std::is_same_v<T, MPI_Errhandler>)
        kind = 5;
    if (std::is_same_v<T, MPI_Op>)
        kind = 6;
    if (std::is_same_v<T, MPI_Info>)
        kind = 7;
    if (std::is_same_v<T, MPI_Win>)
        kind = 8;
    if (std::is_same_v<T, MPI_Request> || std::is_same_v<T, MPI_Message>)
        kind = 11;
    if (std::is_same_v<T, MPI_Session>)
        kind = 14;
    return kind << 26;
}

/// What precedes the number of a built-in handle of this kind, which is the lowest byte. Between them is the
/// size of a datatype.
template <class T>
constexpr std::uint32_t builtin_bits() noexcept
{
    return 1u << 30 | kind_bits<T>();
}

/// Standard handles by kind and lowest byte of built-in ones.
constexpr auto builtin_handles() noexcept
{
    std::array<std::array<std::uint16_t, 256>, 16> all{};
    for (const Number& each : kPredefinedHandles)
        if (each.own >> 30 == 1)
            all[each.own >> 26 & 15][each.own & 255] = static_cast<std::uint16_t>(each.standard);
    return all;
}
// Hidden, so that no address is loaded first.
[[gnu::visibility("hidden")]] inline constexpr auto kBuiltinHandles = builtin_handles();

/// Handles of programs by standard handle.
constexpr auto own_handles() noexcept
{
    std::array<int, 1024> all{};
    for (const Number& each : kPredefinedHandles)
        all[static_cast<std::size_t>(each.standard)] = each.own;
    return all;
}
inline constexpr auto kOwnHandles = own_handles();
inline constexpr int kOwnWorld = kOwnHandles[0x101];

/// The standard's null handle of a kind.
template <class T>
constexpr int null_handle() noexcept
{
    // Requests and messages have the same one.
    constexpr std::uint32_t kMessageNull = 0x128;
    for (const Number& each : kPredefinedHandles)
        if (static_cast<std::uint32_t>(each.own) == kind_bits<T>() &&
            (each.standard == kMessageNull) == std::is_same_v<T, MPI_Message>)
            return each.standard;
    return 0;
}

/// 0 for what is no handle.
template <class T>
[[gnu::always_inline]] inline T in(HandleOf<T> handle) noexcept
{
    // What follows from a branch's guess need not wait for a load.
    if constexpr (std::is_same_v<T, MPI_Comm>)
        if (handle == kOwnWorld) [[likely]]
            return MPI_COMM_WORLD;
    std::uintptr_t found = 0;
    if constexpr (std::is_same_v<T, MPI_File>)
        found = handle == nullptr ? reinterpret_cast<std::uintptr_t>(MPI_FILE_NULL)
                                  : reinterpret_cast<std::uintptr_t>(handle);
    else if (static_cast<std::uint32_t>(handle) >> 16 == builtin_bits<T>() >> 16) [[likely]]
        found = kBuiltinHandles[kind_bits<T>() >> 26][handle & 255];
    else if (handle < 0)
        found = HandleNumbers::address_of(static_cast<std::uint32_t>(handle) % HandleNumbers::kEnd);
    else if (static_cast<std::uint32_t>(handle) == kind_bits<T>())
        found = static_cast<std::uintptr_t>(null_handle<T>());
    else if (handle >> 30 == 1)  // of another kind, which the body refuses
        found = kBuiltinHandles[handle >> 26 & 15][handle & 255];
    return reinterpret_cast<T>(found);
}

template <class T>
inline HandleOf<T> out(T handle)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if constexpr (std::is_same_v<T, MPI_File>)
        return handle == MPI_FILE_NULL ? nullptr : reinterpret_cast<const void*>(value);
    else
        return value < kOwnHandles.size()
                   ? kOwnHandles[value]
                   : static_cast<int>(0x80000000u | kind_bits<T>() | HandleNumbers::of(value));
}

struct Status {
    std::uint32_t count_low;
    std::uint32_t count_high_and_cancelled;  // cancelled: the lowest bit
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
};

/// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are 1.
inline bool is_ignored(const Status* status) noexcept
{
    return reinterpret_cast<std::uintptr_t>(status) <= 1;
}
inline std::uint64_t bytes_of(const Status& status) noexcept
{
    return std::uint64_t{status.count_high_and_cancelled >> 1} << 32 | status.count_low;
}
inline bool is_cancelled(const Status& status) noexcept
{
    return (status.count_high_and_cancelled & 1) != 0;
}
inline void set_bytes(Status& status, std::uint64_t bytes, bool is_cancelled) noexcept
{
    status.count_low = static_cast<std::uint32_t>(bytes);
    status.count_high_and_cancelled = static_cast<std::uint32_t>(bytes >> 32) << 1 | (is_cancelled ? 1u : 0u);
}

/// MPI_IN_PLACE is -1; MPI_BOTTOM is that of the standard.
template <class T>
inline T* in_buffer(T* buffer) noexcept
{
    return reinterpret_cast<std::uintptr_t>(buffer) == ~std::uintptr_t{0} ? static_cast<T*>(MPI_IN_PLACE)
                                                                          : buffer;
}
inline const int* in_weights(const int* weights) noexcept
{
    if (weights == MPI_UNWEIGHTED_of_programs)
        return MPI_UNWEIGHTED;
    return weights == MPI_WEIGHTS_EMPTY_of_programs ? MPI_WEIGHTS_EMPTY : weights;
}

}  // namespace tutti::mpi::facade
