#include "lib/core/communicators/communicator_board.hpp"

#include "lib/core/calls/call_signature.hpp"

namespace tutti::detail {

void compare_calls(const transport::shm::NodeBoard& memory)
{
    if (const auto found = memory.disagreement())
        throw mismatch(CallSignature(found->own), static_cast<int>(found->member),
                       CallSignature(found->theirs));
}

}  // namespace tutti::detail
