// expect: this type cannot travel as its bytes
#include <string_view>
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const std::vector<std::string_view> words{"trivially copyable", "and pointers all the same"};
    world.send(words, 1);
}
