// The loops over collectives: blocking, and persistent.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "benchmarks/suite/collectives/collective_data.hpp"
#include "benchmarks/suite/library/collective_backend.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/touch.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// One collective of one size, ready to be called, in buffers that are borrowed. Where its root changes from
/// call to call, it is prepared for every root, and all ranks take the same turns.
template <CollectiveBackend B>
class CollectiveStep {
public:
    CollectiveStep(Session<B>& session, Buffers& buffers, std::size_t size_bytes)
        : session_(session), in_(buffers.out.bytes(0).data()), out_(buffers.in.bytes(0).data())
    {
        const SuiteOptions& options = session.options();
        CollectivePart part{.collective = *session.benchmark().collective,
                            .type = options.element(),
                            .size_bytes = size_bytes,
                            .in_place = options.in_place,
                            .rank = session.job().rank(),
                            .ranks = session.job().size(),
                            .root = options.root,
                            .neighborhood = &session.neighborhood()};
        const int first_root = options.rotating_root ? 0 : options.root;
        const int last_root = options.rotating_root ? part.ranks - 1 : options.root;
        for (part.root = first_root; part.root <= last_root; ++part.root) {
            data_.emplace_back(part);
            prepared_.push_back(session.job().prepare(data_.back().call(in_, out_)));
            given_.push_back(data_.back().given(in_, out_));
            received_.push_back(data_.back().received(out_));
        }
    }

    /// How many different calls there are: 1, or one for each root.
    std::size_t turns() const noexcept { return prepared_.size(); }
    /// The turn of the next call; the one after it comes next.
    std::size_t next_turn() noexcept
    {
        const std::size_t turn = turn_;
        turn_ = turn + 1 == turns() ? 0 : turn + 1;
        return turn;
    }
    typename B::Prepared& prepared(std::size_t turn) noexcept { return prepared_[turn]; }
    /// The next call, made.
    void run() { prepared_[next_turn()].run(); }
    /// The next call, started.
    typename B::Request start() { return prepared_[next_turn()].start(); }

    /// `call`, which makes the next call, between what a program does with its buffers where --touch asks for
    /// it.
    template <class Call>
    auto touched(Call call)
    {
        return [this, call]() mutable {
            const std::size_t turn = turn_;
            if (session_.options().touch)
                write_lines(given_[turn]);
            call();
            if (session_.options().touch)
                read_lines(received_[turn]);
        };
    }

    /// Whether `call`, which makes the next call, leaves what it must at all ranks; with every root. A
    /// barrier moves nothing.
    template <class Call>
    bool right(Call call)
    {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < turns(); ++i) {
            const CollectiveData& data = data_[turn_];
            data.fill(in_, out_);
            call();
            wrong += data.wrong_bytes(out_);
        }
        return none_wrong(session_.job(), wrong);
    }

    /// right() where the command line asks for it and there are data; then the buffers get what is timed.
    template <class Call>
    std::optional<bool> check(Call call)
    {
        std::optional<bool> valid;
        if (data_.front().buffer_bytes() > 0)
            valid = session_.checked([&] { return right(call); });
        data_.front().fill_with_ones(in_, out_);
        return valid;
    }

private:
    Session<B>& session_;
    std::byte* in_;
    std::byte* out_;
    std::vector<CollectiveData> data_;
    std::vector<typename B::Prepared> prepared_;
    std::vector<Bytes> given_;  // by turn
    std::vector<Bytes> received_;
    std::size_t turn_ = 0;
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
    const std::size_t blocks = CollectiveData({.collective = *session.benchmark().collective,
                                               .size_bytes = 1,
                                               .ranks = session.job().size(),
                                               .neighborhood = &session.neighborhood()})
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

/// Blocking collectives, with one root as in OSU's benchmarks, unless the command line has it change.
template <CollectiveBackend B>
void collectives(Session<B>& session)
{
    const Start start = start_of(session);
    session.open(start);
    each_step(session, [&](CollectiveStep<B>& step, std::optional<double> key, std::size_t) {
        const std::optional<bool> valid = step.check([&] { step.run(); });
        session.row(
            key, session.sampler().iterations(Over::slowest, start, step.touched([&] { step.run(); })),
            [](double us) { return us; }, valid);
    });
}

/// Times from start to wait; the requests are made before the clock starts. Some libraries (MPICH 4.0.2:
/// gather and scatter) do a request's work once, when it is made or first started. Their later times mean
/// nothing, so the second start is checked even when nobody asks for checks.
template <CollectiveBackend B>
void persistent_collectives(Session<B>& session)
{
    B& job = session.job();
    const Start start = start_of(session);
    bool opened = false;
    each_step(session, [&](CollectiveStep<B>& step, std::optional<double> key, std::size_t) {
        std::vector<typename B::Persistent> requests;
        for (std::size_t turn = 0; turn < step.turns(); ++turn)
            requests.push_back(step.prepared(turn).persistent());
        const auto call = [&] {
            typename B::Persistent& request = requests[step.next_turn()];
            job.start(request);
            job.wait(request);
        };
        for (std::size_t turn = 0; turn < step.turns(); ++turn)
            call();
        // The header is printed once it is known that the library has it.
        if (!std::exchange(opened, true)) {
            if (!session.options().validate && !step.right(call))
                throw NotOffered("its requests move wrong bytes when they are started again");
            session.open(start);
        }
        const std::optional<bool> valid = step.check(call);
        session.row(
            key, session.sampler().iterations(Over::slowest, start, step.touched(call)),
            [](double us) { return us; }, valid);
    });
}

}  // namespace tutti::bench
