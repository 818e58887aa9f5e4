// What a benchmark may ask of the library under test. Every loop is written once over this concept and
// compiled against each library, so that the libraries run the same code.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>

#include "benchmarks/suite/collective_backend.hpp"
#include "benchmarks/suite/job.hpp"
#include "benchmarks/suite/joined.hpp"
#include "tutti/reduction.hpp"

namespace tutti::bench {

/// Messages between two ranks: the plain calls that a user would make, without hidden copies. A
/// default-constructed Request is inactive, and waiting for it returns at once. A Persistent is started again
/// and again, with the buffer that it was made for.
template <class B>
concept Messages = requires(B& job, Bytes in, ConstBytes out, typename B::Request& request,
                            std::span<typename B::Request> requests, typename B::Persistent& persistent,
                            std::span<typename B::Persistent> persistents)
{
    requires std::default_initializable<typename B::Request>;
    {
        B::kAnySource
        } -> std::convertible_to<int>;
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
    {
        job.send_init(out, 0, 0)
        } -> std::same_as<typename B::Persistent>;
    {
        job.recv_init(in, 0, 0)
        } -> std::same_as<typename B::Persistent>;
    job.start(persistent);
    job.start_all(persistents);
    job.wait(persistent);
    job.wait_all(persistents);
};

/// One joined job with all that there is. A Reduction is an operator on elements of one type, looked up once:
/// `reduction(in, inout)` makes inout = in op inout, locally.
template <class B>
concept Backend = CollectiveBackend<B> && Messages<B> &&
    requires(B& job, Bytes in, ConstBytes out, const typename B::Reduction& reduction)
{
    // The library's own allocator.
    {
        B::memory()
        } -> std::same_as<Memory>;
    {
        job.joined()
        } -> std::convertible_to<Joined>;
    // Nothing where the library has no such operator on such elements.
    {
        B::reduction(Op::sum, DataType::float32)
        } -> std::same_as<std::optional<typename B::Reduction>>;
    reduction(out, in);
};

}  // namespace tutti::bench
