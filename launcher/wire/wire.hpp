// The protocol of head and daemons: frames of `u32 length, u16 type, u16 node, payload` over byte streams.
//
// The head is the root of a tree of daemons. A frame on its way down names its destination, a node or all;
// on its way up it names its source. Daemons pass on frames of other nodes unread.
//
// Numbers have the machine's byte order, since all nodes of a job run the same tuttirun. Parsing trusts
// nothing: bytes that no tuttirun sends cause a WireError, never a wild read or a huge allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace tutti::launcher {

enum class FrameType : std::uint16_t {
    // head to daemon
    start_daemons = 1,  // StartOrder: more daemons below this one
    launch,             // LaunchOrder
    stdin_data,         // int rank (kAllRanks), bytes to the end; no bytes: end of file
    output_taken,       // u64 bytes: the head's writer has taken them, so as many more may be sent
    send_signal,        // int signal: to every process group of the job
    end_job,            // int signal to start with, double seconds until SIGKILL follows
    fence_done,         // FenceFrame: what all nodes have contributed
    modex_wanted,       // ModexRequest: from the daemon of another node, passed on by the head
    modex_found,        // ModexAnswer: to the node that asked
    rank_died,          // int rank, bool by a signal: other ranks may want to know
    doctor_task,        // one of doctor/doctor_messages.hpp
    status_wanted,      // u32 number of the question, bool also what for: what do your ranks do?
    rank_wanted,        // u32 number of the question, int rank, bool where in its program: what does it do?
    clock_wanted,       // i64 now on the head's clock: what is it on yours?
    ping,               // from the process above, head or daemon: answer
    // daemon to head
    hello,          // Hello: the first frame of each daemon
    pong,           // answers a ping, and goes no further than the process above
    not_started,    // MissingDaemons: daemons below this one that could not be started
    daemons_lost,   // MissingDaemons: their connection is closed
    fence,          // FenceFrame: what the ranks of the node contribute
    modex_request,  // ModexRequest: for the node that has the rank
    modex_answer,   // ModexAnswer
    doctor_report,  // one of doctor/doctor_messages.hpp
    note,           // bool only with -v, text: a line for the user
    output,         // int rank, u8 channel, bytes to the end; no bytes: end of file
    stdin_taken,    // u64 bytes
    end_requested,  // int signal: the daemon has received it, and ends its ranks
    start_failed,   // int rank, int errno, text: why a rank could not be started
    joined,         // a rank of the node is the first of its ranks to join the job
    exited,         // ExitReport
    quiet,          // bool: all ranks of the node wait, and nothing moves; sent when that changes
    status_report,  // NodeReport: answers status_wanted
    rank_report,    // u32 number of the question, int rank, text: answers rank_wanted
    aborted,        // AbortReport
    debug_server,   // DebugServer
    profile,        // a piece of a rank's profile: profile/profile_frames.hpp
    clock_reading,  // i64 of clock_wanted, i64 now on the daemon's clock
    all_exited,     // no process of the job is left on the daemon's node
    bye,            // all output was sent before this
    // daemon to its PMIx server, which also gets rank_died
    pmix_register,  // int node, text key, LaunchOrder
    pmix_find,      // u64 serial, int rank: what has it published?
    pmix_answer,    // u64 serial, int pmix_status_t, text: answers pmix_fence and pmix_get
    // PMIx server to its daemon
    pmix_ready,      // for each rank of the node its variables, NAME=value
    pmix_refused,    // text to the end: why there is no server
    pmix_connected,  // int rank
    pmix_finalized,  // int rank
    pmix_aborted,    // int rank, int status, text
    pmix_fence,      // u64 serial, FenceFrame
    pmix_get,        // u64 serial, int rank, text key
    pmix_found,      // u64 serial, int pmix_status_t, text: answers pmix_find
    // head to daemon; last, since heads of other versions have to understand a hello
    profile_taken  // u64 bytes: of profiles, so as many more may be sent
};

inline constexpr std::int32_t kAllRanks = -1;
/// In a frame's header: to all nodes.
inline constexpr std::uint16_t kAllNodes = 0xffff;
/// Bounds the job: each node has a number below kAllNodes.
inline constexpr std::size_t kMaxNodes = kAllNodes;
inline constexpr std::size_t kFrameHeaderBytes = 8;
/// A launch order has a few hundred bytes a rank and the user's environment, output comes in small pieces,
/// and a fence carries what all ranks have published.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 30;

class WireError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Builds a payload. Most code uses codec.hpp.
class WireWriter {
public:
    template <typename Number>
    requires std::is_arithmetic_v<Number> WireWriter& put(Number number)
    {
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
        return *this;
    }
    WireWriter& put(std::string_view text);
    /// Bytes without a length before them: the last part of a payload only.
    WireWriter& put_rest(std::string_view bytes);

    const std::string& bytes() const noexcept { return bytes_; }

private:
    std::string bytes_;
};

/// Reads a payload in the order in which it was built. Throws WireError where bytes are missing.
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

    template <typename Number>
    requires std::is_arithmetic_v<Number> Number number()
    {
        Number result;
        std::memcpy(&result, take(sizeof result).data(), sizeof result);
        return result;
    }
    std::string text();
    std::string_view rest() noexcept;
    bool is_at_end() const noexcept { return bytes_.empty(); }
    /// Throws when bytes are left over.
    void expect_end() const;

private:
    std::string_view take(std::size_t bytes);

    std::string_view bytes_;
};

struct Frame {
    FrameType type;
    std::uint16_t node;
    std::string_view payload;
};

/// Cuts a stream into frames.
class FrameParser {
public:
    void append(std::string_view bytes);
    /// The next whole frame into `frame`, its payload valid until the next append(); false when more bytes
    /// are needed. Throws WireError.
    bool next(Frame& frame);

private:
    std::string buffer_;
    std::size_t parsed_bytes_ = 0;
};

void append_frame(std::string& stream, const Frame& frame);
/// The bytes before the payload.
std::array<char, kFrameHeaderBytes> frame_header(const Frame& frame);

}  // namespace tutti::launcher
