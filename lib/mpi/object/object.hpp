// The objects behind handles. Predefined handles are numbers below 4096; the handle of a created object is
// its address.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "lib/foundation/base/counted.hpp"

namespace tutti::mpi {

struct Object;

// For tuttirun --check (live_handles.hpp): the program gets a handle, and frees it. Any thread.
void note_handle(const Object& object) noexcept;
void forget_handle(const void* object) noexcept;

enum class Kind : std::uint32_t {
    communicator,
    datatype,
    error_handler,
    file,
    group,
    info,
    message,
    op,
    window
};

/// The start of every object. `self` is its handle as long as it lives, so that handles of freed objects and
/// other addresses are found out.
struct Object {
    Object(Kind which, std::uintptr_t handle) noexcept
        : self(handle != 0 ? handle : reinterpret_cast<std::uintptr_t>(this)), kind(which)
    {
        if (handle == 0)
            note_handle(*this);
    }
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    ~Object() { forget_handle(this); }

    // Memory of freed objects is not given back, so that their handles can still be looked at, and reused as
    // late as possible. Any thread.
    static void* operator new(std::size_t bytes);
    static void operator delete(void* memory, std::size_t bytes) noexcept;

    std::uintptr_t self;
    Kind kind;
    mutable std::atomic<std::uint32_t> references{1};  // the handle's
};

/// Base of a kind of objects. T has `Handle`, `kFirst` (the lowest predefined handle), `kPredefined` (the
/// number of those from there on) and `kKind`.
template <class T>
struct ObjectOf : Object {
    /// `handle`: of a predefined object.
    explicit ObjectOf(std::uintptr_t handle = 0) noexcept : Object(T::kKind, handle) {}

    /// The program frees its handle.
    void free_handle() const noexcept
    {
        forget_handle(this);
        drop_reference();
    }
    // Relaxed: only the owner of a reference copies it.
    void add_reference() const noexcept { references.fetch_add(1, std::memory_order_relaxed); }
    // Release, and acquire for the last one: all other uses of the object come before its end.
    void drop_reference() const noexcept
    {
        if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete static_cast<const T*>(this);
    }
};

/// The program never frees predefined objects.
inline bool is_predefined(const Object& object) noexcept
{
    return object.self < 4096;
}

/// A reference beside the handle's.
using base::Ref;

/// The predefined objects by handle - kFirst; nullptr: no object, or not yet initialised.
template <class T, std::size_t kCount>
using Predefined = std::array<T*, kCount>;

template <class T>
typename T::Handle handle_of(const T& object) noexcept
{
    return reinterpret_cast<typename T::Handle>(object.self);
}

/// nullptr if the handle is none of an object of this kind.
template <class T>
T* find(typename T::Handle handle) noexcept
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value - T::kFirst < T::kPredefined) [[likely]]
        return T::predefined[value - T::kFirst];
    if (value < 4096 || value % alignof(Object) != 0) [[unlikely]]
        return nullptr;
    Object* const object = reinterpret_cast<Object*>(value);
    return object->self == value && object->kind == T::kKind ? static_cast<T*>(object) : nullptr;
}

}  // namespace tutti::mpi
