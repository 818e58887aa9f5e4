#include "lib/core/windows/exposure_epoch.hpp"

#include <algorithm>

#include "lib/core/process/process.hpp"

namespace tutti::detail {

using What = WindowHeader::What;

void ExposureEpoch::post(std::span<const int> origins, bool signals)
{
    if (is_open_)
        window_.refuse(WindowFault::epoch, "post", Error::kNoPeer,
                       "this rank's memory is exposed already; wait() comes before the next post()");
    origins_.assign(origins.begin(), origins.end());
    is_open_ = true;
    for (std::size_t i = 0; signals && i < origins.size(); ++i)
        signal("post", origins[i], What::posted);
}

// To any rank, this one as well.
void ExposureEpoch::signal(std::string_view operation, int rank, What what)
{
    if (rank == window_.rank()) {
        take(rank, what);
        return window_.process().engine().started();
    }
    try {
        window_.send(rank, what);
    } catch (const Error&) {
        waits_.throw_unsent(operation, rank);
    }
}

void ExposureEpoch::take(int rank, What what) noexcept
{
    ++(what == What::posted ? of(rank).posted : of(rank).completed);
}

void ExposureEpoch::await_post(EngineLock& lock, int target)
{
    waits_.await(lock, "start", target, {.target = target}, [&] { return of(target).posted != 0; });
    --of(target).posted;
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

void ExposureEpoch::check_open(std::string_view operation) const
{
    if (!is_open_)
        window_.refuse(WindowFault::epoch, operation, Error::kNoPeer, "this rank has not called post()");
}

void ExposureEpoch::wait(EngineLock& lock)
{
    check_open("wait");
    for (const int rank : origins_)
        waits_.await(lock, "wait", rank, {.target = rank}, [&] { return of(rank).completed != 0; });
    end();
}

bool ExposureEpoch::test(EngineLock& lock)
{
    check_open("test");
    if (!all_have_completed())
        waits_.pass(lock, "test", WindowIdentity::kAnyRank);
    if (all_have_completed()) {
        end();
        return true;
    }
    for (const int rank : origins_)
        if (of(rank).completed == 0)
            waits_.check_not_lost("test", rank, "before it called complete()");
    return false;
}

void ExposureEpoch::add_awaited(std::set<int>& ranks) const
{
    for (const int rank : origins_)
        window_.add_to(ranks, rank);
}

}  // namespace tutti::detail
