#include "tutti/text_pieces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "lib/foundation/base/unique_fd.hpp"
#include "tutti/error.hpp"

namespace tutti {

namespace {

[[noreturn]] void refuse_file(const std::string& file, const char* what)
{
    throw Error(ErrorCode::system, "TextPieces",
                fmt::format("{}: cannot {}: {}", file, what, std::strerror(errno)));
}

class TextFile {
public:
    explicit TextFile(const std::string& name) : name_(name), file_(open(name.c_str(), O_RDONLY | O_CLOEXEC))
    {
        struct stat about {};
        if (!file_ || fstat(file_.get(), &about) != 0)
            refuse_file(name_, "open");
        if (S_ISDIR(about.st_mode)) {
            errno = EISDIR;
            refuse_file(name_, "read");
        }
        size_ = static_cast<std::uint64_t>(about.st_size);
    }

    std::uint64_t size() const noexcept { return size_; }

    /// Appends up to `size_bytes` from `offset` on; fewer at the file's end.
    void read(std::uint64_t offset, std::size_t size_bytes, std::string& text) const
    {
        const std::size_t before = text.size();
        text.resize(before + size_bytes);
        std::size_t done = 0;
        while (done < size_bytes) {
            const ssize_t got = pread(file_.get(), text.data() + before + done, size_bytes - done,
                                      static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                refuse_file(name_, "read");
            if (got == 0)
                break;
            done += static_cast<std::size_t>(got);
        }
        text.resize(before + done);
    }

private:
    const std::string& name_;
    base::UniqueFd file_;
    std::uint64_t size_ = 0;
};

// How far a search for the next record reads at first.
constexpr std::size_t kSearchBytes = std::size_t{1} << 12;

// The first record that begins at `offset` or behind it; the file's size if none does.
std::uint64_t record_from(const TextFile& file, std::uint64_t offset, const NextRecord& next_record)
{
    if (offset == 0 || offset >= file.size())
        return std::min(offset, file.size());
    std::string text;
    for (std::size_t wanted = kSearchBytes;; wanted *= 2) {
        file.read(offset - 1 + text.size(), wanted - text.size(), text);
        const std::size_t at = next_record(text);
        if (at != text.npos && at > text.size())
            throw Error(ErrorCode::invalid_argument, "TextPieces",
                        fmt::format("the function for the next record gives {} in a text of {} bytes", at,
                                    text.size()));
        if (at != text.npos)
            return offset - 1 + std::max<std::size_t>(at, 1);
        if (text.size() < wanted)
            return file.size();
    }
}

}  // namespace

TextPieces::TextPieces(std::vector<std::string> files, NextRecord next_record, std::size_t piece_bytes)
    : files_(std::move(files)),
      next_record_(std::move(next_record)),
      piece_bytes_(std::max<std::size_t>(piece_bytes, 1))
{
}

// Each rank gets as many pieces of a large file as every other; small files are dealt whole, in turn.
void TextPieces::for_each_piece(int rank, int ranks, const std::function<void(std::string_view)>& visit) const
{
    std::uint64_t number = 0;
    std::string text;
    for (const std::string& name : files_) {
        const TextFile file(name);
        const auto all = static_cast<std::uint64_t>(ranks);
        std::uint64_t pieces = (file.size() + piece_bytes_ - 1) / piece_bytes_;
        if (pieces > 1)
            pieces = (pieces + all - 1) / all * all;
        for (std::uint64_t piece = 0; piece < pieces; ++piece) {
            if (number++ % all != static_cast<std::uint64_t>(rank))
                continue;
            // Products of 64 bits: a file of 2^60 bytes may have few pieces only.
            const std::uint64_t begin = record_from(file, file.size() / pieces * piece, next_record_);
            const std::uint64_t end =
                piece + 1 == pieces ? file.size()
                                    : record_from(file, file.size() / pieces * (piece + 1), next_record_);
            if (begin >= end)
                continue;
            text.clear();
            file.read(begin, end - begin, text);
            visit(text);
        }
    }
}

}  // namespace tutti
