// Integers for created objects: the handles of MPICH's programs, and those of Open MPI's programs in Fortran.
// The address of an object keeps its integer after the object's end.
#pragma once

#include <array>
#include <cstdint>

namespace tutti::mpi::facade {

// More requests than that at a time no program has. What is not touched takes no memory.
inline constexpr std::uint32_t kNumbers = 1u << 22;
/// Smaller integers are left to predefined handles.
inline constexpr std::uint32_t kFirstNumber = 512;

/// Written once each, before any thread gets to know the integer.
extern std::array<std::uintptr_t, kNumbers> addresses_by_number;

/// The integer of an address; ends the program if all are given away. Any thread.
std::uint32_t number_of(std::uintptr_t address);

/// The address behind an integer; 0: none.
inline std::uintptr_t address_of(std::uint32_t number) noexcept
{
    return addresses_by_number[number % kNumbers];
}

}  // namespace tutti::mpi::facade
