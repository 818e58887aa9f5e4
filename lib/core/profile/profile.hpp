// Where this rank's time goes, for tuttirun --stats and --trace: its calls with their time and the program's
// lines that make them. A rank without a profile has no object of this.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "lib/core/profile/caller_finder.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/foundation/observe/profile_writer.hpp"

namespace tutti::profile {

/// Under the engine's lock, unless said otherwise.
class Profile {
public:
    /// A profile that `daemon` sees, if the environment asks for one (TUTTI_PROFILE, TUTTI_TRACE_EVENTS);
    /// nullptr if not, or nobody would see it. Throws ErrorCode::invalid_argument.
    static std::unique_ptr<Profile> wanted(int ranks, bool many_threads, control::Channel* daemon);

    Profile(observe::ProfileMemory memory, bool many_threads)
        : writer_(std::move(memory), many_threads), callers_(*writer_.memory())
    {
    }

    observe::ProfileWriter& writer() noexcept { return writer_; }

    /// observe::ProfileWriter::begins(); `begin_ticks`: 0 for this moment. Not inlined: its frame is the
    /// first on the way to the calling line.
    [[gnu::noinline]] void begins(observe::CallWords call, int peer, std::uint64_t begin_ticks = 0) noexcept;
    void ended() noexcept { writer_.ended(); }
    void left() noexcept;

    // Any thread, one at a time.
    void add_communicator(std::uint64_t context, int members) noexcept;
    void name_communicator(std::uint64_t context, std::string_view name) noexcept;

private:
    observe::ProfileWriter writer_;
    CallerFinder callers_;
};

}  // namespace tutti::profile
