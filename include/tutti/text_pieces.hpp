// The text of files in pieces that end where records end, each read by one rank: an input of map_reduce.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/standard.hpp"

namespace tutti {

/// Where the next record begins in `text`, at least one byte behind its start; std::string_view::npos: behind
/// its end.
using NextRecord = std::function<std::size_t(std::string_view text)>;

/// Records that end with a character: lines.
inline NextRecord records_to(char last)
{
    return [last](std::string_view text) {
        const std::size_t at = text.find(last);
        return at == text.npos ? at : at + 1;
    };
}

/// Large files are cut into pieces of equal size, each moved to the next start of a record, and the pieces
/// are dealt over the ranks. A record never lies in two pieces, and no piece in two files.
class TextPieces {
public:
    /// All ranks give the same files, in the same order, and see them by the same names. A record that is
    /// longer than a piece makes one of its own.
    explicit TextPieces(std::vector<std::string> files, NextRecord next_record = records_to('\n'),
                        std::size_t piece_bytes = std::size_t{4} << 20);

    /// Reads the pieces of `rank` of `ranks` and calls visit(text) for each; the text stays until visit
    /// returns. Throws ErrorCode::system if a file cannot be read, with its name.
    void for_each_piece(int rank, int ranks, const std::function<void(std::string_view text)>& visit) const;

private:
    std::vector<std::string> files_;
    NextRecord next_record_;
    std::size_t piece_bytes_;
};

}  // namespace tutti
