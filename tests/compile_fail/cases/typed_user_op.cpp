// expect: a user_op needs elements of a C++ type
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, void* data)
{
    world.allreduce(tutti::typed(data, 4, tutti::DataType::int32),
                    tutti::user_op([](int a, int b) { return a * b; }, tutti::commutative));
}
