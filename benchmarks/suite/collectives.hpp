// The loops over collectives: blocking, and persistent.
#pragma once

#include <optional>

#include "benchmarks/suite/collective_backend.hpp"
#include "benchmarks/suite/collective_data.hpp"
#include "benchmarks/suite/session.hpp"
#include "benchmarks/suite/validate.hpp"

namespace tutti::bench {

/// One collective of one size, ready to be called, in buffers that are borrowed.
template <CollectiveBackend B>
class CollectiveStep {
public:
    CollectiveStep(Session<B>& session, Buffers& buffers, std::size_t size_bytes)
        : session_(session),
          data_(*session.benchmark().collective, session.options().element(), size_bytes,
                session.options().in_place, session.job().rank(), session.job().size(),
                session.options().root),
          in_(buffers.out.bytes(0).data()),
          out_(buffers.in.bytes(0).data()),
          prepared_(session.job().prepare(data_.call(in_, out_)))
    {
    }

    typename B::Prepared& prepared() noexcept { return prepared_; }

    /// Whether `call`, which makes the call once, leaves what it must at all ranks. A barrier moves nothing.
    template <class Call>
    bool right(Call call)
    {
        data_.fill(in_, out_);
        call();
        return none_wrong(session_.job(), data_.wrong_bytes(out_));
    }

    /// The same where the command line asks for it and there are data; then the buffers get what is timed.
    template <class Call>
    std::optional<bool> check(Call call)
    {
        std::optional<bool> valid;
        if (data_.buffer_bytes() > 0)
            valid = session_.checked([&] { return right(call); });
        data_.fill_with_ones(in_, out_);
        return valid;
    }

private:
    Session<B>& session_;
    CollectiveData data_;
    std::byte* in_;
    std::byte* out_;
    typename B::Prepared prepared_;
};

/// measure(step, key of the row, bytes) for each size; once, without a key, where the collective has none.
template <CollectiveBackend B, class Measure>
void each_step(Session<B>& session, Measure measure)
{
    if (session.benchmark().sizes.max_bytes == 0) {
        Buffers nothing(0);
        CollectiveStep<B> step(session, nothing, 0);
        session.expect_rows(1);
        session.begin_row();
        measure(step, std::optional<double>(), std::size_t{0});
        return;
    }
    const std::size_t blocks =
        CollectiveData(*session.benchmark().collective, DataType::int8, 1, false, 0, session.job().size())
            .buffer_bytes();
    session.each_size(blocks, [&](Buffers& buffers, std::size_t size_bytes) {
        CollectiveStep<B> step(session, buffers, size_bytes);
        measure(step, std::optional<double>(static_cast<double>(size_bytes)), size_bytes);
    });
}

/// Barriers keep ranks together themselves: one after the other, as OSU's.
template <Job B>
Start start_of(const Session<B>& session)
{
    return session.benchmark().collective == Collective::barrier ? Start::free : session.start();
}

/// Always from or to one rank where there is a root, as OSU does: the tree's leaves are the same ranks each
/// time.
template <CollectiveBackend B>
void collectives(Session<B>& session)
{
    const Start start = start_of(session);
    session.open(start);
    each_step(session, [&](CollectiveStep<B>& step, std::optional<double> key, std::size_t) {
        typename B::Prepared& prepared = step.prepared();
        const std::optional<bool> valid = step.check([&] { prepared.run(); });
        session.row(
            key, session.sampler().iterations(Over::slowest, start, [&] { prepared.run(); }),
            [](double us) { return us; }, valid);
    });
}

/// From start to wait; the request is made before the clock starts. There are libraries (MPICH 4.0.2: gather
/// and scatter) whose requests do their work once, when they are made or first started: times of nothing, so
/// that the second start is looked at even when nobody asks for checks.
template <CollectiveBackend B>
void persistent_collectives(Session<B>& session)
{
    B& job = session.job();
    const Start start = start_of(session);
    bool opened = false;
    each_step(session, [&](CollectiveStep<B>& step, std::optional<double> key, std::size_t) {
        typename B::Persistent request = step.prepared().persistent();
        const auto call = [&] {
            job.start(request);
            job.wait(request);
        };
        call();
        // Not before it is known that the library has it, the header is printed.
        if (!std::exchange(opened, true)) {
            if (!session.options().validate && !step.right(call))
                throw NotOffered("its requests move wrong bytes when they are started again");
            session.open(start);
        }
        const std::optional<bool> valid = step.check(call);
        session.row(
            key, session.sampler().iterations(Over::slowest, start, call), [](double us) { return us; },
            valid);
    });
}

}  // namespace tutti::bench
