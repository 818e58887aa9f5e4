// The object behind an MPI_Win.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/windows/rank_window.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/attributes.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/object.hpp"

namespace tutti::mpi {

struct Window final : ObjectOf<Window>, ErrorOwner {
    using Handle = MPI_Win;
    static constexpr std::uintptr_t kFirst = 0x110;
    static constexpr std::size_t kPredefined = 8;
    static constexpr Kind kKind = Kind::window;
    inline static const Predefined<Window, kPredefined> predefined{};  // the null handle only

    Window(std::shared_ptr<detail::Window> made, std::vector<Info::Entry> known_hints);

    int size() const noexcept { return size_; }
    /// The value of an attribute that MPI defines, an address; none for another key.
    std::optional<void*> predefined_attribute(int key) noexcept;

    /// Any thread.
    void set_name(std::string name);

    const std::shared_ptr<detail::Window> state;
    Attributes<MPI_Win> attributes;
    Info hints;  // what MPI_Win_get_info returns

private:
    int size_;
    MPI_Aint size_bytes_;
    int unit_bytes_;
    int flavor_;
    int model_ = MPI_WIN_UNIFIED;
};

[[noreturn]] void refuse_window(MPI_Win handle);

/// Throws Failure for a handle that is no window's.
inline Window& window_of(MPI_Win handle)
{
    Window* const found = find<Window>(handle);
    if (found == nullptr) [[unlikely]]
        refuse_window(handle);
    return *found;
}

[[noreturn]] void refuse_target(const Window& window, int rank);

/// Whether `rank` has memory in the window; false for MPI_PROC_NULL. Throws Failure for no rank.
inline bool is_target(const Window& window, int rank)
{
    if (static_cast<unsigned>(rank) < static_cast<unsigned>(window.size())) [[likely]]
        return true;
    if (rank == MPI_PROC_NULL)
        return false;
    refuse_target(window, rank);
}

}  // namespace tutti::mpi
