#include "lib/mpi/object/strings.hpp"

#include <algorithm>
#include <cstddef>

#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

void copy_out(std::string_view from, char* to, int* length, std::size_t capacity)
{
    check_not_null(to, "the string");
    check_not_null(length, "resultlen");
    from = from.substr(0, capacity - 1);
    *std::ranges::copy(from, to).out = '\0';
    *length = static_cast<int>(from.size());
}

}  // namespace tutti::mpi
