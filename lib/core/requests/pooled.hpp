// Holding a pooled object until somebody else takes it over.
#pragma once

#include <utility>

#include "lib/foundation/base/pool.hpp"

namespace tutti::detail {

/// Takes an object from a pool and gives it back unless it was released. Under the lock that guards the pool.
template <class T>
class Pooled {
public:
    explicit Pooled(base::Pool<T>& pool) : pool_(pool), object_(&pool.take()) {}
    Pooled(const Pooled&) = delete;
    Pooled& operator=(const Pooled&) = delete;
    ~Pooled()
    {
        if (object_ != nullptr)
            pool_.give_back(*object_);
    }

    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_; }
    /// The caller now has to give it back.
    T& release() noexcept { return *std::exchange(object_, nullptr); }

private:
    base::Pool<T>& pool_;
    T* object_;
};

}  // namespace tutti::detail
