// Integers that stand for handles, as Fortran programs have them. A predefined handle is its own integer.
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

// The handle of a created object is its address. An address keeps its integer after the object's end: the
// integer then leads to what the address is, a freed object or a new one.
struct HandleNumbers {
    static constexpr std::uintptr_t kFirst = 4096;

    std::mutex mutex;
    std::unordered_map<std::uintptr_t, int> numbers;
    std::vector<std::uintptr_t> handles;  // by number - kFirst
};

// Never destroyed: handles may be converted after main.
HandleNumbers& handle_numbers()
{
    static HandleNumbers& all = *new HandleNumbers;
    return all;
}

template <class Handle>
int number_of(Handle handle)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    HandleNumbers& all = handle_numbers();
    if (value < all.kFirst)
        return static_cast<int>(value);
    const std::lock_guard lock(all.mutex);
    const auto next = static_cast<int>(all.kFirst + all.handles.size());
    const auto [place, is_new] = all.numbers.try_emplace(value, next);
    if (is_new)
        all.handles.push_back(value);
    return place->second;
}

// `none`: the null handle, for an integer that was given to no handle.
template <class Handle>
Handle handle_of_number(int number, Handle none)
{
    HandleNumbers& all = handle_numbers();
    const auto value = static_cast<std::uintptr_t>(number);
    if (number < 0)
        return none;
    if (value < all.kFirst)
        return reinterpret_cast<Handle>(value);
    const std::lock_guard lock(all.mutex);
    return value - all.kFirst < all.handles.size() ? reinterpret_cast<Handle>(all.handles[value - all.kFirst])
                                                   : none;
}

}  // namespace

int comm_toint(MPI_Comm handle)
{
    return number_of(handle);
}
MPI_Comm comm_fromint(int number)
{
    return handle_of_number(number, MPI_COMM_NULL);
}

int errhandler_toint(MPI_Errhandler handle)
{
    return number_of(handle);
}
MPI_Errhandler errhandler_fromint(int number)
{
    return handle_of_number(number, MPI_ERRHANDLER_NULL);
}

int file_toint(MPI_File handle)
{
    return number_of(handle);
}
MPI_File file_fromint(int number)
{
    return handle_of_number(number, MPI_FILE_NULL);
}

int group_toint(MPI_Group handle)
{
    return number_of(handle);
}
MPI_Group group_fromint(int number)
{
    return handle_of_number(number, MPI_GROUP_NULL);
}

int info_toint(MPI_Info handle)
{
    return number_of(handle);
}
MPI_Info info_fromint(int number)
{
    return handle_of_number(number, MPI_INFO_NULL);
}

int message_toint(MPI_Message handle)
{
    return number_of(handle);
}
MPI_Message message_fromint(int number)
{
    return handle_of_number(number, MPI_MESSAGE_NULL);
}

int op_toint(MPI_Op handle)
{
    return number_of(handle);
}
MPI_Op op_fromint(int number)
{
    return handle_of_number(number, MPI_OP_NULL);
}

int request_toint(MPI_Request handle)
{
    return number_of(handle);
}
MPI_Request request_fromint(int number)
{
    return handle_of_number(number, MPI_REQUEST_NULL);
}

int session_toint(MPI_Session handle)
{
    return number_of(handle);
}
MPI_Session session_fromint(int number)
{
    return handle_of_number(number, MPI_SESSION_NULL);
}

int type_toint(MPI_Datatype handle)
{
    return number_of(handle);
}
MPI_Datatype type_fromint(int number)
{
    return handle_of_number(number, MPI_DATATYPE_NULL);
}

int win_toint(MPI_Win handle)
{
    return number_of(handle);
}
MPI_Win win_fromint(int number)
{
    return handle_of_number(number, MPI_WIN_NULL);
}

}  // namespace tutti::mpi
