// Tags of calls that make communicators and have no order in common. Tags that programs give as numbers and
// as strings have numbers of their own.
#pragma once

#include <functional>
#include <string_view>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

inline constexpr int kNumberTags = detail::CommunicatorState::kCreateTags / 2;

/// MPI's tags have one bit more. Two calls are confused only if they overlap and their tags differ in that
/// bit alone.
inline int creation_tag(int tag)
{
    check_tag(tag);
    return tag % kNumberTags;
}
/// Equal at all ranks: they run the same library.
inline int creation_tag(const char* words)
{
    check_not_null(words, "stringtag");
    return kNumberTags + static_cast<int>(std::hash<std::string_view>()(words) % kNumberTags);
}

}  // namespace tutti::mpi
