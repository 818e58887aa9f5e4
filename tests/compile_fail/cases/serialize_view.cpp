// expect: this type is not known
#include <string_view>

#include "tutti/serialize.hpp"

std::vector<std::byte> snippet()
{
    return tutti::serialize(std::string_view("owns nothing, and could not be read back"));
}
