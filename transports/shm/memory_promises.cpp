#include "transports/shm/memory_promises.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "lib/foundation/base/cgroup.hpp"
#include "lib/foundation/base/proc.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

// A request of less fails no more than one of malloc would.
constexpr std::uint64_t kLeastRefused = 1u << 20;
// Of what is left, the part that a rank promises without another look.
constexpr std::uint64_t kUnaskedPart = 64;

// Pages of shared memory that a process has touched, its own or a peer's; empty when they are not visible
// from here.
std::optional<std::uint64_t> touched_by(std::int64_t pid)
{
    std::ifstream file(base::proc_folder(static_cast<pid_t>(pid)) + "/status");
    if (!file)
        return std::nullopt;
    std::uint64_t kib = 0;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("RssShmem:"))
            kib = std::strtoull(line.c_str() + sizeof "RssShmem:" - 1, nullptr, 10);
    return kib << 10;
}

std::string mib(std::uint64_t bytes)
{
    return fmt::format("{} MiB", bytes >> 20);
}

}  // namespace

MemoryFile PromiseLedger::create(std::size_t ranks)
{
    MemoryFile file = MemoryFile::create("tutti-promises", ranks * sizeof(Entry));
    file.allocate(0, ranks * sizeof(Entry));
    return file;
}

PromiseLedger::PromiseLedger(base::UniqueFd file, std::size_t own, std::size_t ranks)
    : map_(MemoryFile::take(std::move(file), ranks * sizeof(Entry)), 0, ranks * sizeof(Entry)),
      own_(own),
      ranks_(ranks)
{
    entry(own_).pid.store(getpid(), std::memory_order_relaxed);
}

PromiseLedger::Entry& PromiseLedger::entry(std::size_t index) const noexcept
{
    return reinterpret_cast<Entry*>(map_.base())[index];
}

void PromiseLedger::publish(std::uint64_t bytes) const noexcept
{
    entry(own_).bytes.store(bytes, std::memory_order_relaxed);
}

std::uint64_t PromiseLedger::untouched_by_others() const
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ranks_; ++i) {
        const std::uint64_t promised = entry(i).bytes.load(std::memory_order_relaxed);
        if (i == own_ || promised == 0)
            continue;
        // A rank that has ended, or is not visible from here, counts as one that has touched all.
        if (const auto touched = touched_by(entry(i).pid.load(std::memory_order_relaxed)))
            sum += promised - std::min(promised, *touched);
    }
    return sum;
}

void MemoryPromises::look(std::uint64_t promised, std::uint64_t more, std::uint64_t touched)
{
    if (!ledger_ && find_) {
        ledger_ = find_();
        publish(promised);
    }
    const std::optional<base::MemoryRoom> room = base::memory_room();
    if (!room)
        return;
    const std::uint64_t own = promised - std::min(promised, touched);
    const std::uint64_t others = ledger_ ? ledger_.untouched_by_others() : 0;
    const std::uint64_t left = room->free_bytes - std::min(room->free_bytes, own + others);
    if (more > left && more >= kLeastRefused)
        throw Error(
            ErrorCode::out_of_memory, "allocate",
            fmt::format("{} are more than there is: of {} ({}), {} are free, and of these this rank has "
                        "taken {} and other ranks of this node {}, which are not touched yet; use less "
                        "memory, or fewer ranks on this node",
                        mib(more), room->owner, mib(room->limit_bytes), mib(room->free_bytes), mib(own),
                        mib(others)));
    unasked_until_ = promised + more + (left - std::min(left, more)) / kUnaskedPart;
}

}  // namespace tutti::transport::shm
