// What collectives need from the library under test: calls that are described once and made in one of three
// forms.
#pragma once

#include <concepts>

#include "benchmarks/suite/library/described_call.hpp"
#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

/// All ranks prepare the same calls in the same order. prepare(), or the form's own call, throws NotOffered
/// if the library lacks the operation.
template <class B>
concept CollectiveBackend = Job<B> &&
    requires(B& job, const DescribedCall& call, typename B::Prepared& prepared, typename B::Request& request,
             typename B::Persistent& persistent)
{
    {
        job.prepare(call)
        } -> std::same_as<typename B::Prepared>;
    prepared.run();
    {
        prepared.start()
        } -> std::same_as<typename B::Request>;
    job.wait(request);
    // Makes progress; whether it is complete does not matter.
    job.test(request);
    {
        prepared.persistent()
        } -> std::same_as<typename B::Persistent>;
    job.start(persistent);
    job.wait(persistent);
};

}  // namespace tutti::bench
