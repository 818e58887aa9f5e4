// Names of algorithms: `ring`, or with a segment size `chain:65536`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "collectives/choice/catalogue.hpp"
#include "collectives/framework/call.hpp"

namespace tutti::collectives {

/// Throws tutti::Error (invalid_argument) with the name of `operation` if the text names no algorithm of the
/// collective. The error lists the algorithms and `otherwise`, the other remedy.
Selection parse_algorithm(const CollectiveEntry& collective, std::string_view text,
                          std::string_view operation, std::string_view otherwise);

namespace detail {
Selection named(CallKind kind, std::string_view algorithm);
}

/// The algorithm option of a call; none if `algorithm` is empty. `kind` is a collective of the catalogue.
/// Throws as parse_algorithm does.
inline Selection ask_for(CallKind kind, std::string_view algorithm)
{
    return algorithm.empty() ? Selection{} : detail::named(kind, algorithm);
}

/// Number of algorithms of a call of any kind.
std::size_t count_of_algorithms(CallKind kind) noexcept;

/// "ring", "chain in segments of 64 KiB"; any value has a text. The size appears only for algorithms with
/// segments.
std::string describe(CallKind kind, const Selection& selection);

}  // namespace tutti::collectives
