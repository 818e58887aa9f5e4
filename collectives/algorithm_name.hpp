// Algorithms as users name them: `ring`, or with the size of its segments `chain:65536`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "collectives/call.hpp"
#include "collectives/catalogue.hpp"

namespace tutti::collectives {

/// Throws tutti::Error (invalid_argument) in the name of `operation` for any text that names no algorithm of
/// the collective; it says which there are, and `otherwise`, what else can be done.
Selection parse_algorithm(const CollectiveEntry& collective, std::string_view text,
                          std::string_view operation, std::string_view otherwise);

namespace detail {
Selection named(CallKind kind, std::string_view algorithm);
}

/// What the option of a call says; nothing where `algorithm` is empty. `kind` is a collective of the
/// catalogue. Throws as parse_algorithm does.
inline Selection ask_for(CallKind kind, std::string_view algorithm)
{
    return algorithm.empty() ? Selection{} : detail::named(kind, algorithm);
}

/// How many algorithms a call of that kind has; any value.
std::size_t count_of_algorithms(CallKind kind) noexcept;

/// "ring", "chain in segments of 64 KiB"; any values have a text. The size counts only where there are
/// segments.
std::string describe(CallKind kind, const Selection& selection);

}  // namespace tutti::collectives
