// expect: a receive buffer's elements must not be const
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const void* data)
{
    world.recv(tutti::typed(data, 4, tutti::DataType::int32));
}
