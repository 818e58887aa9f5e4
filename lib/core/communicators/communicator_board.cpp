#include "lib/core/communicators/communicator_board.hpp"

#include "lib/core/calls/call_signature.hpp"

namespace tutti::detail {

void CommunicatorBoard::check() const
{
    if (const auto other = memory_.disagreement())
        throw mismatch(CallSignature(memory_.signature()), static_cast<int>(other->member),
                       CallSignature(other->signature));
}

}  // namespace tutti::detail
