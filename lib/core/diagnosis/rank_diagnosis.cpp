#include "lib/core/diagnosis/rank_diagnosis.hpp"

#include <functional>

#include "lib/core/diagnosis/wait_situation.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

RankDiagnosis::RankDiagnosis(Process& process)
    : process_(process), calls_(process, absent_), absent_(process), failures_(process, absent_)
{
    process.protocol().serve(protocol::FrameKind::call_inquiry, protocol::FrameKind::call_wait,
                             std::bind_front(&CallDiagnosis::frame, &calls_));
    process.protocol().serve(protocol::FrameKind::call_lost, protocol::FrameKind::call_presence,
                             std::bind_front(&AbsentRanks::frame, &absent_));
    process.engine().set_watch(std::bind_front(&RankDiagnosis::look, this));
}

bool RankDiagnosis::look(std::int64_t waited_ns, bool twice_as_long)
{
    note_situation(process_, waited_ns);
    absent_.check_withdrawn(waited_ns);
    if (twice_as_long)
        calls_.look(waited_ns);
    return failures_.look();
}

}  // namespace tutti::detail
