// Attributes: values under keys that a program keeps with communicators, datatypes and windows. Its callbacks
// run without any lock of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "lib/foundation/base/counted.hpp"
#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/object.hpp"

namespace tutti::mpi {

template <class Handle>
struct AttributeFunctions;
template <>
struct AttributeFunctions<MPI_Comm> {
    using Copy = MPI_Comm_copy_attr_function;
    using Delete = MPI_Comm_delete_attr_function;
};
template <>
struct AttributeFunctions<MPI_Datatype> {
    using Copy = MPI_Type_copy_attr_function;
    using Delete = MPI_Type_delete_attr_function;
};
template <>
struct AttributeFunctions<MPI_Win> {
    using Copy = MPI_Win_copy_attr_function;
    using Delete = MPI_Win_delete_attr_function;
};

/// A key of attributes. Attributes keep it after the program has freed it.
template <class Handle>
struct Keyval : base::Counted<Keyval<Handle>> {
    using Copy = typename AttributeFunctions<Handle>::Copy;
    using Delete = typename AttributeFunctions<Handle>::Delete;

    Keyval(Copy* copies, Delete* deletes, void* extra) noexcept
        : copy(copies), remove(deletes), extra_state(extra)
    {
    }

    Copy* copy;
    Delete* remove;
    void* extra_state;
    /// The number of attributes under this key. Under the mutex of all attributes.
    mutable std::size_t attributes = 0;
};

/// The number of a new key. Numbers are never used again, and no two kinds of objects share one. Any thread.
template <class Handle>
int add_keyval(const Keyval<Handle>& key);
/// A key that attributes keep may be freed again: copies of its number do not know of each other. Throws
/// Failure for a number that is no key's.
template <class Handle>
void free_keyval(int number);

/// The attributes of an object. Any thread. What calls callbacks gets the object's handle for them, and
/// returns MPI_SUCCESS or the code of the first callback that fails. Throws Failure for a number that is no
/// key's.
template <class Handle>
class Attributes {
public:
    /// Whether there is one, which is stored.
    bool get(int number, void** value) const;
    int set(Handle object, int number, void* value);
    /// Does nothing if there is no such attribute.
    int remove(Handle object, int number);

    /// `to` has none yet, and those copied so far after a failure.
    int copy_to(Handle object, Attributes& to) const;
    /// The one that was set last goes first.
    int remove_all(Handle object);

private:
    struct Attribute {
        int number;
        base::Ref<const Keyval<Handle>> key;
        void* value;
    };

    // Whether there is one, which is copied.
    bool take(int number, Attribute& found) const;
    void add(Attribute attribute);
    void forget(int number);

    // By the times at which they were set. Programs may have many thousands.
    std::map<std::uint64_t, Attribute> in_order_;
    std::unordered_map<int, std::uint64_t> set_at_;
    std::uint64_t now_ = 0;
};

/// Duplicates inherit attributes, and objects lose them before they are freed. T is Communicator, Datatype or
/// Window, which has no duplicate. Not under the engine's lock.
template <class T>
int copy_attributes(const T& from, T& to)
{
    return from.attributes.copy_to(handle_of(from), to.attributes);
}
template <class T>
int delete_attributes(T& of)
{
    return of.attributes.remove_all(handle_of(of));
}

}  // namespace tutti::mpi
