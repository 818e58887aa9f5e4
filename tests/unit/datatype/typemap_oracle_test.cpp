// Random trees of constructors, against the list of all elements.
#include <catch2/catch.hpp>

#include "lib/foundation/datatype/transfer.hpp"
#include "tests/unit/datatype/random_types.hpp"

namespace {

using namespace tutti::datatype;
using tutti::DataType;
using namespace tutti::test;

// What differs; nothing where all is as it should be.
const char* wrong_bounds(const Typemap& type, const NaiveType& naive)
{
    if (type.size_bytes() != naive.places(1).size())
        return "size";
    if (type.lower_bound() != naive.lower() || type.upper_bound() != naive.upper() ||
        type.extent_bytes() != naive.extent())
        return "bounds";
    if (type.true_lower_bound() != naive.true_lower() ||
        type.true_extent_bytes() != naive.true_upper() - naive.true_lower())
        return "true bounds";
    if (static_cast<std::ptrdiff_t>(type.alignment()) != naive.alignment())
        return "alignment";
    const auto places = naive.places(3);
    bool together = true;
    for (std::size_t i = 1; i < places.size(); ++i)
        together = together && places[i] == places[i - 1] + 1;
    return type.is_contiguous() == together ? nullptr : "contiguous";
}

const char* wrong_signature(const Signature& signature, const NaiveType& naive)
{
    std::vector<DataType> types;
    signature.for_each_run([&](const Signature& run) { types.insert(types.end(), run.elements, run.type); });
    if (types.size() != naive.entries.size() || types.size() != signature.elements)
        return "number of elements";
    std::size_t begin = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i] != naive.entries[i].type)
            return "types of elements";
        const std::size_t end = begin + tutti::size_bytes(types[i]);
        if (signature.whole_elements(begin) != i || signature.whole_elements(end - 1) != i ||
            signature.whole_elements(begin + 2 * signature.bytes) != i + 2 * types.size())
            return "whole elements";
        if (signature.bytes_of(i) != begin ||
            signature.bytes_of(i + 2 * types.size()) != begin + 2 * signature.bytes)
            return "bytes of elements";
        begin = end;
    }
    return nullptr;
}

// Packs and unpacks `count` elements in pieces that random numbers cut.
const char* wrong_transfer(const Typemap& type, const NaiveType& naive, std::size_t count,
                           RandomTypes& random)
{
    const std::vector<std::ptrdiff_t> places = naive.places(count);
    if (places.empty())
        return nullptr;
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    const std::ptrdiff_t base = -*least;
    std::vector<std::byte> object(static_cast<std::size_t>(*most - *least) + 1);
    for (std::byte& byte : object)
        byte = static_cast<std::byte>(random.number(0, 255));
    std::vector<std::byte> expected;
    for (const std::ptrdiff_t place : places)
        expected.push_back(object[static_cast<std::size_t>(base + place)]);
    std::vector<std::ptrdiff_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    const bool overlaps = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();

    const auto size = static_cast<int>(places.size());
    for (int way = 0; way < 6; ++way) {
        const int longest = way == 0 ? size : way == 1 ? 1 : random.number(1, size);
        std::vector<std::byte> wire(places.size());
        std::vector<std::byte> back(object.size(), std::byte{0xee});
        for (int from = 0; from < size;) {
            const int length = std::min(way <= 1 ? longest : random.number(0, longest), size - from);
            const auto start = static_cast<std::size_t>(from);
            const auto part = std::span(wire).subspan(start, static_cast<std::size_t>(length));
            pack(type, count, object.data() + base, start, part);
            if (!overlaps)
                unpack(type, count, back.data() + base, start, part);
            from += length;
        }
        if (wire != expected)
            return "what was packed";
        std::vector<std::byte> unpacked(object.size(), std::byte{0xee});
        for (const std::ptrdiff_t place : places)
            unpacked[static_cast<std::size_t>(base + place)] = object[static_cast<std::size_t>(base + place)];
        if (!overlaps && back != unpacked)
            return "what was unpacked";
    }
    return nullptr;
}

}  // namespace

TEST_CASE("types are what their lists of elements say")
{
    std::size_t checked = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        RandomTypes random(seed);
        const Both both = random.make(random.number(0, 5));
        if (both.naive.entries.size() > kManyElements)
            continue;
        INFO("seed " << seed);
        const char* wrong = wrong_bounds(*both.type, both.naive);
        if (wrong == nullptr)
            wrong = wrong_signature(both.type->signature(), both.naive);
        for (std::size_t count = 1; count <= 3 && wrong == nullptr; ++count)
            wrong = wrong_transfer(*both.type, both.naive, count, random);
        if (wrong != nullptr)
            FAIL(wrong);
        ++checked;
    }
    CHECK(checked > 1500);
}
