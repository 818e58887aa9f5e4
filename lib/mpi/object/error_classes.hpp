// What the error classes mean, for codes without a sentence of their own.
#pragma once

#include <string_view>

namespace tutti::mpi {

std::string_view meaning_of_class(int error_class) noexcept;

}  // namespace tutti::mpi
