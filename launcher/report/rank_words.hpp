// What one rank's page says: its calls, and everything as lines.
#pragma once

#include <sys/types.h>

#include <string>

#include "launcher/report/node_report.hpp"
#include "launcher/report/page_view.hpp"

namespace tutti::launcher {

/// Puts a call of the page into `group`, without what the page has of waits.
void set_call(RankGroup& group, const PageView& page, const PageView::Call& call);

/// `group` is the rank alone. `page`: nullptr where the rank has shown none.
std::string rank_in_words(const RankGroup& group, const PageView* page, pid_t process);

/// What hinders the process of a rank, for the end of a sentence about it; empty: nothing of note.
std::string note_in_words(RankState state, pid_t process, std::uint64_t swapped_bytes);

}  // namespace tutti::launcher
