#include "lib/mpi/rma/window_object.hpp"

#include <fmt/format.h>

#include <climits>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti::mpi {

namespace {

int flavor_of(detail::WindowFlavor flavor) noexcept
{
    switch (flavor) {
        case detail::WindowFlavor::allocate:
            return MPI_WIN_FLAVOR_ALLOCATE;
        case detail::WindowFlavor::create:
            return MPI_WIN_FLAVOR_CREATE;
        case detail::WindowFlavor::shared:
            return MPI_WIN_FLAVOR_SHARED;
        case detail::WindowFlavor::dynamic:
            break;
    }
    return MPI_WIN_FLAVOR_DYNAMIC;
}

}  // namespace

Window::Window(std::shared_ptr<detail::Window> made, std::vector<Info::Entry> known_hints)
    : ErrorOwner(fatal_errors()), state(std::move(made)), size_(state->communicator()->size())
{
    hints.assign(std::move(known_hints));
    const int rank = state->communicator()->rank();
    const std::size_t unit_bytes = state->unit_bytes(rank);
    size_bytes_ = static_cast<MPI_Aint>(state->size_bytes(rank));
    unit_bytes_ = unit_bytes > INT_MAX ? MPI_UNDEFINED : static_cast<int>(unit_bytes);
    flavor_ = flavor_of(state->flavor());
}

std::optional<void*> Window::predefined_attribute(int key) noexcept
{
    switch (key) {
        case MPI_WIN_BASE:
            return state->base();
        case MPI_WIN_SIZE:
            return &size_bytes_;
        case MPI_WIN_DISP_UNIT:
            return &unit_bytes_;
        case MPI_WIN_CREATE_FLAVOR:
            return &flavor_;
        case MPI_WIN_MODEL:
            return &model_;
        default:
            return std::nullopt;
    }
}

void Window::set_name(std::string name)
{
    const std::lock_guard lock(mutex_);
    state->set_name(name);
    name_ = std::move(name);
}

Ref<ErrorHandler> handler_of(MPI_Win window)
{
    const Window* const found = find<Window>(window);
    return found != nullptr ? found->error_handler() : Ref<ErrorHandler>();
}

std::string described(MPI_Win window)
{
    const Window* const found = find<Window>(window);
    if (found == nullptr)
        return {};
    std::string name = found->name();
    return name.empty() ? fmt::format("a window of {} ranks", found->size()) : name;
}

void refuse_window(MPI_Win handle)
{
    if (!Runtime::was_begun())
        fail(MPI_ERR_WIN, "MPI is not initialised yet; call MPI_Init first");
    if (Runtime::has_ended())
        fail(MPI_ERR_WIN, "MPI has been finalized; free windows before MPI_Finalize");
    if (handle == MPI_WIN_NULL)
        fail(MPI_ERR_WIN, "the window is MPI_WIN_NULL");
    fail(MPI_ERR_WIN, fmt::format("{} is no window, or one that was freed", fmt::ptr(handle)));
}

void refuse_target(const Window& window, int rank)
{
    fail(MPI_ERR_RANK, fmt::format("the target is rank {}, but the ranks of this window are 0 to {}", rank,
                                   window.size() - 1));
}

}  // namespace tutti::mpi
