// Windows: memory of each rank that the others read and change without its help. The core below the faces.
//
// Errors are returned (nullptr: none), as tutti::Error, a WindowError for wrong use; they name the window,
// the rank, the range and the epoch. Thrown are errors that end all progress of this rank. Not under the
// engine's lock: calls take it where they need it.
//
// A target is reached by one of two paths. Where this process maps its memory (ranks of a node: memory of
// tutti::allocate; threads: any memory; this rank itself) an operation is done when its call returns.
// Elsewhere the target's progress does it (window_service.hpp). Both use the same CPU atomics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "lib/core/windows/window_error.hpp"
#include "lib/engine/request/request_state.hpp"
#include "tutti/calls.hpp"
#include "tutti/reduction.hpp"

namespace tutti::detail {

enum class WindowFlavor : std::uint8_t {
    allocate,  // Tutti allocates, from memory that ranks of the node map
    create,    // the caller's memory, which must live until free()
    shared,    // as allocate; all ranks are of one node, and each gets pointers to the others' memory
    dynamic    // no memory at first: attach(). Displacements are addresses at the target
};

/// What a rank gives to the making of a window; it may differ by rank. `base` is only for create.
struct WindowMemory {
    std::byte* base = nullptr;
    std::size_t size_bytes = 0;
    std::size_t unit_bytes = 1;  // displacements count such units
    bool contiguous = true;      // shared: each rank's memory begins where that of the rank before it ends
};

/// Memory of the caller: `count` elements of `type`, or bytes if there is no type. An operation that is not
/// done when its call returns keeps the type.
struct OriginBlock {
    std::byte* base = nullptr;  // only read by put and accumulate
    std::size_t count = 0;
    const datatype::Typemap* type = nullptr;
};

/// Memory of `rank`, in the same terms.
struct TargetBlock {
    int rank = 0;
    std::ptrdiff_t displacement = 0;
    std::size_t count = 0;
    const datatype::Typemap* type = nullptr;
};

/// How accumulate combines: target = target op origin. All bytes of both blocks are elements of one type,
/// for which the operator is defined; the caller has checked this. Elements with gaps (a pair of a double and
/// an int) count as bytes with their gaps; blocks of them have no type.
struct Update {
    enum class Kind : std::uint8_t { reduce, replace, no_op };
    Kind kind = Kind::reduce;
    Op op = Op::sum;
    DataType element = DataType::uint8;
};

enum class WindowLock : std::uint8_t { shared, exclusive };

/// Promises of the caller, as bits: MPI's assertions.
namespace window_promise {
inline constexpr unsigned no_check = 1;     // no other lock conflicts; or the target has posted
inline constexpr unsigned no_store = 2;     // the own memory has not been changed
inline constexpr unsigned no_put = 4;       // the own memory will not be changed by others
inline constexpr unsigned no_precede = 8;   // fence: it ends no epoch
inline constexpr unsigned no_succeed = 16;  // fence: it begins no epoch
}  // namespace window_promise

/// One rank's view. Thread rule: threads may call operations at once; calls that begin or end epochs, and
/// make and free, one at a time.
class Window {
public:
    using Failure = std::exception_ptr;

    /// Collective; throws, as collectives do. Ends with a barrier.
    static std::shared_ptr<Window> make(const StatePointer& communicator, WindowFlavor flavor,
                                        const WindowMemory& memory);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    /// Memory of a window that was not freed stays allocated until the process ends.
    ~Window();

    /// Collective: a barrier, behind which no rank accesses the window. An open epoch is an error, and the
    /// window stays.
    Failure free();
    bool is_freed() const noexcept;

    const StatePointer& communicator() const noexcept;
    WindowFlavor flavor() const noexcept;
    /// The own memory; nullptr and 0 for a dynamic window.
    std::byte* base() const noexcept;
    std::size_t size_bytes(int rank) const noexcept;
    std::size_t unit_bytes(int rank) const noexcept;
    /// The memory of `rank` where this process maps it, else nullptr. Never nullptr in a shared window, nor
    /// for this rank.
    std::byte* direct(int rank) noexcept;

    /// Of a dynamic window: other ranks may access these bytes from now on, or no longer.
    Failure attach(void* memory, std::size_t size_bytes);
    Failure detach(const void* memory);

    // Operations, inside an epoch that covers the target. With `request` the caller may wait for the
    // operation alone: *request is its state, or nullptr if it is done. Then put and accumulate are complete
    // at the origin, get and those that fetch completely. A state's errors are in failure_of(). Blocks of
    // both sides have equally many bytes; the caller has checked this.
    //
    // Accumulates of any origins and any path are atomic for each element, if all name its type; also with
    // fetch_and_op and compare_and_swap. Accumulates from one origin to one element keep their order. Put
    // and get are not atomic and have no order.
    Failure put(const OriginBlock& from, const TargetBlock& to, RequestState** request = nullptr);
    Failure get(const OriginBlock& to, const TargetBlock& from, RequestState** request = nullptr);
    Failure accumulate(const OriginBlock& from, const TargetBlock& to, const Update& update,
                       RequestState** request = nullptr);
    /// `before` gets what the target had. With no_op `from` is not read.
    Failure get_accumulate(const OriginBlock& from, const OriginBlock& before, const TargetBlock& to,
                           const Update& update, RequestState** request = nullptr);
    /// One element. `from` is not read with no_op.
    Failure fetch_and_op(const std::byte* from, std::byte* before, int rank, std::ptrdiff_t displacement,
                         const Update& update, RequestState** request = nullptr);
    /// target = desired if its bytes are those of `expected`. One element of 1 to 16 bytes, a power of two.
    Failure compare_and_swap(const std::byte* desired, const std::byte* expected, std::byte* before,
                             std::size_t element_bytes, int rank, std::ptrdiff_t displacement,
                             RequestState** request = nullptr);

    // Passive epochs. lock() returns when the lock is held. lock_all() locks each target, shared, by its
    // first access. unlock() and unlock_all() return when all operations are complete at the target.
    Failure lock(WindowLock kind, int rank, unsigned promises = 0);
    Failure unlock(int rank);
    Failure lock_all(unsigned promises = 0);
    Failure unlock_all();
    /// In a passive epoch: the operations so far are complete at the target; those of flush_local only here.
    Failure flush(int rank);
    Failure flush_all();
    Failure flush_local(int rank);
    Failure flush_local_all();
    /// Orders direct loads and stores with other ranks' accesses.
    Failure sync();

    /// Collective: ends an epoch in which each rank accesses all others, and begins the next.
    Failure fence(unsigned promises = 0);

    // Epochs of some ranks. post() exposes the own memory to `origins`; start() opens the memory of
    // `targets`, and may wait until they have posted; complete() ends this, and wait() returns when all
    // origins have completed. Ranks are of the window's communicator.
    Failure post(std::span<const int> origins, unsigned promises = 0);
    Failure start(std::span<const int> targets, unsigned promises = 0);
    Failure complete();
    Failure wait();
    /// As wait(), if it would return at once: then `done` is set.
    Failure test(bool& done);

private:
    Window() = default;
};

}  // namespace tutti::detail
