// Datatypes as the MPI standard defines them: the list of all basic elements with their displacements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tutti/data_type.hpp"

namespace tutti::test {

struct NaiveType {
    struct Entry {
        DataType type;
        std::ptrdiff_t displacement;
    };
    std::vector<Entry> entries;
    std::vector<std::ptrdiff_t> lower_marks;
    std::vector<std::ptrdiff_t> upper_marks;

    static std::ptrdiff_t bytes_of(DataType type) { return static_cast<std::ptrdiff_t>(size_bytes(type)); }

    static NaiveType of(DataType type) { return {{{type, 0}}, {}, {}}; }

    // Another one's elements behind those that there are.
    void add(const NaiveType& other, std::ptrdiff_t displacement)
    {
        for (const Entry& entry : other.entries)
            entries.push_back({entry.type, entry.displacement + displacement});
        for (const std::ptrdiff_t mark : other.lower_marks)
            lower_marks.push_back(mark + displacement);
        for (const std::ptrdiff_t mark : other.upper_marks)
            upper_marks.push_back(mark + displacement);
    }
    void add_block(const NaiveType& other, std::size_t count, std::ptrdiff_t displacement)
    {
        const std::ptrdiff_t step = other.extent();
        for (std::size_t i = 0; i < count; ++i)
            add(other, displacement + static_cast<std::ptrdiff_t>(i) * step);
    }

    std::ptrdiff_t true_lower() const
    {
        std::optional<std::ptrdiff_t> least;
        for (const Entry& entry : entries)
            least = std::min(least.value_or(entry.displacement), entry.displacement);
        return least.value_or(0);
    }
    std::ptrdiff_t true_upper() const
    {
        std::optional<std::ptrdiff_t> most;
        for (const Entry& entry : entries)
            most = std::max(most.value_or(entry.displacement + bytes_of(entry.type)),
                            entry.displacement + bytes_of(entry.type));
        return most.value_or(0);
    }
    std::ptrdiff_t lower() const
    {
        return lower_marks.empty() ? true_lower() : *std::min_element(lower_marks.begin(), lower_marks.end());
    }
    std::ptrdiff_t upper() const
    {
        if (!upper_marks.empty())
            return *std::max_element(upper_marks.begin(), upper_marks.end());
        const std::ptrdiff_t extent = true_upper() - lower();
        return lower() + (extent + alignment() - 1) / alignment() * alignment();
    }
    std::ptrdiff_t extent() const { return upper() - lower(); }
    std::ptrdiff_t alignment() const
    {
        std::ptrdiff_t most = 1;
        for (const Entry& entry : entries)
            most = std::max(most, entry.type == DataType::complex128  ? 8
                                  : entry.type == DataType::complex64 ? 4
                                                                      : bytes_of(entry.type));
        return most;
    }

    // Where the bytes of `count` elements lie, in the order in which they travel.
    std::vector<std::ptrdiff_t> places(std::size_t count) const
    {
        std::vector<std::ptrdiff_t> found;
        const std::ptrdiff_t step = extent();
        for (std::size_t i = 0; i < count; ++i)
            for (const Entry& entry : entries)
                for (std::ptrdiff_t byte = 0; byte < bytes_of(entry.type); ++byte)
                    found.push_back(static_cast<std::ptrdiff_t>(i) * step + entry.displacement + byte);
        return found;
    }
};

}  // namespace tutti::test
