// How windows are made, what memory they have, and their end.
#include <fmt/format.h>

#include <cstring>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/views.hpp"
#include "lib/mpi/rma/window_hints.hpp"
#include "lib/mpi/rma/window_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::WindowFlavor;

constexpr std::size_t kPage = 4096;

// Stores an address where the program has a variable of any pointer's type.
void store_address(void* place, const void* address)
{
    std::memcpy(place, &address, sizeof address);
}

void check_base(const void* base, MPI_Aint size)
{
    if (base == nullptr && size != 0)
        fail(MPI_ERR_BASE,
             fmt::format("the base is a null pointer to {} bytes; pass memory that holds them", size));
}

detail::WindowMemory memory_of(void* base, MPI_Aint size, MPI_Count unit)
{
    check_not_negative("the size", size, MPI_ERR_SIZE);
    if (unit <= 0)
        fail(MPI_ERR_DISP, fmt::format("the displacement unit is {}; it must be at least 1 byte", unit));
    return {static_cast<std::byte*>(base), static_cast<std::size_t>(size), static_cast<std::size_t>(unit)};
}

// `base`: where the own memory's address goes; nullptr: nowhere.
void make_window(WindowFlavor flavor, const detail::WindowMemory& memory, MPI_Info info, MPI_Comm comm,
                 void* base, MPI_Win* win)
{
    check_not_null(win, "win");
    check_info(info);
    const detail::StatePointer& state = intracommunicator_of(comm).state;
    auto made =
        std::make_unique<Window>(detail::Window::make(state, flavor, memory), hints_of(info, flavor, memory));
    made->state->lend_all();
    if (base != nullptr)
        store_address(base, made->state->base());
    *win = handle_of(*made.release());
}

int allocate_in(const char* call, WindowFlavor flavor, MPI_Aint size, MPI_Count disp_unit, MPI_Info info,
                MPI_Comm comm, void* baseptr, MPI_Win* win)
{
    return guard(call, comm, [&] {
        check_not_null(baseptr, "baseptr");
        detail::WindowMemory memory = memory_of(nullptr, size, disp_unit);
        check_info(info);
        memory.alignment = alignment_in(info);
        if (flavor == WindowFlavor::shared) {
            if (!intracommunicator_of(comm).state->placement().one_node)
                fail(MPI_ERR_RMA_SHARED,
                     "the ranks are not all of one node, and cannot share memory; split "
                     "them with MPI_Comm_split_type and MPI_COMM_TYPE_SHARED");
            memory.contiguous = value_of(info, "alloc_shared_noncontig") != "true";
            if (memory.contiguous && memory.alignment > kPage)
                memory.alignment = 1;  // each rank maps it at an address of its own
        }
        make_window(flavor, memory, info, comm, baseptr, win);
    });
}

// The lowest rank that has memory; rank 0 if there is none.
int first_with_memory(const Window& window)
{
    int rank = 0;
    while (rank < window.size() && window.state->size_bytes(rank) == 0)
        ++rank;
    return rank == window.size() ? 0 : rank;
}

}  // namespace

int win_create(void* base, MPI_Aint size, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)
{
    return guard("MPI_Win_create", comm, [&] {
        const detail::WindowMemory memory = memory_of(base, size, disp_unit);
        check_base(base, size);
        make_window(WindowFlavor::create, memory, info, comm, nullptr, win);
    });
}

int win_allocate(MPI_Aint size, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                 MPI_Win* win)
{
    return allocate_in("MPI_Win_allocate", WindowFlavor::allocate, size, disp_unit, info, comm, baseptr, win);
}

int win_allocate_shared(MPI_Aint size, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                        MPI_Win* win)
{
    return allocate_in("MPI_Win_allocate_shared", WindowFlavor::shared, size, disp_unit, info, comm, baseptr,
                       win);
}

int win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win)
{
    return guard("MPI_Win_create_dynamic", comm,
                 [&] { make_window(WindowFlavor::dynamic, {}, info, comm, nullptr, win); });
}

int win_free(MPI_Win* win)
{
    constexpr const char* kCall = "MPI_Win_free";
    return guard(kCall, win == nullptr ? MPI_WIN_NULL : *win, [&] {
        check_not_null(win, "win");
        Window& freed = window_of(*win);
        if (const int code = delete_attributes(freed); code != MPI_SUCCESS)
            return hand_over(kCall, *win, code);
        freed.state->free();
        freed.free_handle();
        *win = MPI_WIN_NULL;
        return MPI_SUCCESS;
    });
}

int win_shared_query(MPI_Win win, int rank, MPI_Aint* size, CountPlace disp_unit, void* baseptr)
{
    return guard("MPI_Win_shared_query", win, [&] {
        const Window& window = window_of(win);
        check_not_null(size, "size");
        check_not_null(disp_unit.is_null() ? nullptr : size, "disp_unit");
        check_not_null(baseptr, "baseptr");
        if (window.state->flavor() == WindowFlavor::dynamic)
            fail(MPI_ERR_RMA_FLAVOR,
                 "the window is dynamic, and has no memory of its own; make it with "
                 "MPI_Win_allocate_shared");
        const int asked = is_target(window, rank) ? rank : first_with_memory(window);
        const std::byte* const base = window.state->direct(asked);
        const bool is_there = base != nullptr || window.state->size_bytes(asked) == 0;
        *size = base == nullptr ? 0 : static_cast<MPI_Aint>(window.state->size_bytes(asked));
        disp_unit.set(is_there ? static_cast<MPI_Count>(window.state->unit_bytes(asked)) : 0);
        store_address(baseptr, base);
    });
}

int win_attach(MPI_Win win, void* base, MPI_Aint size)
{
    return guard("MPI_Win_attach", win, [&] {
        const Window& window = window_of(win);
        check_not_negative("the size", size, MPI_ERR_SIZE);
        check_base(base, size);
        window.state->attach(base, static_cast<std::size_t>(size));
    });
}

int win_detach(MPI_Win win, const void* base)
{
    return guard("MPI_Win_detach", win, [&] { window_of(win).state->detach(base); });
}

}  // namespace tutti::mpi
