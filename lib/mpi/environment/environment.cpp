// Begin and end, versions, memory and time.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "lib/core/job/job.hpp"
#include "lib/core/process/aligned_memory.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/mpi/buffer/attached_buffers.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/environment/unfreed_handles.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/op/op.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "tutti/allocate.hpp"

namespace tutti::mpi {

namespace {

// MPI's number of each level, by ThreadLevel.
constexpr std::array<int, 4> kThreadLevels = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                              MPI_THREAD_MULTIPLE};

// The lowest level that has what is required, or the highest.
ThreadLevel level_for(int required) noexcept
{
    const auto found = std::ranges::lower_bound(kThreadLevels, required);
    return found == kThreadLevels.end() ? ThreadLevel::multiple
                                        : static_cast<ThreadLevel>(found - kThreadLevels.begin());
}

int provided_level()
{
    return kThreadLevels[static_cast<std::size_t>(Runtime::process().thread_level())];
}

// For reports of checks.
std::string name_of_communicator(std::uint64_t context)
{
    std::string words = described(communicator_with(context));
    return words.empty() && context == detail::kWorldContext ? "MPI_COMM_WORLD" : words;
}

void begin(ThreadLevel threads)
{
    if (Runtime::was_begun())
        fail(MPI_ERR_OTHER, "MPI was initialised before; a process does it once");
    std::shared_ptr<detail::Process> process = detail::Job::join(nullptr, {.threads = threads});
    if (control::Channel* const launcher = process->bootstrap().control())
        launcher->joined("MPI_Finalize");
    define_basic_types();
    define_operators();
    define_communicators(*process);
    define_done_request(*process);
    check::Checker::add_names(name_of_communicator);
    Runtime::set_running(std::move(process));
    define_info_env();
}

void end()
{
    detail::Process& process = Runtime::process();
    end_buffers();
    if (check::Checker* const checker = process.checker()) {
        const auto lock = process.engine().lock();
        report_unfreed_handles(*checker);
    }
    forget_communicators();
    detail::Job::leave(Runtime::set_ended(), false);
}

}  // namespace

int init(int*, char***)
{
    return guard("MPI_Init", [] { begin(ThreadLevel::single); });
}

int init_thread(int*, char***, int required, int* provided)
{
    return guard_result("MPI_Init_thread", provided, "provided", [&] {
        begin(level_for(required));
        return provided_level();
    });
}

int finalize()
{
    return guard("MPI_Finalize", [] {
        Runtime::check_running();
        // Callbacks of MPI_COMM_SELF's attributes find MPI still running.
        int code = delete_attributes(communicator_of(MPI_COMM_SELF));
        if (code != MPI_SUCCESS)
            code = hand_over("MPI_Finalize", MPI_COMM_SELF, code);
        end();
        return code;
    });
}

int initialized(int* flag)
{
    return guard_result("MPI_Initialized", flag, "flag", [&] { return Runtime::was_begun() ? 1 : 0; });
}

int finalized(int* flag)
{
    return guard_result("MPI_Finalized", flag, "flag", [&] { return Runtime::has_ended() ? 1 : 0; });
}

int query_thread(int* provided)
{
    return guard_result("MPI_Query_thread", provided, "provided", [&] {
        Runtime::check_running();
        return provided_level();
    });
}

int is_thread_main(int* flag)
{
    return guard_result("MPI_Is_thread_main", flag, "flag", [&] {
        Runtime::check_running();
        return Runtime::is_main_thread() ? 1 : 0;
    });
}

int abort(MPI_Comm, int errorcode)
{
    const int status = errorcode < 0 || errorcode > 255 ? 1 : errorcode;
    if (Runtime::is_running())
        Runtime::process().abort(status, fmt::format("called MPI_Abort with error code {}", errorcode));
    std::_Exit(status);
}

int get_version(int* version, int* subversion)
{
    return guard("MPI_Get_version", [&] {
        check_not_null(version, "version");
        check_not_null(subversion, "subversion");
        *version = MPI_VERSION;
        *subversion = MPI_SUBVERSION;
    });
}

int abi_get_version(int* major, int* minor)
{
    return guard("MPI_Abi_get_version", [&] {
        check_not_null(major, "abi_major");
        check_not_null(minor, "abi_minor");
        *major = MPI_ABI_VERSION;
        *minor = MPI_ABI_SUBVERSION;
    });
}

int get_library_version(char* version, int* length)
{
    return guard("MPI_Get_library_version", [&] {
        copy_out("Tutti " TUTTI_VERSION ", MPI 5.0 with the standard ABI 1.0", version, length,
                 MPI_MAX_LIBRARY_VERSION_STRING);
    });
}

int get_processor_name(char* name, int* length)
{
    return guard("MPI_Get_processor_name", [&] {
        std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
        if (gethostname(host.data(), host.size() - 1) != 0)
            fail(MPI_ERR_OTHER, fmt::format("the host has no name: {}", std::strerror(errno)));
        copy_out(host.data(), name, length, MPI_MAX_PROCESSOR_NAME);
    });
}

int alloc_mem(MPI_Aint size, MPI_Info info, void* base)
{
    return guard("MPI_Alloc_mem", [&] {
        check_not_null(base, "baseptr");
        check_info(info);
        check_not_negative("the size", size, MPI_ERR_SIZE);
        void* const memory = detail::allocate_aligned(static_cast<std::size_t>(size), alignment_in(info));
        std::memcpy(base, &memory, sizeof memory);
    });
}

int free_mem(void* base)
{
    return guard("MPI_Free_mem", [&] { deallocate(base); });
}

int get_address(const void* location, MPI_Aint* address)
{
    return guard_result("MPI_Get_address", address, "address",
                        [&] { return reinterpret_cast<MPI_Aint>(location); });
}

MPI_Aint aint_add(MPI_Aint base, MPI_Aint displacement)
{
    return base + displacement;
}

MPI_Aint aint_diff(MPI_Aint to, MPI_Aint from)
{
    return to - from;
}

int pcontrol(int)
{
    return MPI_SUCCESS;
}

double wtime()
{
    return wall_time();
}

double wtick()
{
    return 1e-9;
}

}  // namespace tutti::mpi
