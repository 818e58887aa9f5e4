// What the ranks of this node have promised to their programs: memory whose pages are taken when they are touched. A
// request is judged against the memory that is left and what of all ranks' promises is not touched yet, so that it
// fails where it is made. What others of this machine take later may still leave too little.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/shm/memory_file.hpp"

namespace tutti::transport::shm {

/// The ranks' promises, one entry a rank of the node, in a memory file that they share.
class PromiseLedger {
public:
    /// A new one for so many ranks; its descriptor is for the others. Throws what MemoryFile::create() throws.
    static MemoryFile create(std::size_t ranks);

    PromiseLedger() = default;
    /// This rank's, the `own`-th of `ranks` of the node. Throws when the file is none for so many.
    PromiseLedger(base::UniqueFd file, std::size_t own, std::size_t ranks);

    explicit operator bool() const noexcept { return map_.base() != nullptr; }
    void publish(std::uint64_t bytes) const noexcept;
    /// What the other living ranks have promised and not touched.
    std::uint64_t untouched_by_others() const;

private:
    // Relaxed: the numbers publish no other memory, and each is judged as it is found.
    struct Entry {
        std::atomic<std::uint64_t> bytes;
        std::atomic<std::int64_t> pid;
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

    Entry& entry(std::size_t index) const noexcept;

    MemoryMap map_;
    std::size_t own_ = 0;
    std::size_t ranks_ = 0;
};

/// Not for several threads at once.
class MemoryPromises {
public:
    /// Where a ledger comes from once it is needed; it gives an empty one while there is none.
    using FindLedger = std::function<PromiseLedger()>;
    void find_ledger_by(FindLedger find) { find_ = std::move(find); }

    /// Before `more` bytes are promised beside `promised`, of which `touched()` have pages. Throws tutti::Error
    /// (out_of_memory) with the figures. Looks at the machine only when the promises have grown by a part of what was
    /// left at the last look.
    template <class Touched>
    void judge(std::uint64_t promised, std::uint64_t more, Touched&& touched)
    {
        if (promised + more > unasked_until_) [[unlikely]]
            look(promised, more, touched());
    }
    void publish(std::uint64_t promised) const noexcept
    {
        if (ledger_)
            ledger_.publish(promised);
    }

private:
    void look(std::uint64_t promised, std::uint64_t more, std::uint64_t touched);

    FindLedger find_;
    PromiseLedger ledger_;
    std::uint64_t unasked_until_ = 0;
};

}  // namespace tutti::transport::shm
