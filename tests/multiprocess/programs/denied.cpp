// Runs a program to which the kernel denies a system call, as a container's filter would:
//   denied CALL ERRNO PROGRAM ARGUMENT...
// Both are numbers, since names of calls differ by machine; the caller has <sys/syscall.h> and <errno.h>.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/deny.hpp"

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: denied CALL ERRNO PROGRAM ARGUMENT...\n");
        return 2;
    }
    if (!tutti::test::deny(static_cast<unsigned>(std::atoi(argv[1])),
                           static_cast<unsigned>(std::atoi(argv[2])))) {
        std::perror("denied: no filter");
        return 77;
    }
    ::execvp(argv[3], argv + 3);
    std::perror(argv[3]);
    return 127;
}
