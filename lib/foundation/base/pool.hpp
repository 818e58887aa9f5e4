// Objects of one type that are made and freed often: freed ones are reused.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace tutti::base {

/// Not thread-safe: its owner's lock protects it. Objects must be given back before its end.
template <class T>
class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool()
    {
        while (free_ != nullptr) {
            Free* const next = free_->next;
            ::operator delete(free_, kAlignment);
            free_ = next;
        }
    }

    template <class... Arguments>
    T& take(Arguments&&... arguments)
    {
        void* memory = free_;
        if (free_ != nullptr) [[likely]] {
            free_ = free_->next;
            --kept_;
        } else {
            memory = ::operator new(sizeof(T), kAlignment);
        }
        return *new (memory) T(std::forward<Arguments>(arguments)...);
    }

    void give_back(T& object)
    {
        object.~T();
        if (kept_ == kMostKept) [[unlikely]]
            return ::operator delete(&object, kAlignment);
        free_ = new (&object) Free{free_};
        ++kept_;
    }

private:
    // The content of freed memory.
    struct Free {
        Free* next;
    };

    static constexpr std::align_val_t kAlignment{alignof(T)};
    static constexpr std::size_t kMostKept = 4096;  // a burst must not keep its memory for ever

    static_assert(sizeof(T) >= sizeof(Free) && alignof(T) >= alignof(Free));

    Free* free_ = nullptr;
    std::size_t kept_ = 0;
};

}  // namespace tutti::base
