#include "lib/core/check/persistent_buffer.hpp"

#include <fmt/format.h>

#include "lib/core/check/checker.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::check {

std::shared_ptr<const PersistentBuffer> PersistentBuffer::watch(detail::Process& process,
                                                                const detail::ConstView& view)
{
    const bool is_checked =
        process.checker() != nullptr && process.checker()->looks_for().buffers && view.size_bytes != 0;
    return is_checked ? std::make_shared<const PersistentBuffer>(process, view) : nullptr;
}

// A request that is not started again may lose its buffer.
PersistentBuffer::PersistentBuffer(detail::Process& process, const detail::ConstView& view)
    : process_(process),
      size_bytes_(view.size_bytes),
      buffer_(view.data, view.size_bytes, view.layout, WatchedBuffer::Freed::given_back)
{
}

void PersistentBuffer::look() const
{
    if (const auto mistake = buffer_.mistake("the start"))
        process_.checker()->add(Kind::buffer, site_,
                                fmt::format("persistent request of {} bytes: {}", size_bytes_, *mistake));
}

}  // namespace tutti::check
