// expect: this type cannot travel as its bytes
#include <string>
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const std::vector<std::string> words{"a", "b"};
    world.send(words, 1);
}
