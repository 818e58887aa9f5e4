// What refuses a call that is written wrongly: its static_assert fails when somebody calls it.
#pragma once

#include "tutti/standard.hpp"

namespace tutti::detail {

template <class...>
inline constexpr bool always_false = false;

}  // namespace tutti::detail
