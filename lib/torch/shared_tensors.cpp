#include "lib/torch/shared_tensors.hpp"

#include <c10/core/CPUAllocator.h>

#include <cstring>
#include <utility>

#include "tutti/allocate.hpp"

namespace torch_tutti {

namespace {

constexpr std::size_t kLeastBytes = 1024;

thread_local bool shares = false;

/// Torch's own allocator, except for threads that share. It is in use only while one shares, so that other
/// tensors are made as ever.
class SharedAllocator final : public at::Allocator {
public:
    explicit SharedAllocator(at::Allocator& otherwise) : otherwise_(otherwise) {}

    // Without "override", as each version of torch has some of these: the first one is const in old versions.
    at::DataPtr allocate(std::size_t bytes) { return std::as_const(*this).allocate(bytes); }
    at::DataPtr allocate(std::size_t bytes) const
    {
        if (!shares || bytes < kLeastBytes)
            return otherwise_.allocate(bytes);
        void* const memory = tutti::allocate(bytes);
        return {memory, memory, tutti::deallocate, at::kCPU};
    }
    void copy_data(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }

private:
    at::Allocator& otherwise_;
};

}  // namespace

void share_new_tensors(bool share)
{
    static at::Allocator& otherwise = *c10::GetCPUAllocator();
    static SharedAllocator allocator(otherwise);
    shares = share;
    c10::SetCPUAllocator(share ? &allocator : &otherwise);
}

}  // namespace torch_tutti
