#include "lib/core/check/findings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "lib/foundation/base/say.hpp"

namespace tutti::check {

namespace {

// Relaxed: only the end of the process reads them, after all threads of ranks.
std::atomic<pid_t> failed_process{0};
std::atomic<int> status_of_program{0};

void note_status(int status, void*)
{
    status_of_program.store(status, std::memory_order_relaxed);
}

/// Its destructor runs behind those of the program. A forked child has no findings of its own.
struct EndOfProcess {
    ~EndOfProcess()
    {
        if (failed_process.load(std::memory_order_relaxed) != getpid() ||
            status_of_program.load(std::memory_order_relaxed) != 0)
            return;
        std::fflush(nullptr);
        _exit(kFindingsStatus);
    }
} end_of_process;

constexpr std::array<std::string_view, kKinds> kKindNames = {"message of another type",
                                                             "changed or freed buffer",
                                                             "operation never completed",
                                                             "message never received",
                                                             "handle never freed",
                                                             "call by another thread",
                                                             "race"};

}  // namespace

Findings::Findings(int rank, std::string host, bool fails)
    : rank_(rank), host_(std::move(host)), fails_(fails)
{
    static const int once = on_exit(note_status, nullptr);
    static_cast<void>(once);
}

void Findings::say(const std::string& text) const
{
    base::say(fmt::format("tutti: check: rank {}{}: {}\n", rank_, host_.empty() ? "" : " on " + host_, text));
}

void Findings::add(Kind kind, const Site& site, const std::string& text)
{
    ++counts_[static_cast<std::size_t>(kind)];
    const std::string& where = describe(site);
    if (++times_[{kind, where.empty() ? text : where}] != 1)
        return;
    say(where.empty() ? text : fmt::format("{} [{}]", text, where));
    if (fails_ && kind != Kind::race)
        failed_process.store(getpid(), std::memory_order_relaxed);
}

void Findings::conclude()
{
    std::string summary;
    for (std::size_t i = 0; i < kKinds; ++i)
        if (counts_[i] != 0)
            summary += fmt::format("{}{} x {}", summary.empty() ? "" : ", ", counts_[i], kKindNames[i]);
    if (summary.empty())
        return;
    std::size_t repeats = 0;
    for (const auto& [place, times] : times_)
        repeats += times - 1;
    say(fmt::format(
        "found {}{}", summary,
        repeats != 0 ? fmt::format("; {} of them are repeats at the places above", repeats) : ""));
    counts_ = {};
    times_.clear();
}

}  // namespace tutti::check
