// Accesses that all ranks of a file make together.
//
// Each rank lists the runs of its pieces (file_runs.hpp), and all learn where the others' data lie. Ranks
// whose pieces do not mix, or are long, access the file themselves. Else *aggregators* do: each has a part of
// the file, its domain. An aggregator merges the runs of all ranks there, and lets the kernel move the data
// between the file and the memory of those ranks, which it maps: one copy. Nothing is read to be written
// back, so gaps cut calls.
//
// Ranks whose memory an aggregator does not map, as those of other nodes, exchange data with it in messages,
// in rounds of as many bytes as its buffer has.
//
// Source: two-phase I/O, Thakur, Gropp and Lusk, "Data sieving and collective I/O in ROMIO", 1999. There the
// data go through the aggregators' buffers always.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "collectives/framework/group.hpp"
#include "collectives/framework/task.hpp"
#include "lib/core/files/file_transfer.hpp"
#include "tutti/file_calls.hpp"

namespace tutti::detail {

class CommunicatorState;

/// What all ranks of a file know of each other, alike.
struct FileRanks {
    std::vector<int> readers;  // aggregators
    std::vector<int> writers;
    bool maps_peers = false;  // the ranks of each node map each other's memory
    bool is_local = false;    // no file system of several hosts

    static std::shared_ptr<const FileRanks> of(const CommunicatorState& communicator, bool maps_peers,
                                               bool is_local, int aggregators);
};

struct CollectiveAccess {
    FileTransfer transfer;
    const CommunicatorState& communicator;
    std::shared_ptr<const FileRanks> ranks;
    FileHints hints;
    std::uint64_t view_kind;           // of what is equal in all ranks' views
    std::exception_ptr refusal = nullptr;  // this rank's call is wrong: no rank accesses the file

    /// What the ranks compare.
    collectives::Call call() const noexcept
    {
        return {.kind = transfer.writes ? collectives::CallKind::write_all : collectives::CallKind::read_all};
    }
};

// Trouble of one rank is thrown at all of them.

/// Sets transfer.moved.
collectives::Task move_together(collectives::Group& group, CollectiveAccess& access);

// Its first and its last part, for ranks that move their data one after the other between them.
collectives::Task check_together(collectives::Group& group, const CollectiveAccess& access);
collectives::Task end_together(collectives::Group& group, CollectiveAccess& access, FileOutcome outcome);

}  // namespace tutti::detail
