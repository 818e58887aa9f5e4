// What the status page says while a rank is in the file system.
#pragma once

#include <cstdint>

#include "lib/core/communicators/communicator_state.hpp"
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

/// This thread is there as long as this exists. Takes the engine's lock for a moment, at its begin and end.
class InFileSystem {
public:
    InFileSystem(const CommunicatorState& communicator, observe::FileCall call, std::uint64_t bytes = 0)
        : process_(communicator.process())
    {
        const auto lock = process_.engine().lock();
        process_.status().begins(file_call_words(communicator, call, bytes));
    }
    ~InFileSystem()
    {
        const auto lock = process_.engine().lock();
        process_.status().ended();
    }
    InFileSystem(const InFileSystem&) = delete;
    InFileSystem& operator=(const InFileSystem&) = delete;

private:
    Process& process_;
};

}  // namespace tutti::detail
