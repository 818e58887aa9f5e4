#include "lib/mpi/file/access_call.hpp"

#include <fmt/format.h>

#include <string_view>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::FileAccess;

/// The memory of an access as the core takes it: the program's, or converted data.
struct CoreMemory {
    detail::View view{};
    std::shared_ptr<ConvertedData> converted;

    void take(const File& file, const FileAccess& access, const AccessMemory& given)
    {
        void* const buffer = const_cast<void*>(given.buffer);
        view = view_of(buffer, given.count, given.datatype);
        if (file.view.representation->converts()) [[unlikely]] {
            // The view is to be left empty if this throws.
            view = {};
            converted = std::make_shared<ConvertedData>(*file.view.representation, buffer, given.count,
                                                        datatype_of(given.datatype), access.writes);
            view = {converted->data(), converted->size_bytes(), nullptr};
        }
    }
};

namespace {

void fill_moved(MPI_Status* status, std::size_t bytes)
{
    fill(status, {.source = any_source, .tag = any_tag, .size_bytes = bytes});
}

// The functions' name without the end of this one's.
std::string_view name_without(std::string_view name, std::string_view end)
{
    return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

}  // namespace

std::exception_ptr AccessCall::refusal(const File& file, const FileAccess& access, const AccessMemory& given,
                                       CoreMemory& memory) const
{
    try {
        if (form_ == Form::nonblocking)
            check_not_null(request_, "request");
        memory.take(file, access, given);
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

int AccessCall::on(MPI_File handle, const FileAccess& access, const AccessMemory& given) const
{
    return guard(name_, handle, [&] {
        File& file = file_of(handle);
        if (access.together)
            check_no_split(file);  // it is under way on all ranks
        // The core checks the rest, and tells the other ranks of a collective access what is wrong here.
        CoreMemory memory;
        const std::exception_ptr refused = refusal(file, access, given, memory);
        if (form_ == Form::blocking || (form_ == Form::nonblocking && request_ == nullptr)) {
            const std::size_t moved = file.state->access(name_, access, memory.view, refused);
            return fill_moved(status_,
                              memory.converted == nullptr ? moved : memory.converted->deliver(moved));
        }
        FileOperation begun{file.state->start(name_, access, memory.view, refused),
                            std::move(memory.converted)};
        if (form_ == Form::nonblocking)
            *request_ = begun_request(std::move(begun), file);
        else
            file.split.emplace(std::string(name_without(name_, "_begin")), given.buffer, std::move(begun));
    });
}

int end_access(const char* call, MPI_File fh, const void* buf, MPI_Status* status)
{
    return guard(call, fh, [&] {
        File& file = file_of(fh);
        if (!file.split)
            fail(MPI_ERR_OTHER, fmt::format("no split collective is under way; call {}_begin first",
                                            name_without(call, "_end")));
        if (file.split->access != name_without(call, "_end"))
            fail(MPI_ERR_OTHER,
                 fmt::format("the split collective under way is another one; end it with {}_end",
                             file.split->access));
        if (file.split->buffer != buf)
            fail(MPI_ERR_BUFFER,
                 fmt::format("the buffer is at {}, but that of the begin was at {}; give the same one",
                             fmt::ptr(buf), fmt::ptr(file.split->buffer)));
        FileOperation ended = std::move(file.split->operation);
        file.split.reset();
        fill_moved(status, wait_for(ended));
    });
}

}  // namespace tutti::mpi
