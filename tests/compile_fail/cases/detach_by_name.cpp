// expect: tutti: the request is given away: std::move(request).detach()
#include "tutti/communicator.hpp"

void snippet(tutti::Request& sent)
{
    sent.detach();
}
