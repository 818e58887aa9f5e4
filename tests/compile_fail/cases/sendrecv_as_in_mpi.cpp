// expect: tutti: sendrecv(out, destination, send_tag, in, source, recv_tag)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* values)
{
    world.sendrecv(values, 4, 1, 0, values, 4, 0, 0);
}
