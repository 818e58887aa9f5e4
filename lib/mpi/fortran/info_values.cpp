// Values of an info, and names of process sets: C's lengths count the null at the end of a string.
#include <vector>

#include "lib/mpi/fortran/bodies.hpp"
#include "lib/mpi/fortran/values.hpp"

namespace tutti::mpi::fortran {

int info_get(const int* info, const char* key, const int* valuelen, char* value, int* flag,
             std::size_t key_length, std::size_t value_length)
{
    std::vector<char> found(static_cast<std::size_t>(std::max(*valuelen, 0)) + 1);
    const int code = MPI_Info_get(in<MPI_Info>(info), InWord(key, key_length), *valuelen, found.data(), flag);
    if (code == MPI_SUCCESS && *flag != 0)
        put_string(found.data(), value, value_length);
    return code;
}

int info_get_string(const int* info, const char* key, int* buflen, char* value, int* flag,
                    std::size_t key_length, std::size_t value_length)
{
    const int given = *buflen;
    int with_null = given > 0 ? given + 1 : given;
    std::vector<char> found(static_cast<std::size_t>(std::max(with_null, 0)) + 1);
    const int code =
        MPI_Info_get_string(in<MPI_Info>(info), InWord(key, key_length), &with_null, found.data(), flag);
    if (code != MPI_SUCCESS || *flag == 0)
        return code;
    *buflen = with_null - 1;
    if (given > 0)
        put_string(found.data(), value, value_length);
    return code;
}

int session_get_nth_pset(const int* session, const int* info, const int* n, int* pset_len, char* pset_name,
                         std::size_t name_length)
{
    const int given = *pset_len;
    int with_null = given > 0 ? given + 1 : given;
    std::vector<char> found(static_cast<std::size_t>(std::max(with_null, 0)) + 1);
    const int code =
        MPI_Session_get_nth_pset(in<MPI_Session>(session), in<MPI_Info>(info), *n, &with_null, found.data());
    if (code != MPI_SUCCESS)
        return code;
    *pset_len = with_null - 1;
    if (given > 0)
        put_string(found.data(), pset_name, name_length);
    return code;
}

}  // namespace tutti::mpi::fortran
