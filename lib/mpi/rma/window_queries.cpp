// The group, name, hints and error handler of windows.
#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/rma/window_hints.hpp"
#include "lib/mpi/rma/window_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

bool is_truth(const std::string& value)
{
    return value == "true" || value == "false";
}

// Whether all parts between commas are kinds of order, or the only one is "none".
bool is_order(const std::string& value)
{
    static constexpr std::string_view kKinds[] = {"rar", "raw", "war", "waw"};
    if (value == "none")
        return true;
    std::string_view rest = value;
    for (;;) {
        const std::string_view kind = rest.substr(0, rest.find(','));
        if (std::ranges::find(kKinds, kind) == std::end(kKinds))
            return false;
        if (kind.size() == rest.size())
            return true;
        rest.remove_prefix(kind.size() + 1);
    }
}

bool is_operators(const std::string& value)
{
    return value == "same_op" || value == "same_op_no_op";
}

bool is_count(const std::string& value)
{
    return !value.empty() &&
           std::ranges::all_of(value, [](char digit) { return digit >= '0' && digit <= '9'; });
}

// Kinds between commas, each perhaps with restrictions behind colons.
bool is_kinds(const std::string& value)
{
    return !value.empty() && value.find(",,") == value.npos && value.front() != ',' && value.back() != ',' &&
           std::ranges::all_of(value, [](char each) {
               return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '_' ||
                      each == ',' || each == ':';
           });
}

/// A hint: the value that counts where the program gives none, and whether one has a meaning.
struct Hint {
    const char* key;
    const char* usual;
    bool (*has_meaning)(const std::string& value);
};

// The window works alike with all of them; programs may ask for what they gave.
constexpr Hint kHints[] = {
    {"no_locks", "false", is_truth},
    {"accumulate_ordering", "rar,raw,war,waw", is_order},
    {"accumulate_ops", "same_op_no_op", is_operators},
    {"same_size", "false", is_truth},
    {"same_disp_unit", "false", is_truth},
    {"mpi_accumulate_granularity", "0", is_count},
};

}  // namespace

std::vector<Info::Entry> changed_hints(std::vector<Info::Entry> hints, MPI_Info info)
{
    for (const Hint& hint : kHints) {
        std::string given = value_of(info, hint.key);
        if (const auto found = std::ranges::find(hints, hint.key, &Info::Entry::first);
            found != hints.end() && hint.has_meaning(given))
            found->second = std::move(given);
    }
    return hints;
}

std::vector<Info::Entry> hints_of(MPI_Info info, detail::WindowFlavor flavor,
                                  const detail::WindowMemory& memory)
{
    constexpr std::size_t kLeastAlignment = 64;
    const bool is_shared = flavor == detail::WindowFlavor::shared;
    std::vector<Info::Entry> hints;
    for (const Hint& hint : kHints)
        hints.emplace_back(hint.key, hint.usual);
    if (is_shared)
        hints.emplace_back("alloc_shared_noncontig", memory.contiguous ? "false" : "true");
    if (is_shared || flavor == detail::WindowFlavor::allocate)
        hints.emplace_back("mpi_minimum_memory_alignment",
                           fmt::to_string(std::max(kLeastAlignment, memory.alignment)));
    hints.emplace_back("mpi_memory_alloc_kinds", "mpi,system");
    if (std::string kinds = value_of(info, "mpi_assert_memory_alloc_kinds"); is_kinds(kinds))
        hints.emplace_back("mpi_assert_memory_alloc_kinds", std::move(kinds));
    return changed_hints(std::move(hints), info);
}

int win_get_group(MPI_Win win, MPI_Group* group)
{
    return guard_result("MPI_Win_get_group", win, group, "group",
                        [&] { return new_group(window_of(win).state->communicator()->members()); });
}

int win_get_name(MPI_Win win, char* win_name, int* resultlen)
{
    return guard("MPI_Win_get_name", win, [&] {
        copy_out(win == MPI_WIN_NULL ? "MPI_WIN_NULL" : window_of(win).name(), win_name, resultlen,
                 MPI_MAX_OBJECT_NAME);
    });
}

int win_set_name(MPI_Win win, const char* win_name)
{
    return guard("MPI_Win_set_name", win, [&] {
        check_not_null(win_name, "win_name");
        window_of(win).set_name(std::string(win_name).substr(0, MPI_MAX_OBJECT_NAME - 1));
    });
}

int win_get_info(MPI_Win win, MPI_Info* info_used)
{
    return guard_result("MPI_Win_get_info", win, info_used, "info_used",
                        [&] { return new_info(window_of(win).hints.entries()); });
}

int win_set_info(MPI_Win win, MPI_Info info)
{
    return guard("MPI_Win_set_info", win, [&] {
        Window& window = window_of(win);
        check_info(info);
        window.hints.assign(changed_hints(window.hints.entries(), info));
    });
}

int win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler)
{
    return guard("MPI_Win_create_errhandler", [&] {
        check_not_null(reinterpret_cast<const void*>(win_errhandler_fn), "win_errhandler_fn");
        check_not_null(errhandler, "errhandler");
        *errhandler = handle_of(*new ErrorHandler(win_errhandler_fn));
    });
}

int win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
    return guard("MPI_Win_set_errhandler", win, [&] {
        Window& window = window_of(win);
        window.set_error_handler(error_handler_of(errhandler, ErrorHandler::Objects::windows));
    });
}

int win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler)
{
    return guard_result("MPI_Win_get_errhandler", win, errhandler, "errhandler", [&] {
        const Ref<ErrorHandler> found = window_of(win).error_handler();
        found->add_reference();  // the new handle's
        return handle_of(*found);
    });
}

int win_call_errhandler(MPI_Win win, int errorcode)
{
    return guard("MPI_Win_call_errhandler", win, [&] {
        static_cast<void>(window_of(win));
        hand_over("MPI_Win_call_errhandler", win, errorcode);
    });
}

}  // namespace tutti::mpi
