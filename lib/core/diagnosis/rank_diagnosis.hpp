// What finds out why a rank does not go on, or never will.
#pragma once

#include <cstdint>

#include "lib/core/diagnosis/absent_ranks.hpp"
#include "lib/core/diagnosis/call_diagnosis.hpp"
#include "lib/core/diagnosis/failure_detector.hpp"
#include "lib/core/process/diagnosis.hpp"

namespace tutti::detail {

/// Under the engine's lock.
class RankDiagnosis final : public Diagnosis {
public:
    explicit RankDiagnosis(Process& process);

    /// The engine's watch: a wait has lasted so long. True: more will probably be known soon. Throws if the
    /// wait will never end.
    bool look(std::int64_t waited_ns, bool twice_as_long);

    LostMember lost(const CommunicatorState& state, int member) override
    {
        return absent_.lost(state, member);
    }
    void withdraw(const CommunicatorState& state, std::string_view why) override
    {
        absent_.withdraw(state, why);
    }
    std::vector<int> absent(progress::Engine::Lock& lock, const CommunicatorState& state,
                            std::uint32_t number, std::int64_t until_ns) override
    {
        return absent_.absent(lock, state, number, until_ns);
    }
    transport::Presence look_after(int peer) override { return failures_.look_after(peer); }
    std::string nobody_left(std::uint64_t context, int tag) override
    {
        return failures_.nobody_left(context, tag);
    }
    void review_calls() override { calls_.review(); }
    void check_reuse(const CommunicatorState& state) override { calls_.check_reuse(state); }
    void check_other_call(const CommunicatorState& state, int rank, std::uint32_t number) override
    {
        calls_.check_other_call(state, rank, number);
    }
    void conclude_calls() override { calls_.conclude(); }

private:
    Process& process_;
    CallDiagnosis calls_;  // in which calls other ranks are
    AbsentRanks absent_;   // which of them have given up
    FailureDetector failures_;
};

}  // namespace tutti::detail
