// Escapes texts of files for markup: they stay texts, whatever they contain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/observe/html_page.hpp"

namespace tutti::bench {

using observe::html_text;

/// In Markdown, in a paragraph and in a cell of a table: what would be markup or HTML is escaped, line ends
/// are spaces.
std::string markdown_text(std::string_view text);
/// A command as it can be pasted into a shell, its program without the folder.
std::string command_text(const std::vector<std::string>& command);

}  // namespace tutti::bench
