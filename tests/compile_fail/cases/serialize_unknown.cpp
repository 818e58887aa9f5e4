// expect: Give it a function template serialize_fields(Archive&, T&) in its namespace
#include <memory>
#include <vector>

#include "tutti/serialize.hpp"

std::vector<std::byte> snippet(const std::unique_ptr<int>& pointer)
{
    return tutti::serialize(pointer);
}
