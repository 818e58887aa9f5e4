// expect: tutti::recv_serialized<std::vector<T>>
#include <string>

#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world)
{
    tutti::recv_vector<std::string>(world, 0);
}
