// The timeline as a document in the Trace Event Format, which Perfetto and chrome://tracing open: a process
// a host, a thread a line of a rank, a complete event a call, a flow a message.
#pragma once

#include <ostream>

#include "launcher/profile/trace.hpp"

namespace tutti::launcher {

void write_trace_json(std::ostream& out, const JobTrace& trace);

}  // namespace tutti::launcher
