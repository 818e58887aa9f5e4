#include "tutti/archive.hpp"

#include <fmt/format.h>

namespace tutti {

void OutputArchive::enter()
{
    if (++depth_ > kMaxNesting)
        throw Error(ErrorCode::invalid_argument, "serialize",
                    fmt::format("the object nests deeper than {} levels; send its parts as a flat sequence",
                                kMaxNesting));
}

void InputArchive::enter()
{
    if (++depth_ > kMaxNesting)
        fail(fmt::format("the object nests deeper than {} levels", kMaxNesting));
}

std::size_t InputArchive::read_count(std::size_t element_bytes)
{
    std::uint64_t count = 0;
    read(&count, sizeof count);
    if (count > remaining() / element_bytes)
        fail(fmt::format("{} elements are announced, but only {} bytes follow", count, remaining()));
    return count;
}

void InputArchive::expect_end() const
{
    if (remaining() != 0)
        fail(fmt::format("{} bytes are left over", remaining()));
}

void InputArchive::fail(std::string_view detail) const
{
    throw Error(ErrorCode::protocol, operation_,
                fmt::format("{} at byte {} of {}; serialize and deserialize must name the same type", detail,
                            position_, bytes_.size()),
                peer_);
}

void InputArchive::fail_truncated(std::size_t wanted_bytes) const
{
    fail(fmt::format("{} bytes are needed, but only {} follow", wanted_bytes, remaining()));
}

}  // namespace tutti
