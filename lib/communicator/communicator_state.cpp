#include "lib/communicator/communicator_state.hpp"

#include <algorithm>

#include "lib/communicator/process.hpp"

namespace tutti::detail {

CommunicatorState::CommunicatorState(Process& process, std::uint64_t id, std::vector<int> members, int rank)
    : process_(process), id_(id), members_(std::move(members)), rank_(rank)
{
    placement_.one_node =
        std::ranges::all_of(members_, [&](int member) { return process_.is_local(member); });
    placement_.more_ranks_than_cores = process_.shared_cores();
}

}  // namespace tutti::detail
