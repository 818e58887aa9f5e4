// Windows below the templates: they know bytes, and no element types. docs/guide/windows.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tutti/data_type.hpp"
#include "tutti/reduction.hpp"
#include "tutti/request.hpp"

namespace tutti {

class Communicator;

namespace datatype {
class Typemap;
}

namespace detail {

class Window;
using WindowPointer = std::shared_ptr<Window>;

enum class WindowFlavor : std::uint8_t {
    allocate,  // Tutti allocates, from memory that ranks of the node map
    create,    // the caller's memory, which must live until the window is freed
    shared,    // as allocate; all ranks are of one node, and each gets pointers to the others' memory
    dynamic    // no memory at first; it is attached. Displacements are addresses at the target
};

/// What a rank gives to the making of a window; it may differ by rank. `base` is only for create.
struct WindowMemory {
    std::byte* base = nullptr;
    std::size_t size_bytes = 0;
    std::size_t unit_bytes = 1;  // displacements count such units
    bool contiguous = true;      // shared: each rank's memory begins where that of the rank before it ends
    std::size_t alignment = 1;   // a power of two; of memory that Tutti allocates
};

/// Memory of the caller: `count` elements of `type`, or bytes if there is no type.
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
    enum class Kind : std::uint8_t { reduce, replace, no_op, rule /* of rows: RowRule */ };
    Kind kind = Kind::reduce;
    Op op = Op::sum;
    DataType element = DataType::uint8;
};

/// Elements in a row in a rank's memory, and memory here that has their operands, or gets them.
struct WindowRow {
    std::byte* here;
    std::uint64_t there;  // bytes from the start of that memory
    std::uint64_t bytes;
};

/// A row where it is changed, within all memory of its rank.
struct RowMemory {
    std::byte* row;
    std::size_t bytes;
    std::byte* memory;  // nullptr: of a dynamic window
    std::size_t memory_bytes;
};

/// Changes a row by what is pushed to it. It is called where the memory is mapped, at the rank that pushes or
/// at the one that has the row, one at a time; it calls nothing of Tutti's.
using RowRule = std::function<void(const RowMemory& row, const std::byte* pushed)>;

/// A row of a key, and memory here as in WindowRow.
struct KeyedRow {
    std::uint64_t key;
    std::byte* here;
    std::uint64_t bytes;
};

/// How rows of 64-bit keys are made in a dynamic window. All ranks give the same.
struct KeyedRows {
    std::vector<int> owners{};                                        // ranks that have rows
    std::function<std::size_t(std::size_t row_bytes)> state_bytes{};  // behind each row
    /// Called at the owner, in its progress too; it calls nothing of Tutti's.
    std::function<void(std::uint64_t key, std::span<std::byte> row, std::span<std::byte> state)> initialise{};
};

enum class WindowLock : std::uint8_t { shared, exclusive };

/// The calls of lib/core/windows/rank_window.hpp; errors are thrown. `request` gets the operation; nullptr: a
/// flush or the end of the epoch completes it.
struct WindowCalls {
    static WindowPointer make(const Communicator& communicator, WindowFlavor flavor,
                              const WindowMemory& memory);
    static void free(Window& window);
    static std::byte* base(const Window& window) noexcept;
    static std::size_t size_bytes(const Window& window, int rank);
    static std::byte* direct(Window& window, int rank);
    static int rank(const Window& window) noexcept;
    static int ranks(const Window& window) noexcept;
    static void name(Window& window, std::string_view name);

    static void put(Window& window, const OriginBlock& from, const TargetBlock& to, Request* request);
    static void get(Window& window, const OriginBlock& to, const TargetBlock& from, Request* request);
    static void accumulate(Window& window, const OriginBlock& from, const TargetBlock& to,
                           const Update& update, Request* request);
    static void get_accumulate(Window& window, const OriginBlock& from, const OriginBlock& before,
                               const TargetBlock& to, const Update& update, Request* request);
    static void fetch_and_op(Window& window, const std::byte* from, std::byte* before, int rank,
                             std::ptrdiff_t displacement, const Update& update, Request* request);
    static void compare_and_swap(Window& window, const std::byte* desired, const std::byte* expected,
                                 std::byte* before, std::size_t element_bytes, int rank,
                                 std::ptrdiff_t displacement, Request* request);

    /// Once, before any rank pushes: all ranks give the same.
    static void set_rule(Window& window, RowRule rule);
    /// Pushes to rows of `rank`, one after the other; with no_op, pulls them. Rows may be named again. In a
    /// window with a rule, rows change and are read as a whole; elsewhere their elements are.
    static void update_rows(Window& window, int rank, std::span<const WindowRow> rows, const Update& update,
                            Request* request);

    // Rows of keys.

    /// Once, before any rank names a key.
    static void set_keys(Window& window, KeyedRows rows);
    /// As update_rows(), at all owners. `requests`: nullptr, or what gets those of the operations.
    static void update_keys(Window& window, std::span<const KeyedRow> rows, const Update& update,
                            std::vector<Request>* requests);
    /// Bytes of the rows; 0: the key has none.
    static std::vector<std::uint64_t> bytes_of_keys(Window& window, std::span<const std::uint64_t> keys);
    /// The rows in this rank's memory.
    static std::vector<KeyedRow> own_keys(Window& window);

    static void lock(Window& window, WindowLock kind, int rank);
    static void unlock(Window& window, int rank);
    static void lock_all(Window& window);
    static void unlock_all(Window& window);
    static void flush(Window& window, int rank);
    static void flush_all(Window& window);
    static void flush_local(Window& window, int rank);
    static void flush_local_all(Window& window);
    static void sync(Window& window);
    /// `goes_on`: it also begins an epoch.
    static void fence(Window& window, bool goes_on);
    static void post(Window& window, std::span<const int> origins);
    static void start(Window& window, std::span<const int> targets);
    static void complete(Window& window);
    static void wait(Window& window);
    static bool test(Window& window);

    /// For destructors: an error ends the job.
    static void end(Window& window, void (*how)(Window&)) noexcept;
    static void end_lock(Window& window, int rank) noexcept;
};

}  // namespace detail
}  // namespace tutti
