// Immutable objects with several owners: the count lies in the object, and a reference is one pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tutti::base {

/// Base of an object made by new that lives as long as a Ref to it exists. T is the derived class.
template <class T>
class Counted {
public:
    Counted() noexcept = default;
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    // Relaxed: only the owner of a reference copies it, so nothing needs to be published.
    void add_reference() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    // Release, and acquire for the last one: all other uses of the object come before its end.
    void drop_reference() const noexcept
    {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete static_cast<const T*>(this);
    }

protected:
    ~Counted() = default;

private:
    mutable std::atomic<std::uint32_t> references_{0};
};

/// A reference to a Counted object, or none.
template <class T>
class Ref {
public:
    Ref() noexcept = default;
    explicit Ref(T* object) noexcept : object_(object)
    {
        if (object_ != nullptr)
            object_->add_reference();
    }
    Ref(const Ref& other) noexcept : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept
    {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref()
    {
        if (object_ != nullptr)
            object_->drop_reference();
    }

    T* get() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    T* object_ = nullptr;
};

}  // namespace tutti::base
