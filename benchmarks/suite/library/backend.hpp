// What a benchmark may ask of the library under test. Every loop is written once over this concept and
// compiled against each library, so that the libraries run the same code.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "benchmarks/suite/library/collective_backend.hpp"
#include "benchmarks/suite/library/job_under_test.hpp"
#include "benchmarks/suite/library/joined.hpp"
#include "benchmarks/suite/library/window_kind.hpp"
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
    // Whether the operation is complete, the message there, and the message received, by a matched probe.
    {
        job.test(request)
        } -> std::same_as<bool>;
    {
        job.iprobe(0, 0)
        } -> std::same_as<bool>;
    {
        job.improbe_recv(in, 0, 0)
        } -> std::same_as<bool>;
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

/// Windows have the names of tutti::Window; what differs between libraries is here. `kind` says whether
/// `memory` is the window's or only gives its size.
template <class B>
concept OneSided = requires(B& job, std::span<std::int64_t> memory,
                            typename B::template Window<std::int64_t>& window,
                            typename B::template Target<std::int64_t>& target, std::int64_t& word)
{
    {
        job.window(WindowKind::allocate, memory)
        } -> std::same_as<typename B::template Window<std::int64_t>>;
    // Complete at the latest after the target's flush or the end of the epoch.
    B::fetch_and_add(target, word, word);
    B::compare_and_swap(target, word, word, word);
    // Complete when it returns, in an epoch of a lock.
    B::next_of(target, word, word);
};

/// One joined job with all that there is. A Reduction is an operator on elements of one type, looked up once:
/// `reduction(in, inout)` makes inout = in op inout, locally.
template <class B>
concept Backend = CollectiveBackend<B> && Messages<B> && OneSided<B> &&
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
