// The loops over all ranks: collectives and the barrier.
#pragma once

#include <algorithm>
#include <string>

#include "benchmarks/suite/blocks.hpp"
#include "benchmarks/suite/session.hpp"
#include "benchmarks/suite/validate.hpp"

namespace tutti::bench {

/// Barriers back to back.
template <Job B>
void barriers(Session<B>& session)
{
    session.open(Start::free);
    B& job = session.job();
    session.row({}, session.sampler().iterations(Over::slowest, Start::free, [&] { job.barrier(); }),
                [](double us) { return us; });
}

/// A collective of `size_bytes`, always from or to rank 0 where it has a root, as OSU does: the tree's leaves
/// are the same ranks each time.
template <Job B, class Prepare, class Call, class Check>
void collective(Session<B>& session, std::size_t blocks, Prepare prepare, Call call, Check check)
{
    const Start start = session.start();
    session.open(start);
    session.each_size(blocks, [&](Buffers& buffers, std::size_t size_bytes) {
        const std::optional<bool> valid = session.checked([&] { return check(buffers, size_bytes); });
        prepare(buffers, size_bytes);
        session.row(
            static_cast<double>(size_bytes),
            session.sampler().iterations(Over::slowest, start, [&] { call(buffers, size_bytes); }),
            [](double us) { return us; }, valid);
    });
}

template <Job B>
void broadcasts(Session<B>& session)
{
    B& job = session.job();
    collective(
        session, 1, [](auto&, auto) {},
        [&](Buffers& buffers, std::size_t size_bytes) { job.broadcast(buffers.in.bytes(size_bytes), 0); },
        [&](Buffers& buffers, std::size_t size_bytes) {
            return validate_broadcast(job, buffers, size_bytes);
        });
}

/// allreduce (everywhere) or reduce to rank 0, of floats.
template <class B>
void sums(Session<B>& session, bool everywhere)
{
    B& job = session.job();
    session.require_whole_floats();
    const auto call = [&](std::span<const float> in, std::span<float> out) {
        if (everywhere)
            job.allreduce(in, out);
        else
            job.reduce(in, out, 0);
    };
    collective(
        session, 1,
        // Ones: repeated sums must not run into denormals or infinities, which take other times.
        [](Buffers& buffers, std::size_t size_bytes) {
            std::ranges::fill(buffers.out.floats(size_bytes), 1.0f);
        },
        [&](Buffers& buffers, std::size_t size_bytes) {
            call(buffers.out.floats(size_bytes), buffers.in.floats(size_bytes));
        },
        [&](Buffers& buffers, std::size_t size_bytes) {
            return validate_sum(job, buffers, size_bytes, everywhere, call);
        });
}

/// allgather, alltoall, gather, scatter, reduce_scatter.
template <class B>
void block_collectives(Session<B>& session)
{
    B& job = session.job();
    const std::string name = session.name();
    const auto ranks = static_cast<std::size_t>(job.size());
    if (name == "reduce_scatter")
        session.require_whole_floats();
    collective(
        session, ranks,
        [&](Buffers& buffers, std::size_t size_bytes) {
            if (name == "reduce_scatter")
                std::ranges::fill(buffers.out.floats(size_bytes * ranks), 1.0f);
        },
        [&](Buffers& buffers, std::size_t size_bytes) { BlockCollective(job, name, buffers, size_bytes)(); },
        [&](Buffers& buffers, std::size_t size_bytes) {
            return BlockCollective(job, name, buffers, size_bytes).validate();
        });
}

template <class B>
void collectives(Session<B>& session)
{
    const std::string name = session.name();
    if (name == "barrier")
        barriers(session);
    else if (name == "broadcast")
        broadcasts(session);
    else if (name == "allreduce" || name == "reduce")
        sums(session, name == "allreduce");
    else
        block_collectives(session);
}

}  // namespace tutti::bench
