#include "lib/mpi/file/file_operation.hpp"

#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/request/request_object.hpp"

namespace tutti::mpi {

namespace {

/// A request that knows its file. The operation is the core's, or, if that had ended at once, the request
/// itself.
struct FileRequest final : MpiRequest {
    FileRequest(FileOperation& begun, File& of) : file_(&of), converted_(begun.converted), operation_(this)
    {
        owner = &Runtime::process();
        if (begun.request.active()) {
            detail::RequestState& state = *RequestAccess::state(begun.request);
            const auto lock = Runtime::process().engine().lock();
            if (begun.converted != nullptr)
                RequestAccess::keep(state, begun.converted);
            operation_ = RequestAccess::release(begun.request);
        } else {
            status = begun.request.status();
            done = true;
        }
    }

    detail::RequestState* operation() noexcept override { return operation_; }
    int let_go(progress::Engine::Lock&) override
    {
        if (operation_ != this)
            mpi::let_go(*operation_);
        delete this;
        return MPI_SUCCESS;
    }
    MPI_File file() const noexcept override { return handle_of(*file_); }
    std::exception_ptr deliver(progress::Engine::Lock& lock, Status& ended) override
    {
        if (converted_ == nullptr)
            return nullptr;
        std::exception_ptr failure;
        lock.unlock();
        try {
            ended.size_bytes = converted_->deliver(ended.size_bytes);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        return failure;
    }
    std::exception_ptr failure() override { return nullptr; }
    void recycle() noexcept override { delete this; }

private:
    const Ref<File> file_;
    const std::shared_ptr<ConvertedData> converted_;
    detail::RequestState* operation_;
};

}  // namespace

std::size_t wait_for(FileOperation& operation)
{
    const Status status = operation.request.wait();
    return operation.converted != nullptr ? operation.converted->deliver(status.size_bytes)
                                          : status.size_bytes;
}

MPI_Request begun_request(FileOperation operation, File& file)
{
    return handle_of(*new FileRequest(operation, file));
}

}  // namespace tutti::mpi
