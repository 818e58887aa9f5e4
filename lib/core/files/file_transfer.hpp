// One rank's part of an access: bytes of its view, and its memory for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/core/files/file_batch.hpp"
#include "lib/core/files/file_runs.hpp"
#include "lib/core/files/view_map.hpp"
#include "lib/foundation/observe/status_page.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {

class FileWorker;

/// How an access has gone. Travels between ranks. Plain bytes.
struct FileOutcome {
    FileTrouble trouble;
    std::int64_t end_of_file = FileBatch::kNoEnd;

    /// The first trouble and the lowest end of both.
    void include(const FileOutcome& other) noexcept
    {
        if (!trouble)
            trouble = other.trouble;
        end_of_file = std::min(end_of_file, other.end_of_file);
    }
};

struct FileTransfer {
    const OpenFile& file;
    std::string_view call;  // the caller's operation, for errors
    ViewMap view;
    bool writes;
    std::uint64_t from;         // in bytes of the view
    View memory;                // a write only reads it
    datatype::TypemapRef keep;  // memory.layout
    FileWorker* worker;         // moves the data; nullptr: the caller does
    bool is_mapped = false;     // moved through memory that the kernel maps of the file
    std::size_t moved = 0;      // when it has ended

    std::uint64_t to() const noexcept { return from + memory.size_bytes; }
    /// Whether the places ascend. Only reads may be of others.
    bool ascends() const noexcept { return view.ascends(to()); }
    /// Calls visit(place in the file, memory, bytes) for all pieces.
    template <class Visit>
    void for_each_piece(Visit&& visit) const
    {
        std::size_t done = 0;
        view.for_each_run(from, to(), [&](std::int64_t place, std::uint64_t bytes) {
            if (memory.layout == nullptr)
                visit(place, memory.data + done, std::size_t{bytes});
            else
                datatype::walk(*memory.layout, done, done + bytes, [&](std::ptrdiff_t offset, std::size_t part) {
                    visit(place, memory.data + offset, part);
                    place += static_cast<std::int64_t>(part);
                });
            done += bytes;
        });
    }

    observe::FileCall what() const noexcept
    {
        return writes ? observe::FileCall::write : observe::FileCall::read;
    }
    FileRunList runs() const;
    /// Chooses whether it is mapped; once, before it moves. What is mapped is moved faster than by any call
    /// of the kernel, but a page that is mapped for the first time costs as much as some calls: it is where
    /// pages are there already, where a write has many short runs, and where accesses before have spent
    /// on calls what the pages would have cost.
    void choose_way();
    /// How much has been read, if the file ends there.
    std::size_t bytes_before(std::int64_t end_of_file) const;
    /// Moves all, in this thread.
    FileOutcome move() const;
    /// Sets `moved`, and throws FileError for trouble, of `rank` unless that is Error::kNoPeer.
    void end(const FileOutcome& outcome, int rank = Error::kNoPeer);
};

}  // namespace tutti::detail
