// What reports and profiles know of a rank that is in the file system.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <utility>

#include "collectives/framework/task.hpp"
#include "lib/core/communicators/communicator_group.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/files/file_worker.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

inline observe::CallWords file_call_words(const CommunicatorState& communicator, observe::FileCall call,
                                          std::uint64_t bytes) noexcept
{
    observe::CallWords words =
        RankStatus::words(observe::Operation::file_call, communicator.context(), 0, 0, bytes);
    words.signature = static_cast<std::uint64_t>(call);
    return words;
}

/// This thread is there as long as this exists.
class InFileSystem {
public:
    /// In a call of its own. Takes the engine's lock for a moment, at its begin and end.
    InFileSystem(const CommunicatorState& communicator, observe::FileCall call, std::uint64_t bytes = 0)
        : process_(communicator.process())
    {
        const auto lock = process_.engine().lock();
        process_.status().begins(file_call_words(communicator, call, bytes));
    }
    /// Within a collective call of a file. Under the engine's lock.
    InFileSystem(const CommunicatorGroup& within, observe::FileCall call, std::uint64_t bytes) noexcept
        : process_(within.process()), within_(&within)
    {
        process_.status().begins(file_call_words(within.communicator(), call, bytes));
    }
    ~InFileSystem()
    {
        if (within_ != nullptr) {
            process_.status().begins(within_->words_of_wait());
            return;
        }
        const auto lock = process_.engine().lock();
        process_.status().ended();
    }
    InFileSystem(const InFileSystem&) = delete;
    InFileSystem& operator=(const InFileSystem&) = delete;

private:
    Process& process_;
    const CommunicatorGroup* const within_ = nullptr;
};

/// Runs work(), which moves bytes of the file of that communicator: in this thread, in a call of the group,
/// or by the worker.
template <class Work>
collectives::Task move_bytes(collectives::Group& group, const CommunicatorState& communicator,
                             FileWorker* worker, bool writes, std::uint64_t bytes, Work work)
{
    using observe::FileCall;
    if (worker == nullptr) {
        const InFileSystem here(static_cast<CommunicatorGroup&>(group),
                                writes ? FileCall::write : FileCall::read, bytes);
        work();
        co_return;
    }
    RankStatus& status = communicator.process().status();
    std::uint64_t thread = 0;
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
    FileWork moved(worker, [&] {
        thread = static_cast<std::uint64_t>(gettid());
        begun = status.clock();
        work();
        ended = status.clock();
    });
    co_await moved;
    status.helper_was_in(
        file_call_words(communicator, writes ? FileCall::helper_write : FileCall::helper_read, bytes), thread,
        begun, ended);
}

}  // namespace tutti::detail
