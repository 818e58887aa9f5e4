// How fast one rank combines two arrays without communication: every operator on every type that the library
// has, and the most that a core can read and write.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/suite/collectives/combining.hpp"
#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "lib/foundation/reduction/types.hpp"

namespace tutti::bench {

/// Bytes of an operand that a measurement processes, at every size: some 10 ms.
inline constexpr std::size_t kReducedBytes = std::size_t{64} << 20;

/// The number of iterations for kReducedBytes.
inline LoopCount reduction_loop(std::size_t size_bytes)
{
    return {static_cast<int>(std::max<std::size_t>(3, kReducedBytes / (size_bytes + 1))), 1};
}

struct OperatorOnType {
    Op op;
    DataType type;
};

/// The available operators and types of the named ones (no name: all).
inline std::vector<OperatorOnType> reductions_named(const std::vector<std::string>& ops,
                                                    const std::vector<std::string>& types)
{
    const auto wanted = [](const std::vector<std::string>& names, std::string_view name) {
        return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<OperatorOnType> found;
    for (const DataType type : reduction::all_types()) {
        for (std::size_t i = 0; i < reduction::kOpCount; ++i) {
            const Op op = static_cast<Op>(i);
            if (is_defined(op, type) && wanted(ops, reduction::to_string(op)) &&
                wanted(types, reduction::to_string(type)))
                found.push_back({op, type});
        }
    }
    return found;
}

/// The type's one: its sums and products reach no subnormals or infinities, which take other times.
inline std::vector<std::byte> one_of(DataType type)
{
    std::vector<std::byte> element(size_bytes(type));
    const auto put = [&](auto value) { std::memcpy(element.data(), &value, sizeof value); };
    switch (value_type(type)) {
        case DataType::float16:
            put(float16(1.0f).bits());
            break;
        case DataType::bfloat16:
            put(bfloat16(1.0f).bits());
            break;
        case DataType::float32:
        case DataType::complex64:
            put(1.0f);
            break;
        case DataType::float64:
        case DataType::complex128:
            put(1.0);
            break;
        case DataType::long_double:
        case DataType::complex_long_double:
            put(1.0L);
            break;
        default:
            element[0] = std::byte{1};  // of integers, the lowest byte comes first
    }
    return element;
}

inline void fill_with_ones(Bytes data, DataType type)
{
    if (data.empty())
        return;
    const std::vector<std::byte> one = one_of(type);
    std::memcpy(data.data(), one.data(), one.size());
    // By doubling copies: filling memory word by word leaves the processor slow for the first passes.
    for (std::size_t filled = one.size(); filled < data.size();) {
        const std::size_t more = std::min(filled, data.size() - filled);
        std::memcpy(data.data() + filled, data.data(), more);
        filled += more;
    }
}

/// GB/s (GB = 10^9 bytes) that `call` reads and writes, when one call does so with `bytes`.
template <class Call>
double gigabytes_a_second(std::size_t bytes, LoopCount loop, Call call)
{
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        call();
    }
    const double us = now_us() - start;
    return static_cast<double>(bytes) * loop.iterations / us / 1000;
}

/// The limit: the least work of any reduction.
inline double combining_bandwidth(Buffers& buffers, std::size_t size_bytes, LoopCount loop)
{
    const Bytes in = buffers.out.bytes(size_bytes);
    const Bytes inout = buffers.in.bytes(size_bytes);
    return gigabytes_a_second(combined_bytes(size_bytes), loop,
                              [&] { combine_words(inout.data(), in.data(), size_bytes); });
}

/// A reduction into one of its operands reads both and writes one.
template <class Reduction>
double reduction_bandwidth(const Reduction& reduction, DataType type, Buffers& buffers,
                           std::size_t size_bytes, LoopCount loop)
{
    const std::size_t whole = size_bytes / tutti::size_bytes(type) * tutti::size_bytes(type);
    const Bytes in = buffers.out.bytes(whole);
    const Bytes inout = buffers.in.bytes(whole);
    fill_with_ones(in, type);
    fill_with_ones(inout, type);
    return gigabytes_a_second(combined_bytes(whole), loop, [&] { reduction(in, inout); });
}

/// For each size one row for the limit, then one for each operator and type of the library. If several ranks
/// measure at once, they share the memory's rate, and their mean counts.
template <Backend B>
void reduction_kernels(Session<B>& session)
{
    const SuiteOptions& options = session.options();
    session.open(Start::barrier, {.labels = {"Operator", "Type"}, .ratio = "Of limit"});
    std::vector<OperatorOnType> wanted = reductions_named(options.ops, options.types);
    std::erase_if(wanted, [](const OperatorOnType& one) { return !B::reduction(one.op, one.type); });
    const auto each = [&](Buffers& buffers, std::size_t size_bytes) {
        const LoopCount usual = reduction_loop(size_bytes);
        const auto measured = [&](std::vector<std::string> labels, auto bandwidth) {
            Row row = row_of(static_cast<double>(size_bytes),
                             session.sampler().rounds(Over::mean, usual, bandwidth),
                             [](double value) { return value; });
            row.labels = std::move(labels);
            return row;
        };
        Row limit = measured({"limit", "words"},
                             [&](LoopCount loop) { return combining_bandwidth(buffers, size_bytes, loop); });
        limit.reference = limit.summary.median;
        session.row(limit);
        for (const auto& [op, type] : wanted) {
            const std::vector<std::string> labels{std::string(reduction::to_string(op)),
                                                  reduction::to_string(type)};
            session.begin_row(fmt::format("size {}, {} of {}", size_bytes, labels[0], labels[1]));
            Row row = measured(labels, [&, known = *B::reduction(op, type), element = type](LoopCount loop) {
                return reduction_bandwidth(known, element, buffers, size_bytes, loop);
            });
            row.reference = limit.reference;
            session.row(row);
        }
    };
    session.each_size(1, each, 1 + wanted.size());
}

}  // namespace tutti::bench
