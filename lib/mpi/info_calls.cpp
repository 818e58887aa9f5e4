// Info objects, as the program uses them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/info.hpp"
#include "lib/mpi/strings.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

Info& writable(MPI_Info handle)
{
    Info& info = info_of(handle);
    if (is_predefined(info))
        fail(MPI_ERR_INFO, "MPI_INFO_ENV is read-only; change a duplicate of it");
    return info;
}

// The number of characters with the zero at the end.
int space_for(const std::string& value) noexcept
{
    return static_cast<int>(value.size()) + 1;
}

/// Stores whether there is the key, and returns the value.
std::optional<std::string> find_value(MPI_Info handle, const char* key, int* flag)
{
    check_not_null(flag, "flag");
    check_info_key(key);
    std::optional<std::string> value = info_of(handle).get(key);
    *flag = value ? 1 : 0;
    return value;
}

}  // namespace

int info_create(MPI_Info* info)
{
    return guard("MPI_Info_create", [&] {
        check_not_null(info, "info");
        *info = new_info();
    });
}

int info_dup(MPI_Info info, MPI_Info* newinfo)
{
    return guard("MPI_Info_dup", [&] {
        check_not_null(newinfo, "newinfo");
        *newinfo = new_info(info_of(info).entries());
    });
}

int info_free(MPI_Info* info)
{
    return guard("MPI_Info_free", [&] {
        check_not_null(info, "info");
        writable(*info).drop_reference();
        *info = MPI_INFO_NULL;
    });
}

int info_set(MPI_Info info, const char* key, const char* value)
{
    return guard("MPI_Info_set", [&] {
        check_info_key(key);
        check_not_null(value, "value");
        if (strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL)
            fail(MPI_ERR_INFO_VALUE,
                 fmt::format("the value of \"{}\" has more than {} characters", key, MPI_MAX_INFO_VAL - 1));
        writable(info).set(key, value);
    });
}

int info_delete(MPI_Info info, const char* key)
{
    return guard("MPI_Info_delete", [&] {
        check_info_key(key);
        if (!writable(info).remove(key))
            fail(MPI_ERR_INFO_NOKEY, fmt::format("the info object has no key \"{}\"", key));
    });
}

int info_get(MPI_Info info, const char* key, int length, char* value, int* flag)
{
    return guard("MPI_Info_get", [&] {
        if (length < 0 || length == std::numeric_limits<int>::max())
            fail(MPI_ERR_ARG, fmt::format("the length of the value is {}; it must not be negative, and leave "
                                          "room for a zero",
                                          length));
        int copied = 0;
        if (const auto found = find_value(info, key, flag))
            copy_out(*found, value, &copied, static_cast<std::size_t>(length) + 1);
    });
}

int info_get_string(MPI_Info info, const char* key, int* capacity, char* value, int* flag)
{
    return guard("MPI_Info_get_string", [&] {
        check_not_null(capacity, "buflen");
        if (*capacity < 0)
            fail(MPI_ERR_ARG, fmt::format("the buffer's length is {}; it must not be negative", *capacity));
        const auto found = find_value(info, key, flag);
        if (!found)
            return;
        int copied = 0;
        if (*capacity > 0)
            copy_out(*found, value, &copied, static_cast<std::size_t>(*capacity));
        *capacity = space_for(*found);
    });
}

int info_get_valuelen(MPI_Info info, const char* key, int* length, int* flag)
{
    return guard("MPI_Info_get_valuelen", [&] {
        check_not_null(length, "valuelen");
        if (const auto found = find_value(info, key, flag))
            *length = space_for(*found) - 1;
    });
}

int info_get_nkeys(MPI_Info info, int* number)
{
    return guard("MPI_Info_get_nkeys", [&] {
        check_not_null(number, "nkeys");
        *number = static_cast<int>(info_of(info).entries().size());
    });
}

int info_get_nthkey(MPI_Info info, int n, char* key)
{
    return guard("MPI_Info_get_nthkey", [&] {
        const auto entries = info_of(info).entries();
        if (n < 0 || static_cast<std::size_t>(n) >= entries.size())
            fail(MPI_ERR_ARG,
                 fmt::format("key {} was asked for; the info object has {}, from 0 on", n, entries.size()));
        int length = 0;
        copy_out(entries[static_cast<std::size_t>(n)].first, key, &length, MPI_MAX_INFO_KEY);
    });
}

}  // namespace tutti::mpi
