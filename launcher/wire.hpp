// What head and daemon say to each other: frames of `u32 length, u16 type, payload` over a byte stream.
//
// Numbers travel in the machine's own order: all nodes of a job run the same tuttirun. Parsing trusts
// nothing: bytes that no tuttirun sends end in a WireError, never in a wild read or a huge allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tutti::launcher {

enum class FrameType : std::uint16_t {
    // head to daemon
    launch = 1,    // LaunchOrder
    stdin_data,    // i32 rank (kAllRanks), bytes to the end; no bytes: end of file
    output_taken,  // u64 bytes: the head's writer has taken them, so as many more may be sent
    send_signal,   // i32 signal, to every process group of the job
    end_job,       // i32 signal to start with; SIGKILL follows after the grace period
    // daemon to head
    output,        // i32 rank, u8 channel, bytes to the end; no bytes: end of file
    stdin_taken,   // u64 bytes
    start_failed,  // i32 rank, i32 errno, string: why a rank could not be started
    exited,        // ExitReport
    aborted,       // i32 rank, i32 pid, i32 status, string message
    all_exited,    // no process of the job is left on the daemon's node
    bye            // all output was sent before this
};

inline constexpr std::int32_t kAllRanks = -1;
inline constexpr std::size_t kFrameHeaderBytes = 6;
/// A launch order carries a few hundred bytes a rank and the users' environment; output comes in small
/// pieces.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{64} << 20;

class WireError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Builds a payload.
class WireWriter {
public:
    template <typename Number>
    requires std::is_arithmetic_v<Number> WireWriter& put(Number number)
    {
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
        return *this;
    }
    WireWriter& put(std::string_view text);
    WireWriter& put(const std::vector<std::string>& texts);
    WireWriter& put(const std::vector<int>& numbers);
    /// Bytes without a length in front: only as the last part of a payload.
    WireWriter& put_rest(std::string_view bytes);

    const std::string& bytes() const noexcept { return bytes_; }

private:
    std::string bytes_;
};

/// Takes a payload apart in the order in which it was built. Throws WireError where bytes are missing.
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
    std::vector<std::string> texts();
    std::vector<int> numbers();
    std::string_view rest() noexcept;
    /// Throws when bytes are left over.
    void expect_end() const;

private:
    std::string_view take(std::size_t bytes);
    /// A count of elements of at least `element_bytes` each, checked against the bytes that are left.
    std::size_t count(std::size_t element_bytes);

    std::string_view bytes_;
};

/// Cuts a stream into frames.
class FrameParser {
public:
    struct Frame {
        FrameType type;
        std::string_view payload;  // valid until the next append()
    };

    void append(std::string_view bytes);
    /// The next whole frame into `frame`; false when more bytes are needed. Throws WireError.
    bool next(Frame& frame);

private:
    std::string buffer_;
    std::size_t parsed_bytes_ = 0;
};

void append_frame(std::string& stream, FrameType type, std::string_view payload);

}  // namespace tutti::launcher
