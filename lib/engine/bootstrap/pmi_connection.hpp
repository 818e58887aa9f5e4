// A rank's connection to a launcher that speaks PMI-1.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/control/pmi_line.hpp"
#include "tutti/error.hpp"

namespace tutti::bootstrap {

[[noreturn]] void fail_by_pmi(std::string_view operation, const std::string& why, int rank = Error::kNoPeer);

/// The connection that the launcher names in PMI_FD. One question at a time, each has one answer.
class PmiConnection {
public:
    /// Throws unless the descriptor is a socket. Children that this process starts do not inherit it.
    explicit PmiConnection(int descriptor);

    /// Waits for the answer, up to `timeout_ms` milliseconds; -1: for ever. Throws tutti::Error (bootstrap)
    /// if its command is not `expected`, or if it reports trouble and `may_fail` is false.
    control::PmiLine ask(const control::PmiLine& question, std::string_view expected, bool may_fail = false,
                         int timeout_ms = -1);
    /// For a line without an answer. May be called while another thread waits in ask().
    void tell(const control::PmiLine& line);
    void close();

private:
    std::string read_line(int timeout_ms);

    std::mutex mutex_;
    base::UniqueFd socket_;
    std::string unread_;
};

}  // namespace tutti::bootstrap
