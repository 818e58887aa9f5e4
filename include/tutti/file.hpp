// Files that many ranks write and read together.
//
//     using enum tutti::FileMode;
//     tutti::File file(world, "result", write | create);
//     file.set_view<double>(0, tutti::Layout::subarray(sizes, mine, starts, sizeof(double)));
//     file.write_all(my_part);
//     file.close();
//
// More: docs/guide/files.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tutti/buffer.hpp"
#include "tutti/communicator.hpp"
#include "tutti/file_calls.hpp"
#include "tutti/layout.hpp"
#include "tutti/request.hpp"

namespace tutti {

/// A file that the ranks of a communicator have opened together. Move-only. The destructor closes it, which
/// is collective: all ranks destroy their files in the same order. While an exception unwinds the stack it
/// waits for nobody.
///
/// A view says which bytes of the file a rank sees; at first all of them, as elements of one byte. Offsets
/// count elements of the view, not bytes; whole elements are read and written.
///
/// What is written is an object, a range, a layout or a typed buffer, as in messages, and memory that is read
/// likewise. Reads return the number of bytes that they have read, fewer than the memory has only where the
/// file ends; writes write all, or throw.
///
/// Names that end in _all are collective: all ranks call them, with any amounts, also none. They are the fast
/// way where the pieces of ranks are small or interleaved. Names that begin with i return a request, whose
/// status has the number of bytes; buffers are borrowed until then. Pointers move at once.
///
/// Errors are thrown as tutti::Error, with ErrorCode::file where the file system refuses: the sentence has
/// file, place, rank and remedy. After a failed access the bytes in its range are unspecified.
class File {
public:
    /// Collective: all ranks open the file, or all throw. All give the same path, mode and hints.
    File(const Communicator& communicator, std::string_view path, FileMode mode, const FileHints& hints = {})
        : file_(detail::FileCalls::open(communicator, path, mode, hints))
    {
    }
    File(File&&) noexcept = default;
    File& operator=(File&&) = delete;
    ~File()
    {
        if (file_ != nullptr && std::uncaught_exceptions() == exceptions_)
            detail::FileCalls::end(*file_);
    }

    /// Collective; all requests have ended before. What was written is with the kernel then, and seen by all
    /// processes, but not on the disk: sync().
    void close()
    {
        // It is closed also if that throws.
        const detail::FilePointer file = std::exchange(file_, nullptr);
        detail::FileCalls::close(*file);
    }
    /// Removes a file that need not be open. Not collective.
    static void remove(std::string_view path) { detail::FileCalls::remove(path); }

    /// Collective: writes a file that takes the place of `path` as a whole. write(file) writes it beside, at
    /// first empty, as path + ".new"; then it is synced, and renamed by one rank. So a crash leaves the old
    /// file or the new one, whole. If any rank's function throws, all ranks throw, and the old file stays.
    template <class Write>
    static void replace(const Communicator& communicator, std::string_view path, Write&& write,
                        const FileHints& hints = {})
    {
        detail::FileReplacement replacement(communicator, path, hints);
        std::exception_ptr failure;
        {
            File file(replacement.file());
            try {
                write(file);
            } catch (...) {
                failure = std::current_exception();
            }
            file.file_ = nullptr;
        }
        replacement.end(failure);
    }

    /// The view: from a byte of the file on, elements of T. With a layout, only those that it has; behind its
    /// extent it begins anew, again and again. The layout's blocks ascend. Not collective; but all ranks have
    /// set their views before one of them makes a collective access, or one at the shared pointer. Both
    /// pointers become 0.
    template <class T = std::byte>
    void set_view(std::int64_t displacement_bytes)
    {
        static_assert(std::is_trivially_copyable_v<T>, "tutti: a file's elements are trivially copyable");
        detail::FileCalls::set_view(*file_, displacement_bytes, sizeof(T), nullptr);
    }
    template <class T = std::byte>
    void set_view(std::int64_t displacement_bytes, const Layout& layout)
    {
        static_assert(std::is_trivially_copyable_v<T>, "tutti: a file's elements are trivially copyable");
        detail::FileCalls::set_view(*file_, displacement_bytes, sizeof(T), &layout);
    }

    /// At an offset; no pointer moves.
    template <class B>
    std::size_t read_at(std::int64_t offset, B&& to)
    {
        return get("read_at", at(false, offset), to);
    }
    template <class B>
    void write_at(std::int64_t offset, const B& from)
    {
        put("write_at", at(false, offset), from);
    }
    template <class B>
    std::size_t read_at_all(std::int64_t offset, B&& to)
    {
        return get("read_at_all", at(true, offset), to);
    }
    template <class B>
    void write_at_all(std::int64_t offset, const B& from)
    {
        put("write_at_all", at(true, offset), from);
    }
    template <class B>
    Request iread_at(std::int64_t offset, B&& to)
    {
        return begin_get("iread_at", at(false, offset), std::forward<B>(to));
    }
    template <class B>
    Request iwrite_at(std::int64_t offset, B&& from)
    {
        return begin_put("iwrite_at", at(false, offset), std::forward<B>(from));
    }
    template <class B>
    Request iread_at_all(std::int64_t offset, B&& to)
    {
        return begin_get("iread_at_all", at(true, offset), std::forward<B>(to));
    }
    template <class B>
    Request iwrite_at_all(std::int64_t offset, B&& from)
    {
        return begin_put("iwrite_at_all", at(true, offset), std::forward<B>(from));
    }

    /// At this rank's own pointer, which moves behind the elements of the buffer, also where a read is short.
    template <class B>
    std::size_t read(B&& to)
    {
        return get("read", own(false), to);
    }
    template <class B>
    void write(const B& from)
    {
        put("write", own(false), from);
    }
    template <class B>
    std::size_t read_all(B&& to)
    {
        return get("read_all", own(true), to);
    }
    template <class B>
    void write_all(const B& from)
    {
        put("write_all", own(true), from);
    }
    template <class B>
    Request iread(B&& to)
    {
        return begin_get("iread", own(false), std::forward<B>(to));
    }
    template <class B>
    Request iwrite(B&& from)
    {
        return begin_put("iwrite", own(false), std::forward<B>(from));
    }
    template <class B>
    Request iread_all(B&& to)
    {
        return begin_get("iread_all", own(true), std::forward<B>(to));
    }
    template <class B>
    Request iwrite_all(B&& from)
    {
        return begin_put("iwrite_all", own(true), std::forward<B>(from));
    }

    /// At the pointer that all ranks share: whoever comes first takes the next elements. All ranks have the
    /// same view.
    template <class B>
    std::size_t read_shared(B&& to)
    {
        return get("read_shared", shared(false), to);
    }
    template <class B>
    void append_shared(const B& from)
    {
        put("append_shared", shared(false), from);
    }
    /// Collective: in the order of ranks.
    template <class B>
    std::size_t read_ordered(B&& to)
    {
        return get("read_ordered", shared(true), to);
    }
    template <class B>
    void append_ordered(const B& from)
    {
        put("append_ordered", shared(true), from);
    }
    template <class B>
    Request iread_shared(B&& to)
    {
        return begin_get("iread_shared", shared(false), std::forward<B>(to));
    }
    template <class B>
    Request iappend_shared(B&& from)
    {
        return begin_put("iappend_shared", shared(false), std::forward<B>(from));
    }

    /// The own pointer, in elements of the view.
    std::int64_t position() const { return detail::FileCalls::position(*file_); }
    /// The file's end is that of the last element of the view that has a byte in it.
    void seek(std::int64_t offset, FileFrom from = FileFrom::start)
    {
        detail::FileCalls::seek(*file_, offset, from);
    }
    /// The shared pointer. Others may move it at any time.
    std::int64_t shared_position() const { return detail::FileCalls::shared_position(*file_); }
    /// Collective: all ranks give the same.
    void seek_shared(std::int64_t offset, FileFrom from = FileFrom::start)
    {
        detail::FileCalls::seek_shared(*file_, offset, from);
    }
    /// The place in the file, in bytes from its start, of an element of the view.
    std::int64_t byte_of(std::int64_t offset) const { return detail::FileCalls::byte_of(*file_, offset); }

    /// As it was given, without a prefix that names a file system for other libraries.
    const std::string& path() const noexcept { return detail::FileCalls::path(*file_); }
    /// In bytes. Not collective.
    std::int64_t size() const { return detail::FileCalls::size(*file_); }
    /// Collective: the file's size becomes `bytes`, which all ranks give; new bytes are 0.
    void resize(std::int64_t bytes) { detail::FileCalls::resize(*file_, bytes); }
    /// Collective: the disk has room for the first `bytes` afterwards, and the file is at least that long.
    void preallocate(std::int64_t bytes) { detail::FileCalls::preallocate(*file_, bytes); }
    /// Collective: what any rank has written before is on the disk, and seen by all ranks.
    void sync() { detail::FileCalls::sync(*file_); }
    /// Collective. In atomic mode, accesses of different ranks to the same bytes happen one after the other;
    /// they take turns.
    void set_atomic(bool atomic) { detail::FileCalls::set_atomic(*file_, atomic); }

private:
    using Place = detail::FileAccess::Place;

    explicit File(detail::FilePointer file) noexcept : file_(std::move(file)) {}

    static detail::FileAccess at(bool together, std::int64_t offset) noexcept
    {
        return {.together = together, .place = Place::given, .offset = offset};
    }
    static detail::FileAccess own(bool together) noexcept
    {
        return {.together = together, .place = Place::own};
    }
    static detail::FileAccess shared(bool together) noexcept
    {
        return {.together = together, .place = Place::shared};
    }
    // Writes only read the memory.
    static detail::View written(const detail::ConstView& from) noexcept
    {
        return {const_cast<std::byte*>(from.data), from.size_bytes, from.layout, from.element};
    }

    template <class B>
    std::size_t get(std::string_view call, const detail::FileAccess& access, B& to)
    {
        return detail::FileCalls::access(*file_, call, access, detail::view(to));
    }
    template <class B>
    void put(std::string_view call, detail::FileAccess access, const B& from)
    {
        access.writes = true;
        detail::FileCalls::access(*file_, call, access, written(detail::const_view(from)));
    }
    template <class B>
    Request begin_get(std::string_view call, const detail::FileAccess& access, B&& to)
    {
        detail::check_outlives_call<B>();
        return detail::FileCalls::start(*file_, call, access, detail::view(to));
    }
    template <class B>
    Request begin_put(std::string_view call, detail::FileAccess access, B&& from)
    {
        detail::check_outlives_call<B>();
        access.writes = true;
        return detail::FileCalls::start(*file_, call, access, written(detail::const_view(from)));
    }

    detail::FilePointer file_;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tutti
