#include "lib/mpi/info/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

const Predefined<Info, Info::kPredefined> Info::predefined = {
    nullptr,
    new Info(kFirst + 1),  // MPI_INFO_ENV
};

std::optional<std::string> Info::get(std::string_view key) const
{
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, key, &Entry::first);
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

void Info::set(std::string_view key, std::string_view value)
{
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, key, &Entry::first);
    if (found == entries_.end())
        entries_.emplace_back(key, value);
    else
        found->second = value;
}

bool Info::remove(std::string_view key)
{
    const std::lock_guard lock(mutex_);
    return std::erase_if(entries_, [&](const Entry& each) { return each.first == key; }) != 0;
}

std::vector<Info::Entry> Info::entries() const
{
    const std::lock_guard lock(mutex_);
    return entries_;
}

void Info::assign(std::vector<Entry> entries)
{
    const std::lock_guard lock(mutex_);
    entries_ = std::move(entries);
}

Info& info_of(MPI_Info handle)
{
    if (handle == MPI_INFO_NULL)
        fail(MPI_ERR_INFO, "the info object is MPI_INFO_NULL; call MPI_Info_create first");
    Info* const found = find<Info>(handle);
    if (found == nullptr)
        fail(MPI_ERR_INFO, fmt::format("{} is no info object, or one that was freed", fmt::ptr(handle)));
    return *found;
}

void check_info(MPI_Info handle)
{
    if (handle != MPI_INFO_NULL)
        static_cast<void>(info_of(handle));
}

void check_info_key(const char* key)
{
    check_not_null(key, "key");
    const std::size_t length = strnlen(key, MPI_MAX_INFO_KEY);
    if (length == 0)
        fail(MPI_ERR_INFO_KEY, "the key is empty");
    if (length == MPI_MAX_INFO_KEY)
        fail(MPI_ERR_INFO_KEY,
             fmt::format("the key has more than {} characters: {:.40}...", MPI_MAX_INFO_KEY - 1, key));
}

std::string value_of(MPI_Info handle, const char* key)
{
    return handle == MPI_INFO_NULL ? std::string() : info_of(handle).get(key).value_or(std::string());
}

std::size_t alignment_in(MPI_Info handle)
{
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const std::string text = value_of(handle, "mpi_minimum_memory_alignment");
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    const bool is_one =
        error == std::errc() && end == text.data() + text.size() && std::has_single_bit(bytes);
    return is_one && bytes <= kMost ? bytes : 1;
}

MPI_Info new_info(std::vector<Info::Entry> entries)
{
    auto* const made = new Info;
    made->assign(std::move(entries));
    return handle_of(*made);
}

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
    return guard_result("MPI_Info_create", info, "info", [&] { return new_info(); });
}

int info_dup(MPI_Info info, MPI_Info* newinfo)
{
    return guard_result("MPI_Info_dup", newinfo, "newinfo",
                        [&] { return new_info(info_of(info).entries()); });
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
        check_not_negative("buflen", *capacity);
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
    return guard_result("MPI_Info_get_nkeys", number, "nkeys",
                        [&] { return static_cast<int>(info_of(info).entries().size()); });
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
