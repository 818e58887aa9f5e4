// Sizes and values that the ABI leaves to the library, and those that a Fortran binding on top of it sets.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

struct Booleans {
    static constexpr int kMostBytes = 16;

    int size_bytes;
    std::array<char, kMostBytes> is_true{};
    std::array<char, kMostBytes> is_false{};
};

struct OptionalType {
    std::string_view key;
    MPI_Datatype type;
};
const std::array<OptionalType, 19>& optional_types()
{
    static const std::array<OptionalType, 19> all = {{
        {"mpi_logical1_supported", MPI_LOGICAL1},
        {"mpi_logical2_supported", MPI_LOGICAL2},
        {"mpi_logical4_supported", MPI_LOGICAL4},
        {"mpi_logical8_supported", MPI_LOGICAL8},
        {"mpi_logical16_supported", MPI_LOGICAL16},
        {"mpi_integer1_supported", MPI_INTEGER1},
        {"mpi_integer2_supported", MPI_INTEGER2},
        {"mpi_integer4_supported", MPI_INTEGER4},
        {"mpi_integer8_supported", MPI_INTEGER8},
        {"mpi_integer16_supported", MPI_INTEGER16},
        {"mpi_real2_supported", MPI_REAL2},
        {"mpi_real4_supported", MPI_REAL4},
        {"mpi_real8_supported", MPI_REAL8},
        {"mpi_real16_supported", MPI_REAL16},
        {"mpi_complex4_supported", MPI_COMPLEX4},
        {"mpi_complex8_supported", MPI_COMPLEX8},
        {"mpi_complex16_supported", MPI_COMPLEX16},
        {"mpi_complex32_supported", MPI_COMPLEX32},
        {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
    }};
    return all;
}

/// Each is set once, by the first binding: others ask for what it has set.
struct FortranDetails {
    std::mutex mutex;
    std::optional<std::vector<Info::Entry>> info;
    std::optional<Booleans> booleans;
};

FortranDetails& fortran_details()
{
    static FortranDetails& all = *new FortranDetails;
    return all;
}

void check_logical_size(int bytes)
{
    constexpr std::array kSizes = {1, 2, 4, 8, 16};
    if (std::ranges::find(kSizes, bytes) == kSizes.end())
        fail(MPI_ERR_ARG, fmt::format("a LOGICAL of {} bytes is none; it has 1, 2, 4, 8 or 16", bytes));
}

// MPI_INTEGER and the like have fixed sizes.
void check_fortran_sizes(const std::vector<Info::Entry>& entries)
{
    const std::array<std::pair<std::string_view, std::string_view>, 4> fixed = {{
        {"mpi_logical_size", "4"},
        {"mpi_integer_size", "4"},
        {"mpi_real_size", "4"},
        {"mpi_double_precision_size", "8"},
    }};
    for (const auto& [key, value] : entries)
        for (const auto& [name, expected] : fixed)
            if (key == name && value != expected)
                fail(MPI_ERR_ABI, fmt::format("{} is {}, but {} in this library; compile without options "
                                              "that change the sizes of types",
                                              key, value, expected));
}

// Types of which nothing is said are there. Unknown keys are left alone.
void check_fortran_types(const std::vector<Info::Entry>& entries)
{
    for (const auto& [key, value] : entries)
        if (std::ranges::find(optional_types(), key, &OptionalType::key) != optional_types().end() &&
            value != "true" && value != "false")
            fail(MPI_ERR_INFO_VALUE, fmt::format("{} is '{}'; it must be true or false", key, value));
}

void note_missing_types(const std::vector<Info::Entry>& entries)
{
    for (const auto& [key, value] : entries)
        for (const auto& [name, type] : optional_types())
            if (key == name && value == "false")
                missing_types[reinterpret_cast<std::uintptr_t>(type) - Datatype::kFirst] = true;
}

}  // namespace

int abi_get_info(MPI_Info* info)
{
    return guard_result("MPI_Abi_get_info", info, "info", [&] {
        return new_info({{"mpi_aint_size", std::to_string(sizeof(MPI_Aint))},
                         {"mpi_count_size", std::to_string(sizeof(MPI_Count))},
                         {"mpi_offset_size", std::to_string(sizeof(MPI_Offset))}});
    });
}

int abi_get_fortran_info(MPI_Info* info)
{
    return guard_result("MPI_Abi_get_fortran_info", info, "info", [&] {
        const std::lock_guard lock(fortran_details().mutex);
        const auto& set = fortran_details().info;
        return set ? new_info(*set) : MPI_INFO_NULL;
    });
}

int abi_set_fortran_info(MPI_Info info)
{
    return guard("MPI_Abi_set_fortran_info", [&] {
        auto entries = info_of(info).entries();
        const std::lock_guard lock(fortran_details().mutex);
        if (fortran_details().info)
            fail(MPI_ERR_ABI,
                 "Fortran's types are set once, and were before; MPI_Abi_get_fortran_info has them");
        check_fortran_sizes(entries);
        check_fortran_types(entries);
        note_missing_types(entries);
        fortran_details().info = std::move(entries);
    });
}

int abi_get_fortran_booleans(int size_bytes, void* is_true, void* is_false, int* is_set)
{
    return guard("MPI_Abi_get_fortran_booleans", [&] {
        check_not_null(is_set, "is_set");
        check_logical_size(size_bytes);
        const std::lock_guard lock(fortran_details().mutex);
        const auto& set = fortran_details().booleans;
        *is_set = set && set->size_bytes == size_bytes ? 1 : 0;
        if (*is_set == 0)
            return;
        check_not_null(is_true, "logical_true");
        check_not_null(is_false, "logical_false");
        std::memcpy(is_true, set->is_true.data(), static_cast<std::size_t>(size_bytes));
        std::memcpy(is_false, set->is_false.data(), static_cast<std::size_t>(size_bytes));
    });
}

int abi_set_fortran_booleans(int size_bytes, void* is_true, void* is_false)
{
    return guard("MPI_Abi_set_fortran_booleans", [&] {
        check_logical_size(size_bytes);
        check_not_null(is_true, "logical_true");
        check_not_null(is_false, "logical_false");
        const std::lock_guard lock(fortran_details().mutex);
        if (fortran_details().booleans)
            fail(MPI_ERR_ABI,
                 "Fortran's Booleans are set once, and were before; MPI_Abi_get_fortran_booleans has them");
        Booleans given{.size_bytes = size_bytes};
        std::memcpy(given.is_true.data(), is_true, static_cast<std::size_t>(size_bytes));
        std::memcpy(given.is_false.data(), is_false, static_cast<std::size_t>(size_bytes));
        fortran_details().booleans = given;
    });
}

}  // namespace tutti::mpi
