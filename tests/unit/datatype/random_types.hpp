// Random trees of the constructors of datatypes, each with the list of all its elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "tests/unit/datatype/naive_type.hpp"

namespace tutti::test {

using datatype::TypemapRef;

struct Both {
    TypemapRef type;
    NaiveType naive;
};

// A longer list shows nothing more.
inline constexpr std::size_t kManyElements = 100;

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
        return {datatype::basic(type), NaiveType::of(type)};
    }

    std::size_t count() { return static_cast<std::size_t>(number(0, 9) == 0 ? 0 : number(1, 3)); }

    // Half of all strides fit.
    std::ptrdiff_t stride(std::size_t block)
    {
        return number(0, 1) == 0 ? static_cast<std::ptrdiff_t>(block) : number(-4, 5);
    }

    static Both contiguous_made(std::size_t count, const Both& of)
    {
        Both made{datatype::contiguous(count, *of.type), {}};
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
        return {datatype::vector(blocks, block, step, *of.type),
                naive_vector(blocks, block, step * of.naive.extent(), of.naive)};
    }
    Both hvector_of(const Both& of)
    {
        const std::size_t blocks = count();
        const std::size_t block = count();
        const std::ptrdiff_t step = number(-40, 60);
        return {datatype::hvector(blocks, block, step, *of.type),
                naive_vector(blocks, block, step, of.naive)};
    }

    Both indexed_of(const Both& of)
    {
        std::vector<datatype::Block> blocks(count() * count());
        NaiveType naive;
        const bool same_count = number(0, 1) == 0;
        std::ptrdiff_t next = number(-3, 3);
        for (datatype::Block& block : blocks) {
            block = {number(0, 1) == 0 ? next : number(-4, 6), same_count ? 1 : count()};
            next = block.offset + static_cast<std::ptrdiff_t>(block.count);
            naive.add_block(of.naive, block.count, block.offset * of.naive.extent());
        }
        return {datatype::indexed(blocks, *of.type), naive};
    }
    Both hindexed_of(const Both& of)
    {
        std::vector<datatype::Block> blocks(count() + 1);
        NaiveType naive;
        for (datatype::Block& block : blocks) {
            block = {number(-50, 50), count()};
            naive.add_block(of.naive, block.count, block.offset);
        }
        return {datatype::hindexed(blocks, *of.type), naive};
    }

    Both structure_of(const Both& a, const Both& b)
    {
        std::vector<datatype::Member> members;
        NaiveType naive;
        const int most = number(1, 4);
        std::ptrdiff_t next = number(-10, 10);
        for (int i = 0; i < most; ++i) {
            const Both& of = number(0, 1) == 0 ? a : b;
            const datatype::Member member{number(0, 2) != 0 ? next : number(-60, 60), count(), of.type.get()};
            members.push_back(member);
            naive.add_block(of.naive, member.count, member.offset_bytes);
            next = member.offset_bytes + static_cast<std::ptrdiff_t>(member.count) * of.naive.extent();
        }
        return {datatype::structure(members), naive};
    }

    Both subarray_of(const Both& of)
    {
        std::vector<datatype::Dimension> dimensions(static_cast<std::size_t>(number(1, 3)));
        std::ptrdiff_t all = 1;
        for (datatype::Dimension& dimension : dimensions) {
            dimension.size = static_cast<std::size_t>(number(1, 4));
            dimension.taken = static_cast<std::size_t>(number(0, static_cast<int>(dimension.size)));
            dimension.start =
                static_cast<std::size_t>(number(0, static_cast<int>(dimension.size - dimension.taken)));
            all *= static_cast<std::ptrdiff_t>(dimension.size);
        }
        const datatype::Order order = number(0, 1) == 0 ? datatype::Order::c : datatype::Order::fortran;
        const TypemapRef type = datatype::subarray(dimensions, order, *of.type);
        if (order == datatype::Order::fortran)
            std::reverse(dimensions.begin(), dimensions.end());
        NaiveType naive;
        add_subarray(naive, dimensions, 0, of.naive);
        naive.lower_marks = {0};
        naive.upper_marks = {all * of.naive.extent()};
        return {type, naive};
    }
    // The elements of the dimensions, the slowest of which is the first one.
    static void add_subarray(NaiveType& naive, std::span<const datatype::Dimension> dimensions,
                             std::ptrdiff_t index, const NaiveType& of)
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
        Both made{datatype::resized(lower, extent, *of.type), of.naive};
        made.naive.lower_marks = {lower};
        made.naive.upper_marks = {lower + extent};
        return made;
    }

    std::mt19937 random_;
};

}  // namespace tutti::test
