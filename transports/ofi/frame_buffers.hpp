// The transport's own memory for sending and receiving frames.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "transports/ofi/endpoint.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::ofi {

struct FrameBuffer : FabricOperation {
    FrameBuffer(Kind what, std::span<std::byte> bytes, void* registered) noexcept
        : FabricOperation(what), memory(bytes), descriptor(registered)
    {
    }

    const std::span<std::byte> memory;
    void* const descriptor;  // nullptr where the provider needs none
    int peer = -1;           // the peer that a send goes to
};

/// Buffers of one size, allocated in slabs and kept until the end. Pages that no frame reaches cost nothing.
class BufferPool {
public:
    /// `registrar`: nullptr if the provider wants no registration. It outlives the pool.
    BufferPool(FabricOperation::Kind kind, std::size_t size_bytes, Registrar* registrar)
        : kind_(kind),
          size_bytes_((size_bytes + kAlignment - 1) / kAlignment * kAlignment),
          registrar_(registrar)
    {
    }
    ~BufferPool() { clear(); }
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    FrameBuffer& take()
    {
        if (free_.empty())
            add_slab();
        FrameBuffer& taken = *free_.back();  // the last one that was given back is still in the cache
        free_.pop_back();
        return taken;
    }
    void give_back(FrameBuffer& buffer) { free_.push_back(&buffer); }

    /// Ends the registrations. No operation may still use a buffer.
    void clear() noexcept
    {
        for (const Slab& slab : slabs_)
            if (slab.registration)
                registrar_->remove(*slab.registration);
        free_.clear();
        buffers_.clear();
        slabs_.clear();
    }

private:
    static constexpr std::size_t kAlignment = 64;
    static constexpr std::size_t kBuffersASlab = 16;

    struct Delete {
        void operator()(std::byte* memory) const noexcept
        {
            ::operator delete[](memory, std::align_val_t{kAlignment});
        }
    };
    struct Slab {
        std::unique_ptr<std::byte[], Delete> memory;
        std::optional<Registration> registration;
    };

    void add_slab()
    {
        const std::size_t bytes = size_bytes_ * kBuffersASlab;
        Slab slab;
        slab.memory.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment})));
        void* descriptor = nullptr;
        if (registrar_ != nullptr) {
            slab.registration = registrar_->add({slab.memory.get(), bytes});
            if (!slab.registration)
                throw Error(ErrorCode::out_of_memory, "fabric",
                            "the provider registers no more memory for frames; raise the limit of locked "
                            "memory (ulimit -l)");
            descriptor = slab.registration->descriptor;
        }
        for (std::size_t i = 0; i < kBuffersASlab; ++i) {
            const std::span memory(slab.memory.get() + i * size_bytes_, size_bytes_);
            free_.push_back(&buffers_.emplace_back(kind_, memory, descriptor));
        }
        slabs_.push_back(std::move(slab));
    }

    const FabricOperation::Kind kind_;
    const std::size_t size_bytes_;
    Registrar* const registrar_;
    std::vector<Slab> slabs_;
    std::deque<FrameBuffer> buffers_;
    std::vector<FrameBuffer*> free_;
};

}  // namespace tutti::transport::ofi
