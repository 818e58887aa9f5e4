// Holds a pooled object until another owner takes it over.
#pragma once

#include <utility>

#include "lib/foundation/base/pool.hpp"

namespace tutti::detail {

/// Takes an object from a pool and gives it back unless it was released. Under the pool's lock.
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
    /// The caller has to give it back from now on.
    T& release() noexcept { return *std::exchange(object_, nullptr); }

private:
    base::Pool<T>& pool_;
    T* object_;
};

}  // namespace tutti::detail
