// What a benchmark may ask of the library under test. Every loop is written once over this concept and
// compiled against each library, so that the libraries run the same code.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "benchmarks/suite/job.hpp"
#include "tutti/reduction.hpp"

namespace tutti::bench {

/// One joined job. The operations are the plain calls that a user would make, without hidden copies.
/// A default-constructed Request is inactive, and waiting for it returns at once. A Reduction is an operator
/// on elements of one type, looked up once: `reduction(in, inout)` makes inout = in op inout, locally.
template <class B>
concept Backend = requires(B& job, Bytes in, ConstBytes out, std::span<float> sum,
                           std::span<const float> term, typename B::Request& request,
                           std::span<typename B::Request> requests, const typename B::Reduction& reduction)
{
    requires std::default_initializable<typename B::Request>;
    // The library's own allocator.
    {
        B::memory()
        } -> std::same_as<Memory>;
    {
        B::kAnySource
        } -> std::convertible_to<int>;
    {
        B::library()
        } -> std::convertible_to<std::string>;
    {
        job.rank()
        } -> std::same_as<int>;
    {
        job.size()
        } -> std::same_as<int>;
    job.send(out, 0, 0);
    job.recv(in, 0, 0);
    {
        job.isend(out, 0, 0)
        } -> std::same_as<typename B::Request>;
    {
        job.irecv(in, 0, 0)
        } -> std::same_as<typename B::Request>;
    job.wait(request);
    job.wait_all(requests);
    // Makes progress; whether it is complete does not matter.
    job.test(request);
    job.barrier();
    job.broadcast(in, 0);
    job.allreduce(term, sum);
    job.reduce(term, sum, 0);
    // Blocks of equal size, a rank each, in the order of ranks.
    job.allgather(out, in);
    job.alltoall(out, in);
    job.gather(out, in, 0);
    job.scatter(out, in, 0);
    job.reduce_scatter(term, sum);
    {
        job.ibroadcast(in, 0)
        } -> std::same_as<typename B::Request>;
    {
        job.iallreduce(term, sum)
        } -> std::same_as<typename B::Request>;
    {
        job.iallgather(out, in)
        } -> std::same_as<typename B::Request>;
    {
        job.ialltoall(out, in)
        } -> std::same_as<typename B::Request>;
    // Nothing where the library has no such operator on such elements.
    {
        B::reduction(Op::sum, DataType::float32)
        } -> std::same_as<std::optional<typename B::Reduction>>;
    reduction(out, in);
};

}  // namespace tutti::bench
