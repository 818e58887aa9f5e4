// The PMIx server's end of the stream to its daemon, and the requests of libpmix that the daemon has to
// answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "launcher/base/descriptors.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

/// Takes a pmix_status_t and bytes in libpmix's format. To be called once.
using PmixAnswer = std::function<void(int status, std::string data)>;

class PmixReports {
public:
    explicit PmixReports(UniqueFd daemon) : daemon_(std::move(daemon)) {}

    /// Returns when the kernel has the frame, so that the daemon reads it before it sees the rank end. Any
    /// thread.
    void send(FrameType type, std::string_view payload = {});
    /// The serial of a request to the daemon, by which handle_answer() finds `answer`. Any thread.
    std::uint64_t expect(PmixAnswer answer);
    void handle_answer(std::uint64_t serial, int status, std::string data);

    /// Hands out the daemon's frames until it closes the stream. Throws WireError.
    void read(const std::function<void(const Frame& frame)>& on_frame);

private:
    UniqueFd daemon_;
    std::mutex mutex_;  // guards what follows, and makes frames whole
    std::string frame_;
    std::map<std::uint64_t, PmixAnswer> answers_;
    std::uint64_t last_serial_ = 0;
};

}  // namespace tutti::launcher
