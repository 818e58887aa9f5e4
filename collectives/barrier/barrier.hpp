// The algorithms for barrier; costs and sources are in the file of each.
#pragma once

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task barrier_board(Group& group);
Task barrier_flat(Group& group);
Task barrier_binomial(Group& group);
Task barrier_dissemination(Group& group);
Task barrier_hierarchical(Group& group);

}  // namespace tutti::collectives
