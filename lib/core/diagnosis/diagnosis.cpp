#include "lib/core/diagnosis/diagnosis.hpp"

#include <functional>

#include "lib/core/process/process.hpp"

namespace tutti::detail {

Diagnosis::Diagnosis(Process& process) : calls(process), failures(process), absent(process), process_(process)
{
    process.protocol().serve(protocol::FrameKind::call_inquiry, protocol::FrameKind::call_wait,
                             std::bind_front(&CallDiagnosis::frame, &calls));
    process.protocol().serve(protocol::FrameKind::call_lost, protocol::FrameKind::call_presence,
                             std::bind_front(&AbsentRanks::frame, &absent));
}

bool Diagnosis::look(std::int64_t waited_ns, bool twice_as_long)
{
    process_.status().note(process_, waited_ns);
    if (twice_as_long)
        calls.look(waited_ns);
    return failures.look();
}

}  // namespace tutti::detail
