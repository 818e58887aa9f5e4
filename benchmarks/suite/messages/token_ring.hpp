// A token goes round all ranks: every rank waits for its neighbour, so with more ranks than cores this
// measures how fast ranks yield to each other, be it that they wait in recv, or poll.
#pragma once

#include <string_view>

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

inline constexpr int kTokenTag = 3;

/// What a rank calls until the token is there.
enum class Waiting { recv, test, iprobe, improbe };

/// The call that the benchmark's name says: "ring_test".
constexpr Waiting waiting_of(std::string_view benchmark) noexcept
{
    return benchmark.ends_with("_test")      ? Waiting::test
           : benchmark.ends_with("_iprobe")  ? Waiting::iprobe
           : benchmark.ends_with("_improbe") ? Waiting::improbe
                                             : Waiting::recv;
}

/// Nothing is done between two looks: programs that poll do little there.
template <Job B>
void await_token(B& job, Waiting waiting, Bytes in, int source)
{
    switch (waiting) {
        case Waiting::recv:
            return job.recv(in, source, kTokenTag);
        case Waiting::test: {
            typename B::Request request = job.irecv(in, source, kTokenTag);
            while (!job.test(request)) {
            }
            return;
        }
        case Waiting::iprobe:
            while (!job.iprobe(source, kTokenTag)) {
            }
            return job.recv(in, source, kTokenTag);
        case Waiting::improbe:
            while (!job.improbe_recv(in, source, kTokenTag)) {
            }
            return;
    }
}

/// One round. Needs two ranks or more.
template <Job B>
void pass_token(B& job, Waiting waiting, Bytes out, Bytes in)
{
    const int next = (job.rank() + 1) % job.size();
    const int previous = (job.rank() + job.size() - 1) % job.size();
    if (job.rank() == 0) {
        job.send(out, next, kTokenTag);
        await_token(job, waiting, in, previous);
    } else {
        await_token(job, waiting, in, previous);
        job.send(out, next, kTokenTag);
    }
}

template <Backend B>
void token_ring(Session<B>& session)
{
    B& job = session.job();
    const Waiting waiting = waiting_of(session.name());
    session.open(Start::free);
    session.each_size(1, [&](Buffers& buffers, std::size_t size_bytes) {
        const Bytes out = buffers.out.bytes(size_bytes);
        const Bytes in = buffers.in.bytes(size_bytes);
        const auto step = [&] { pass_token(job, waiting, out, in); };
        const std::optional<bool> valid = session.checked([&] {
            const bool handed_on = validate_ring(job, buffers, size_bytes);
            return validate_step(job, out, in, true, step) && handed_on;
        });
        session.row(
            static_cast<double>(size_bytes), session.sampler().iterations(Over::root, Start::free, step),
            [&](double us) { return us / job.size(); }, valid);
    });
}

}  // namespace tutti::bench
