// The collectives that move a block between each rank and others: the calls, and what must come out of them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "benchmarks/suite/buffers.hpp"
#include "benchmarks/suite/job.hpp"
#include "benchmarks/suite/validate.hpp"

namespace tutti::bench {

/// One of allgather, alltoall, gather, scatter and reduce_scatter, with blocks of `size_bytes` a rank; rank 0
/// is the root. Buffers have room for a block a rank.
template <Job B>
class BlockCollective {
public:
    BlockCollective(B& job, std::string_view name, Buffers& buffers, std::size_t size_bytes)
        : job_(job),
          name_(name),
          size_bytes_(size_bytes),
          ranks_(static_cast<std::size_t>(job.size())),
          out_(buffers.out),
          in_(buffers.in)
    {
    }

    void operator()()
    {
        const std::size_t all_bytes = ranks_ * size_bytes_;
        if (name_ == "allgather")
            job_.allgather(out_.bytes(size_bytes_), in_.bytes(all_bytes));
        else if (name_ == "alltoall")
            job_.alltoall(out_.bytes(all_bytes), in_.bytes(all_bytes));
        else if (name_ == "gather")
            job_.gather(out_.bytes(size_bytes_), in_.bytes(all_bytes), 0);
        else if (name_ == "scatter")
            job_.scatter(out_.bytes(all_bytes), in_.bytes(size_bytes_), 0);
        else
            job_.reduce_scatter(out_.floats(all_bytes), in_.floats(size_bytes_));
    }

    /// Runs it once with known data. True, at rank 0, when all ranks got what they must.
    bool validate()
    {
        const std::size_t wrong = name_ == "reduce_scatter" ? wrong_sums() : wrong_blocks();
        return none_wrong(job_, wrong);
    }

private:
    // The pattern of the block that goes from one rank to another.
    std::size_t pattern(std::size_t from, std::size_t to) const
    {
        return name_ == "allgather" || name_ == "gather" ? 31 * from : 31 * from + 7 * to;
    }

    std::size_t wrong_blocks()
    {
        const auto own = static_cast<std::size_t>(job_.rank());
        const bool one_out = name_ == "allgather" || name_ == "gather";
        for (std::size_t to = 0; to < (one_out ? 1 : ranks_); ++to)
            fill_pattern(block(out_, to), pattern(own, to));
        (*this)();
        if (name_ == "gather" && own != 0)
            return 0;
        std::size_t wrong = 0;
        for (std::size_t from = 0; from < (name_ == "scatter" ? 1 : ranks_); ++from)
            wrong += wrong_bytes(block(in_, from), pattern(from, own));
        return wrong;
    }

    std::size_t wrong_sums()
    {
        const std::span<float> terms = out_.floats(ranks_ * size_bytes_);
        for (std::size_t i = 0; i < terms.size(); ++i)
            terms[i] = static_cast<float>(i % 97) + static_cast<float>(job_.rank());
        (*this)();
        const auto ranks = static_cast<float>(ranks_);
        const std::span<float> sums = in_.floats(size_bytes_);
        const std::size_t first = static_cast<std::size_t>(job_.rank()) * sums.size();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < sums.size(); ++i)
            wrong +=
                sums[i] != ranks * static_cast<float>((first + i) % 97) + ranks * (ranks - 1) / 2 ? 1 : 0;
        return wrong;
    }

    Bytes block(Buffer& buffer, std::size_t index) const
    {
        return buffer.bytes(ranks_ * size_bytes_).subspan(index * size_bytes_, size_bytes_);
    }

    B& job_;
    std::string_view name_;
    std::size_t size_bytes_;
    std::size_t ranks_;
    Buffer& out_;
    Buffer& in_;
};

}  // namespace tutti::bench
