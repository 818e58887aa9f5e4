// The pictures of a page of statistics, as SVG in the page's own colours.
#pragma once

#include <string>

#include "launcher/profile/job_statistics.hpp"

namespace tutti::launcher {

/// What each rank has done: a bar of computing, moving data and waiting. Many ranks share a bar.
std::string picture_of_ranks(const Statistics& statistics);

/// The time of the operations that took most, and how much of it is waiting.
std::string picture_of_operations(const Statistics& statistics);

/// Who sends how much to whom. Many ranks share a cell.
std::string picture_of_messages(const Statistics& statistics);

/// The style that the pictures need on top of observe::kPageStyle.
std::string_view style_of_pictures();

}  // namespace tutti::launcher
