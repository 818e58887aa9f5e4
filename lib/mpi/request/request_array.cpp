#include "lib/mpi/request/request_array.hpp"

namespace tutti::mpi {

RequestArray::RequestArray(int count, const MPI_Request* requests)
{
    check_array("array_of_requests", requests, count);
    const auto size = static_cast<std::size_t>(count);
    if (size > few_.size())
        many_.resize(size);
    operations_ = std::span(size > few_.size() ? many_.data() : few_.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
        operations_[i] = state_of(requests[i]);
        any_active_ = any_active_ || operations_[i] != nullptr;
    }
}

}  // namespace tutti::mpi
