// The timeline as a page of its own, which needs no network: a line a rank, to be zoomed and searched.
#pragma once

#include <ostream>

#include "launcher/profile/trace.hpp"

namespace tutti::launcher {

void write_trace_page(std::ostream& out, const JobTrace& trace);

}  // namespace tutti::launcher
