// Random trees of constructors, against the list of all elements.
#include <catch2/catch.hpp>
#include <random>

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tests/unit/datatype/naive_type.hpp"

namespace {

using namespace tutti::datatype;
using tutti::DataType;
using tutti::test::NaiveType;

struct Both {
    TypemapRef type;
    NaiveType naive;
};

// A longer list shows nothing more.
constexpr std::size_t kManyElements = 100;

class RandomTypes {
public:
    explicit RandomTypes(unsigned seed) : random_(seed) {}

    Both make(int levels)
    {
        if (levels == 0)
            return leaf();
        const Both of = make(levels - 1);
        if (of.naive.entries.size() > kManyElements)
            return of;
        switch (number(0, 7)) {
            case 0:
                return contiguous_of(of);
            case 1:
                return vector_of(of);
            case 2:
                return hvector_of(of);
            case 3:
                return indexed_of(of);
            case 4:
                return hindexed_of(of);
            case 5:
                return structure_of(of, make(number(0, levels - 1)));
            case 6:
                return subarray_of(of);
            default:
                return resized_of(of);
        }
    }

    int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

private:
    Both leaf()
    {
        constexpr DataType kTypes[] = {DataType::int8,    DataType::int16,      DataType::int32,
                                       DataType::float64, DataType::complex64,  DataType::complex128,
                                       DataType::boolean, DataType::long_double};
        const DataType type = kTypes[number(0, 7)];
        return {basic(type), NaiveType::of(type)};
    }

    std::size_t count() { return static_cast<std::size_t>(number(0, 9) == 0 ? 0 : number(1, 3)); }

    // Half of all strides fit.
    std::ptrdiff_t stride(std::size_t block)
    {
        return number(0, 1) == 0 ? static_cast<std::ptrdiff_t>(block) : number(-4, 5);
    }

    static Both contiguous_made(std::size_t count, const Both& of)
    {
        Both made{contiguous(count, *of.type), {}};
        made.naive.add_block(of.naive, count, 0);
        return made;
    }
    Both contiguous_of(const Both& of) { return contiguous_made(count(), of); }

    static NaiveType naive_vector(std::size_t count, std::size_t block, std::ptrdiff_t stride_bytes,
                                  const NaiveType& of)
    {
        NaiveType made;
        for (std::size_t i = 0; i < count; ++i)
            made.add_block(of, block, static_cast<std::ptrdiff_t>(i) * stride_bytes);
        return made;
    }
    Both vector_of(const Both& of)
    {
        const std::size_t blocks = count();
        const std::size_t block = count();
        const std::ptrdiff_t step = stride(block);
        return {vector(blocks, block, step, *of.type),
                naive_vector(blocks, block, step * of.naive.extent(), of.naive)};
    }
    Both hvector_of(const Both& of)
    {
        const std::size_t blocks = count();
        const std::size_t block = count();
        const std::ptrdiff_t step = number(-40, 60);
        return {hvector(blocks, block, step, *of.type), naive_vector(blocks, block, step, of.naive)};
    }

    Both indexed_of(const Both& of)
    {
        std::vector<Block> blocks(count() * count());
        NaiveType naive;
        const bool same_count = number(0, 1) == 0;
        std::ptrdiff_t next = number(-3, 3);
        for (Block& block : blocks) {
            block = {number(0, 1) == 0 ? next : number(-4, 6), same_count ? 1 : count()};
            next = block.offset + static_cast<std::ptrdiff_t>(block.count);
            naive.add_block(of.naive, block.count, block.offset * of.naive.extent());
        }
        return {indexed(blocks, *of.type), naive};
    }
    Both hindexed_of(const Both& of)
    {
        std::vector<Block> blocks(count() + 1);
        NaiveType naive;
        for (Block& block : blocks) {
            block = {number(-50, 50), count()};
            naive.add_block(of.naive, block.count, block.offset);
        }
        return {hindexed(blocks, *of.type), naive};
    }

    Both structure_of(const Both& a, const Both& b)
    {
        std::vector<Member> members;
        NaiveType naive;
        const int most = number(1, 4);
        std::ptrdiff_t next = number(-10, 10);
        for (int i = 0; i < most; ++i) {
            const Both& of = number(0, 1) == 0 ? a : b;
            const Member member{number(0, 2) != 0 ? next : number(-60, 60), count(), of.type.get()};
            members.push_back(member);
            naive.add_block(of.naive, member.count, member.offset_bytes);
            next = member.offset_bytes + static_cast<std::ptrdiff_t>(member.count) * of.naive.extent();
        }
        return {structure(members), naive};
    }

    Both subarray_of(const Both& of)
    {
        std::vector<Dimension> dimensions(static_cast<std::size_t>(number(1, 3)));
        std::ptrdiff_t all = 1;
        for (Dimension& dimension : dimensions) {
            dimension.size = static_cast<std::size_t>(number(1, 4));
            dimension.taken = static_cast<std::size_t>(number(0, static_cast<int>(dimension.size)));
            dimension.start =
                static_cast<std::size_t>(number(0, static_cast<int>(dimension.size - dimension.taken)));
            all *= static_cast<std::ptrdiff_t>(dimension.size);
        }
        const Order order = number(0, 1) == 0 ? Order::c : Order::fortran;
        const TypemapRef type = subarray(dimensions, order, *of.type);
        if (order == Order::fortran)
            std::reverse(dimensions.begin(), dimensions.end());
        NaiveType naive;
        add_subarray(naive, dimensions, 0, of.naive);
        naive.lower_marks = {0};
        naive.upper_marks = {all * of.naive.extent()};
        return {type, naive};
    }
    // The elements of the dimensions, the slowest of which is the first one.
    static void add_subarray(NaiveType& naive, std::span<const Dimension> dimensions, std::ptrdiff_t index,
                             const NaiveType& of)
    {
        if (dimensions.empty())
            return naive.add(of, index * of.extent());
        const auto& [size, taken, start] = dimensions[0];
        for (std::size_t i = start; i < start + taken; ++i)
            add_subarray(naive, dimensions.subspan(1),
                         index * static_cast<std::ptrdiff_t>(size) + static_cast<std::ptrdiff_t>(i), of);
    }

    Both resized_of(const Both& of)
    {
        const std::ptrdiff_t lower = number(-20, 20);
        const std::ptrdiff_t extent = number(0, 1) == 0 ? of.naive.extent() : number(-30, 80);
        Both made{resized(lower, extent, *of.type), of.naive};
        made.naive.lower_marks = {lower};
        made.naive.upper_marks = {lower + extent};
        return made;
    }

    std::mt19937 random_;
};

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
