// expect: tutti: the thread level is an option
#include "tutti/environment.hpp"

void snippet(int argc, char** argv)
{
    tutti::Environment environment(argc, argv, tutti::ThreadLevel::multiple);
}
