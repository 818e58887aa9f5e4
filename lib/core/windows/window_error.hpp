// What is wrong with the use of a window.
#pragma once

#include <cstdint>
#include <string_view>

#include "tutti/error.hpp"

namespace tutti::detail {

/// The kinds of wrong use: the interface of MPI has an error class for each.
enum class WindowFault : std::uint8_t {
    epoch,       // an operation outside an epoch that covers its target, or epochs that exclude each other
    range,       // memory outside the target's
    conflict,    // an access that conflicts with an earlier one of this rank
    attachment,  // attached twice, or detached and not attached
    flavor       // a call for windows of another flavor
};

class WindowError final : public Error {
public:
    WindowError(WindowFault fault, std::string_view operation, std::string_view detail, int peer = kNoPeer)
        : Error(ErrorCode::invalid_argument, operation, detail, peer), fault_(fault)
    {
    }

    WindowFault fault() const noexcept { return fault_; }

private:
    WindowFault fault_;
};

}  // namespace tutti::detail
