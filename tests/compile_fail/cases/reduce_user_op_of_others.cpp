// expect: a user_op is called with two elements
#include <string>
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<int>& values)
{
    const auto concatenate = [](const std::string& a, const std::string& b) { return a + b; };
    world.allreduce(values, tutti::user_op(concatenate, tutti::non_commutative));
}
