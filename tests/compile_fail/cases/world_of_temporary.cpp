// expect: use of deleted function
#include "tutti/environment.hpp"

tutti::Communicator snippet(int argc, char** argv)
{
    return tutti::Environment(argc, argv).world();
}
