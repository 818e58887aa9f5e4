// Objects of one type that come and go often: freed ones are kept for the next taker.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace tutti::base {

/// Not thread-safe: its owner's lock protects it. Objects taken must be given back before the pool dies.
template <class T>
class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool()
    {
        for (void* memory : free_)
            ::operator delete (memory, std::align_val_t{alignof(T)});
    }

    template <class... Arguments>
    T& take(Arguments&&... arguments)
    {
        void* memory = nullptr;
        if (free_.empty()) {
            memory = ::operator new (sizeof(T), std::align_val_t{alignof(T)});
        } else {
            memory = free_.back();
            free_.pop_back();
        }
        return *new (memory) T(std::forward<Arguments>(arguments)...);
    }

    void give_back(T& object)
    {
        object.~T();
        if (free_.size() < kMostKept)
            free_.push_back(&object);
        else
            ::operator delete (&object, std::align_val_t{alignof(T)});
    }

private:
    static constexpr std::size_t kMostKept = 4096;  // a burst must not hold its memory for ever

    std::vector<void*> free_;
};

}  // namespace tutti::base
