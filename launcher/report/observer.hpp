// The daemon's look at its ranks: reads their status pages, notices when nothing moves, and answers the
// head's questions. It needs nothing of the ranks, and no rank waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/ranks/process_table.hpp"
#include "launcher/report/node_report.hpp"
#include "launcher/report/page_view.hpp"
#include "launcher/report/process_state.hpp"
#include "launcher/report/rank_load.hpp"
#include "launcher/stacks/stack_reader.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

class Observer {
public:
    /// All references must outlive it.
    Observer(EventLoop& loop, ProcessTable& processes, Uplink& head)
        : loop_(loop), processes_(processes), head_(head), stacks_(loop)
    {
    }

    /// The ranks of this node.
    void expect(const std::vector<int>& ranks);
    /// A rank's page; a rank whose program executes another one shows a second.
    void add_page(int rank, UniqueFd page);
    /// The call of Tutti in which a rank is, or was last, in words; empty where it has shown none.
    std::string call_of(int rank);
    /// Answers the head's question. `whole`: also what the waits are for.
    void answer(std::uint32_t question, bool whole);
    /// Likewise, what one rank does, or where in its program it is.
    void answer_rank(std::uint32_t question, int rank, bool stack);

private:
    using Clock = EventLoop::Clock;

    struct Watched {
        observe::StatusMemory page;
        std::uint64_t calls = 0;  // twice those begun, and 1 while it is in one
        std::uint64_t moves = 0;
        Clock::time_point since{};  // when these were first as they are
        std::uint64_t processor_ticks = 0;
        Clock::time_point idle_since{};
        LoadHistory loads;
    };
    struct Judged {
        RankState state = RankState::unknown;
        double seconds = 0;
        bool quiet = false;
        pid_t pid = -1;
        std::optional<PageView> view{};
    };

    void tick();
    bool look(int rank, Watched& watched);
    Judged judge(int rank, const Watched& watched);
    void report_quiet(bool quiet);
    static RankGroup group_of(int rank, const Watched& watched, const Judged& judged);
    static pid_t process_of(const RankProcess& process, const Watched& watched);
    void answer_stack(std::uint32_t question, int rank, const Judged& judged);
    void add_waits(NodeReport& report, int rank, const PageView& view);
    static void add_collectives(NodeReport& report, int rank, const PageView& view);
    static void add_locks(NodeReport& report, int rank, const PageView& view);
    static void add_note(NodeReport& report, int rank, const Judged& judged);

    EventLoop& loop_;
    ProcessTable& processes_;
    Uplink& head_;
    StackReader stacks_;
    std::map<int, Watched> ranks_;
    bool ticking_ = false;
    bool reported_quiet_ = false;
};

}  // namespace tutti::launcher
