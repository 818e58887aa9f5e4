#include "lib/mpi/file/file_hints.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::FileHints;
using Collective = FileHints::Collective;

std::optional<std::size_t> number_in(std::string_view text)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    return is_number && number != 0 ? std::optional(number) : std::nullopt;
}

std::optional<Collective> collective_in(std::string_view text)
{
    if (text == "enable")
        return Collective::always;
    if (text == "disable")
        return Collective::never;
    return text == "automatic" ? std::optional(Collective::automatic) : std::nullopt;
}

std::string_view words_of_collective(Collective collective) noexcept
{
    switch (collective) {
        case Collective::always:
            return "enable";
        case Collective::never:
            return "disable";
        case Collective::automatic:
            break;
    }
    return "automatic";
}

void set_hint(FileHints& hints, std::string_view key, std::string_view value)
{
    if (key == "cb_buffer_size")
        hints.buffer_bytes = number_in(value).value_or(hints.buffer_bytes);
    else if (key == "striping_unit")
        hints.alignment = number_in(value).value_or(hints.alignment);
    else if (key == "romio_cb_read")
        hints.collective_reads = collective_in(value).value_or(hints.collective_reads);
    else if (key == "romio_cb_write")
        hints.collective_writes = collective_in(value).value_or(hints.collective_writes);
    else if (const auto ranks = number_in(value);
             key == "cb_nodes" && ranks && *ranks <= std::size_t{std::numeric_limits<int>::max()})
        hints.aggregators = static_cast<int>(*ranks);
}

// A line a hint: its key and its value. What follows a # is a comment.
std::vector<Info::Entry> hints_of_system()
{
    std::vector<Info::Entry> entries;
    const char* const path = std::getenv("ROMIO_HINTS");
    if (path == nullptr)
        return entries;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        Info::Entry entry;
        if (words >> entry.first >> entry.second)
            entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace

FileHints changed_file_hints(FileHints hints, MPI_Info info)
{
    check_info(info);
    if (info != MPI_INFO_NULL)
        for (const auto& [key, value] : info_of(info).entries())
            set_hint(hints, key, value);
    return hints;
}

FileHints file_hints_of(MPI_Info info)
{
    static const std::vector<Info::Entry>& system = *new std::vector(hints_of_system());
    FileHints hints;
    for (const auto& [key, value] : system)
        set_hint(hints, key, value);
    return changed_file_hints(hints, info);
}

std::vector<Info::Entry> entries_of(const FileHints& hints)
{
    std::vector<Info::Entry> entries = {
        {"cb_buffer_size", fmt::to_string(hints.buffer_bytes)},
        {"romio_cb_read", std::string(words_of_collective(hints.collective_reads))},
        {"romio_cb_write", std::string(words_of_collective(hints.collective_writes))},
        // Gaps are read where that is faster, but nothing is read to be written back. A file is open on all
        // ranks.
        {"romio_ds_read", "automatic"},
        {"romio_ds_write", "disable"},
        {"romio_no_indep_rw", "false"},
        {"striping_unit", fmt::to_string(hints.alignment)},
    };
    if (hints.aggregators != 0)
        entries.emplace_back("cb_nodes", fmt::to_string(hints.aggregators));
    return entries;
}

int file_set_info(MPI_File fh, MPI_Info info)
{
    return guard("MPI_File_set_info", fh, [&] {
        const File& file = file_of(fh);
        file.state->set_hints(changed_file_hints(file.state->hints(), info));
    });
}

int file_get_info(MPI_File fh, MPI_Info* info_used)
{
    return guard_result("MPI_File_get_info", fh, info_used, "info_used",
                        [&] { return new_info(entries_of(file_of(fh).state->hints())); });
}

}  // namespace tutti::mpi
