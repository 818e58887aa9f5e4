// A token goes round all ranks: every rank waits for its neighbour, so with more ranks than cores this
// measures how fast ranks yield to each other.
#pragma once

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/session.hpp"
#include "benchmarks/suite/validate.hpp"

namespace tutti::bench {

inline constexpr int kTokenTag = 3;

/// One round. Needs two ranks or more.
template <Backend B>
void pass_token(B& job, Bytes out, Bytes in)
{
    const int next = (job.rank() + 1) % job.size();
    const int previous = (job.rank() + job.size() - 1) % job.size();
    if (job.rank() == 0) {
        job.send(out, next, kTokenTag);
        job.recv(in, previous, kTokenTag);
    } else {
        job.recv(in, previous, kTokenTag);
        job.send(out, next, kTokenTag);
    }
}

template <Backend B>
void token_ring(Session<B>& session)
{
    B& job = session.job();
    session.open(Start::free);
    session.each_size(1, [&](Buffers& buffers, std::size_t size_bytes) {
        const std::optional<bool> valid =
            session.checked([&] { return validate_ring(job, buffers, size_bytes); });
        const Bytes out = buffers.out.bytes(size_bytes);
        const Bytes in = buffers.in.bytes(size_bytes);
        session.row(
            static_cast<double>(size_bytes),
            session.sampler().iterations(Over::root, Start::free, [&] { pass_token(job, out, in); }),
            [&](double us) { return us / job.size(); }, valid);
    });
}

}  // namespace tutti::bench
