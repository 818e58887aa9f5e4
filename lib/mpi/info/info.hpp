// The object behind an MPI_Info: strings by key. It needs no running MPI.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/object.hpp"

namespace tutti::mpi {

/// Any thread.
struct Info final : ObjectOf<Info> {
    using Handle = MPI_Info;
    static constexpr std::uintptr_t kFirst = 0x130;
    static constexpr std::size_t kPredefined = 8;
    static constexpr Kind kKind = Kind::info;
    static const Predefined<Info, kPredefined> predefined;

    using Entry = std::pair<std::string, std::string>;

    explicit Info(std::uintptr_t handle = 0) noexcept : ObjectOf(handle) {}

    std::optional<std::string> get(std::string_view key) const;
    void set(std::string_view key, std::string_view value);
    /// Whether it was there.
    bool remove(std::string_view key);
    /// In the order in which keys were set first.
    std::vector<Entry> entries() const;
    void assign(std::vector<Entry> entries);

private:
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

/// Throws Failure for a handle that is no info object's; MPI_INFO_NULL is none.
Info& info_of(MPI_Info handle);
/// Throws Failure for a handle that is no info object's; MPI_INFO_NULL is valid.
void check_info(MPI_Info handle);
/// Throws Failure for a null pointer, and a key that is empty or too long.
void check_info_key(const char* key);

/// The value of a key; empty without one, and for MPI_INFO_NULL.
std::string value_of(MPI_Info handle, const char* key);
/// The bytes that mpi_minimum_memory_alignment asks for: a power of two of up to 1 GiB, or 1.
std::size_t alignment_in(MPI_Info handle);
/// The handle of a new object with these keys.
MPI_Info new_info(std::vector<Info::Entry> entries = {});

/// Gives MPI_INFO_ENV its values, when MPI begins.
void define_info_env();

}  // namespace tutti::mpi
