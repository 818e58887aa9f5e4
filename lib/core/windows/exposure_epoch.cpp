#include "lib/core/windows/exposure_epoch.hpp"

#include <algorithm>

#include "lib/core/job/process.hpp"

namespace tutti::detail {

using What = WindowHeader::What;

WindowFailure ExposureEpoch::post(std::span<const int> origins, bool signals)
{
    if (is_open_)
        return window_.wrong(WindowFault::epoch, "post", Error::kNoPeer,
                             "this rank's memory is exposed already; wait() comes before the next post()");
    origins_.assign(origins.begin(), origins.end());
    is_open_ = true;
    for (std::size_t i = 0; signals && i < origins.size(); ++i)
        if (WindowFailure failed = signal("post", origins[i], What::posted))
            return failed;
    return nullptr;
}

// To any rank, this one as well.
WindowFailure ExposureEpoch::signal(std::string_view operation, int rank, What what)
{
    if (rank == window_.rank()) {
        take(rank, what);
        window_.process().engine().started();
        return nullptr;
    }
    try {
        window_.send(rank, what);
    } catch (const Error&) {
        return waits_.not_sent(operation, rank);
    }
    return nullptr;
}

void ExposureEpoch::take(int rank, What what) noexcept
{
    ++(what == What::posted ? of(rank).posted : of(rank).completed);
}

WindowFailure ExposureEpoch::await_post(EngineLock& lock, int target)
{
    if (WindowFailure failed =
            waits_.await(lock, "start", target, {.target = target}, [&] { return of(target).posted != 0; }))
        return failed;
    --of(target).posted;
    return nullptr;
}

bool ExposureEpoch::all_have_completed() noexcept
{
    return std::ranges::all_of(origins_, [this](int rank) { return of(rank).completed != 0; });
}

void ExposureEpoch::end() noexcept
{
    for (const int rank : origins_)
        --of(rank).completed;
    origins_.clear();
    is_open_ = false;
}

WindowFailure ExposureEpoch::not_open(std::string_view operation) const
{
    return window_.wrong(WindowFault::epoch, operation, Error::kNoPeer, "this rank has not called post()");
}

WindowFailure ExposureEpoch::wait(EngineLock& lock)
{
    if (!is_open_)
        return not_open("wait");
    for (const int rank : origins_)
        if (WindowFailure failed =
                waits_.await(lock, "wait", rank, {.target = rank}, [&] { return of(rank).completed != 0; }))
            return failed;
    end();
    return nullptr;
}

WindowFailure ExposureEpoch::test(EngineLock& lock, bool& done)
{
    done = false;
    if (!is_open_)
        return not_open("test");
    if (!all_have_completed())
        if (WindowFailure failed = waits_.pass(lock, "test", WindowIdentity::kAnyRank))
            return failed;
    done = all_have_completed();
    if (done) {
        end();
        return nullptr;
    }
    for (const int rank : origins_)
        if (of(rank).completed == 0)
            if (WindowFailure lost = waits_.loss("test", rank, "before it called complete()"))
                return lost;
    return nullptr;
}

void ExposureEpoch::add_awaited(std::set<int>& ranks) const
{
    for (const int rank : origins_)
        window_.add_to(ranks, rank);
}

}  // namespace tutti::detail
