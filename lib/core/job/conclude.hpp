// The end of a rank: what it looks for when its program makes no more calls, and what remains for those who
// still refer to it.
#pragma once

namespace tutti::detail {

class Process;

/// The program makes no more calls. Throws if other ranks have made different ones.
void conclude(Process& process);

/// For a checked rank whose Environment has ended: communicators that live on.
void report_living_communicators(Process& process);

/// Whether communicators or requests still refer to this rank.
bool is_referred_to(Process& process);
/// For such references after the job has been left: all their calls that would move data throw. Not under the
/// engine's lock.
void refuse_calls(Process& process);

}  // namespace tutti::detail
