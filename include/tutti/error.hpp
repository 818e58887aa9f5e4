// The one error type of Tutti: what failed, in which operation, with which peer, and the remedy.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "tutti/standard.hpp"

namespace tutti {

/// Kinds of errors.
enum class ErrorCode {
    success,           // there is none
    truncated,         // a message was longer than the receive's buffer
    invalid_argument,  // an argument is out of its documented range
    invalid_rank,      // a rank outside the communicator
    invalid_tag,       // a tag below 0 where no wildcard is allowed
    out_of_memory,     // memory, shared memory or descriptors ran out
    peer_lost,         // a peer's process died or its connection broke
    cancelled,         // a receive before it matched, or a collective in which a rank takes no part
    not_supported,     // the call is right but cannot be served here
    protocol,          // bytes from a peer that no Tutti of this version sends
    bootstrap,         // the launcher or its PMIx server answered with an error
    system,            // the operating system refused a call
    file,              // the file system refused an access
    internal           // a defect in Tutti
};

/// The code's name: "truncated" for ErrorCode::truncated.
std::string_view to_string(ErrorCode code) noexcept;

/// Thrown by every Tutti call that fails.
///
/// `what()` is a whole sentence that names the operation, the remedy and, where they matter, the peer and
/// sizes. An uncaught Error ends the job with this rank and sentence.
class Error : public std::exception {
public:
    /// In place of a peer: there is none.
    static constexpr int kNoPeer = -1;

    /// `operation` is the call ("recv"), `detail` says what is wrong and the remedy, without the operation.
    Error(ErrorCode code, std::string_view operation, std::string_view detail, int peer = kNoPeer);

    /// The kind of error.
    ErrorCode code() const noexcept { return code_; }
    /// The call that failed: "recv".
    const std::string& operation() const noexcept { return operation_; }
    /// Rank of the peer in the communicator of the operation; kNoPeer if there is none.
    int peer() const noexcept { return peer_; }
    /// The whole sentence.
    const char* what() const noexcept override { return what_.c_str(); }

private:
    ErrorCode code_;
    std::string operation_;
    int peer_;
    std::string what_;
};

}  // namespace tutti
