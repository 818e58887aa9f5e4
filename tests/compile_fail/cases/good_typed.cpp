// expect: success
#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, const void* in, void* out, std::size_t count,
             tutti::DataType type, tutti::Op op)
{
    tutti::Request sum = world.iallreduce(tutti::typed(in, count, type), tutti::typed(out, count, type), op);
    tutti::PersistentRequest again = world.allreduce_init(tutti::typed(out, count, type), op);
    tutti::Request sent = world.isend(tutti::typed(in, count, type), 1);
    tutti::Request received = world.irecv(tutti::typed(out, count, type), 1);
    tutti::TypedBuffer<void*> named = tutti::typed(out, count, type);
    tutti::Request all = world.iallgather(tutti::typed(in, count, type), named);
}
