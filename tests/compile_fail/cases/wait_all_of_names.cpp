// expect: tutti: wait_all takes an array or a std::vector of requests
#include "tutti/communicator.hpp"

void snippet(tutti::Request& sent, tutti::Request& received)
{
    tutti::wait_all(sent, received);
}
