// The elements of basic types in a transfer, in order, without their places.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/foundation/base/counted.hpp"
#include "tutti/data_type.hpp"

namespace tutti::datatype {

/// Elements of one basic type, or a repeated list of signatures. Cheap to copy: the list is shared. Its
/// memory depends on the user's description, not on the number of elements.
struct Signature {
    struct List;

    std::size_t elements = 0;
    std::size_t bytes = 0;
    std::size_t external_bytes = 0;   // in the portable form
    DataType type = DataType::uint8;  // of all elements, if there is no list
    base::Ref<const List> list;

    /// This signature, repeated. Throws ErrorCode::invalid_argument when it exceeds the address space.
    Signature times(std::size_t count) const;
    /// The parts one behind the other; throws as times().
    static Signature sequence(std::vector<Signature> parts);

    /// The number of whole elements in the first `size_bytes` bytes of the repeated signature.
    std::size_t whole_elements(std::size_t size_bytes) const noexcept;
    /// The bytes of the first `count` elements of the repeated signature, which has elements. Throws as
    /// times().
    std::size_t bytes_of(std::size_t count) const;

    /// Calls visit(signature of one type) for runs of elements in order. Runs of one type may follow each
    /// other.
    template <class Visit>
    void for_each_run(Visit&& visit) const;
};

struct Signature::List final : base::Counted<List> {
    std::vector<Signature> parts;
    std::size_t elements = 0;  // of all parts
    std::size_t bytes = 0;
};

template <class Visit>
void Signature::for_each_run(Visit&& visit) const
{
    if (!list) {
        if (elements != 0)
            visit(*this);
        return;
    }
    for (std::size_t i = 0; i < bytes / list->bytes; ++i)
        for (const Signature& part : list->parts)
            part.for_each_run(visit);
}

}  // namespace tutti::datatype
