#include "lib/mpi/object/errors.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>
#include <new>

#include "lib/core/files/file_error.hpp"
#include "lib/core/windows/window_error.hpp"
#include "lib/foundation/base/error_detail.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/user_codes.hpp"

namespace tutti::mpi {

namespace {

constexpr int kClassBits = 6;
constexpr int kClassMask = (1 << kClassBits) - 1;
constexpr int kSlots = 256;
constexpr int kToolSlot = 15;  // the codes of the tool interface would lie in it

/// The last sentences. Slot 0 stays empty.
struct Sentences {
    struct Entry {
        int code = 0;
        std::string words;
    };

    std::mutex mutex;
    std::array<Entry, kSlots> slots;
    int latest = 0;
};

// Never destroyed: other threads may fail after main.
Sentences& sentences()
{
    static Sentences& all = *new Sentences;
    return all;
}

int class_of(ErrorCode code) noexcept
{
    switch (code) {
        case ErrorCode::success:
            return MPI_SUCCESS;
        case ErrorCode::truncated:
            return MPI_ERR_TRUNCATE;
        case ErrorCode::invalid_argument:
            return MPI_ERR_ARG;
        case ErrorCode::invalid_rank:
            return MPI_ERR_RANK;
        case ErrorCode::invalid_tag:
            return MPI_ERR_TAG;
        case ErrorCode::out_of_memory:
            return MPI_ERR_NO_MEM;
        case ErrorCode::peer_lost:
            return MPI_ERR_PROC_ABORTED;
        case ErrorCode::not_supported:
            return MPI_ERR_UNSUPPORTED_OPERATION;
        case ErrorCode::file:
            return MPI_ERR_IO;
        case ErrorCode::internal:
            return MPI_ERR_INTERN;
        case ErrorCode::cancelled:
        case ErrorCode::protocol:
        case ErrorCode::bootstrap:
        case ErrorCode::system:
            break;
    }
    return MPI_ERR_OTHER;
}

int class_of(detail::WindowFault fault) noexcept
{
    switch (fault) {
        case detail::WindowFault::epoch:
            return MPI_ERR_RMA_SYNC;
        case detail::WindowFault::range:
            return MPI_ERR_RMA_RANGE;
        case detail::WindowFault::conflict:
            return MPI_ERR_RMA_CONFLICT;
        case detail::WindowFault::attachment:
            return MPI_ERR_RMA_ATTACH;
        case detail::WindowFault::flavor:
            break;
    }
    return MPI_ERR_RMA_FLAVOR;
}

int class_of(detail::FileFault fault) noexcept
{
    switch (fault) {
        case detail::FileFault::argument:
            return MPI_ERR_ARG;
        case detail::FileFault::mode:
            return MPI_ERR_AMODE;
        case detail::FileFault::bad_name:
            return MPI_ERR_BAD_FILE;
        case detail::FileFault::no_such_file:
            return MPI_ERR_NO_SUCH_FILE;
        case detail::FileFault::exists:
            return MPI_ERR_FILE_EXISTS;
        case detail::FileFault::no_permission:
            return MPI_ERR_ACCESS;
        case detail::FileFault::in_use:
            return MPI_ERR_FILE_IN_USE;
        case detail::FileFault::read_only:
            return MPI_ERR_READ_ONLY;
        case detail::FileFault::no_space:
            return MPI_ERR_NO_SPACE;
        case detail::FileFault::quota:
            return MPI_ERR_QUOTA;
        case detail::FileFault::not_same:
            return MPI_ERR_NOT_SAME;
        case detail::FileFault::unsupported:
            return MPI_ERR_UNSUPPORTED_OPERATION;
        case detail::FileFault::none:
        case detail::FileFault::io:
            break;
    }
    return MPI_ERR_IO;
}

}  // namespace

void fail(int error_class, std::string detail)
{
    throw Failure(error_class, std::move(detail));
}

void refuse_null(std::string_view name)
{
    fail(MPI_ERR_ARG, fmt::format("{} is a null pointer; pass the address of a variable", name));
}

void refuse_negative(std::string_view name, MPI_Count number, int error_class)
{
    fail(error_class, fmt::format("{} is {}; it must not be negative", name, number));
}

void refuse_rank(std::string_view name, int rank, std::string_view whose, int ranks, int error_class)
{
    fail(error_class, fmt::format("{} is {}, but the ranks{} are 0 to {}", name, rank, whose, ranks - 1));
}

void check_tag(int tag)
{
    if (tag < 0)
        fail(MPI_ERR_TAG, fmt::format("tag {} is negative; tags are 0 to 2147483647", tag));
}

void check_array(std::string_view name, const void* entries, MPI_Count count)
{
    if (count < 0)
        refuse_negative(fmt::format("the length of {}", name), count, MPI_ERR_ARG);
    if (count > 0)
        check_not_null(entries, name);
}

int make_code(int error_class, std::string sentence)
{
    Sentences& all = sentences();
    const std::lock_guard lock(all.mutex);
    all.latest = all.latest + 1 == kSlots ? 1 : all.latest + 1;
    if (all.latest == kToolSlot)
        ++all.latest;
    const int code = known_class(error_class) | all.latest << kClassBits;
    all.slots[static_cast<std::size_t>(all.latest)] = {code, std::move(sentence)};
    return code;
}

int class_of(int code) noexcept
{
    const bool has_slot = code >= 0 && code <= MPI_ERR_LASTCODE && code >> kClassBits != kToolSlot;
    if (has_slot)
        return code & kClassMask;
    const std::optional<UserCode> added = code > MPI_ERR_LASTCODE ? find_user_code(code) : std::nullopt;
    return added ? added->error_class : code;
}

std::string words_of(int code)
{
    if (code > MPI_ERR_LASTCODE)
        if (const std::optional<UserCode> added = find_user_code(code))
            return added->words.value_or(std::string());
    if (class_of(code) != code) {
        Sentences& all = sentences();
        const std::lock_guard lock(all.mutex);
        const Sentences::Entry& entry = all.slots[static_cast<std::size_t>(code >> kClassBits)];
        if (entry.code == code)
            return entry.words;
    }
    return std::string(meaning_of_class(class_of(code)));
}

Reason reason_of(const std::exception_ptr& exception)
{
    try {
        std::rethrow_exception(exception);
    } catch (const Failure& failure) {
        return {failure.error_class(), failure.what()};
    } catch (const detail::FileError& error) {
        return {class_of(error.fault()), std::string(base::detail_of(error))};
    } catch (const detail::WindowError& error) {
        return {class_of(error.fault()), std::string(base::detail_of(error))};
    } catch (const Error& error) {
        return {class_of(error.code()), std::string(base::detail_of(error))};
    } catch (const std::bad_alloc&) {
        return {MPI_ERR_NO_MEM, "there is no memory left"};
    } catch (const std::exception& error) {
        return {MPI_ERR_INTERN, error.what()};
    } catch (...) {
        return {MPI_ERR_OTHER, "an exception of the program's left a function that MPI had called"};
    }
}

}  // namespace tutti::mpi
