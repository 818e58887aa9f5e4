// expect: use of deleted function
#include "tutti/communicator.hpp"

tutti::Request snippet(const tutti::Request& request)
{
    return request;
}
