#include "lib/foundation/datatype/signature.hpp"

#include <utility>

#include "lib/foundation/datatype/arithmetic.hpp"

namespace tutti::datatype {

namespace {

// Adds the part to the last one if both have the same type.
bool joins(Signature& last, const Signature& part) noexcept
{
    if (last.list.get() != part.list.get() || (!part.list && last.type != part.type) ||
        last.external_bytes / last.elements != part.external_bytes / part.elements)
        return false;
    last.elements += part.elements;
    last.bytes += part.bytes;
    last.external_bytes += part.external_bytes;
    return true;
}

}  // namespace

Signature Signature::times(std::size_t count) const
{
    Signature made = *this;
    made.elements = size_product(elements, count);
    made.bytes = size_product(bytes, count);
    made.external_bytes = size_product(external_bytes, count);
    return made;
}

Signature Signature::sequence(std::vector<Signature> parts)
{
    Signature all;
    std::vector<Signature> kept;
    for (Signature& part : parts) {
        if (part.bytes == 0)
            continue;
        all.elements = size_sum(all.elements, part.elements);
        all.bytes = size_sum(all.bytes, part.bytes);
        all.external_bytes = size_sum(all.external_bytes, part.external_bytes);
        if (kept.empty() || !joins(kept.back(), part))
            kept.push_back(std::move(part));
    }
    if (kept.size() <= 1)
        return kept.empty() ? all : std::move(kept[0]);
    auto* const list = new List;
    all.list = base::Ref<const List>(list);
    list->parts = std::move(kept);
    list->elements = all.elements;
    list->bytes = all.bytes;
    return all;
}

std::size_t Signature::whole_elements(std::size_t size_bytes) const noexcept
{
    if (bytes == 0)
        return 0;
    if (!list)
        return size_bytes / (bytes / elements);
    std::size_t found = size_bytes / list->bytes * list->elements;
    std::size_t rest = size_bytes % list->bytes;
    for (const Signature& part : list->parts) {
        if (rest < part.bytes)
            return found + part.whole_elements(rest);
        found += part.elements;
        rest -= part.bytes;
    }
    return found;
}

std::size_t Signature::bytes_of(std::size_t count) const
{
    if (!list)
        return size_product(count, bytes / elements);
    std::size_t found = size_product(count / list->elements, list->bytes);
    std::size_t rest = count % list->elements;
    for (const Signature& part : list->parts) {
        if (rest < part.elements)
            return size_sum(found, part.bytes_of(rest));
        found = size_sum(found, part.bytes);
        rest -= part.elements;
    }
    return found;
}

}  // namespace tutti::datatype
