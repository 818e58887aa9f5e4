#include "lib/mpi/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "lib/mpi/errors.hpp"

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

}  // namespace tutti::mpi
