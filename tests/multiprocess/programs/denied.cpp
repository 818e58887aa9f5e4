// Runs a program to which the kernel denies a system call, as a container's filter would:
//   denied CALL ERRNO PROGRAM ARGUMENT...
// Both are numbers, since names of calls differ by machine; the caller has <sys/syscall.h> and <errno.h>.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: denied CALL ERRNO PROGRAM ARGUMENT...\n");
        return 2;
    }
    const auto call = static_cast<unsigned>(std::atoi(argv[1]));
    const auto error_number = static_cast<unsigned>(std::atoi(argv[2]));
    std::array<sock_filter, 4> instructions{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error_number & SECCOMP_RET_DATA)),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{instructions.size(), instructions.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        std::perror("denied: no filter");
        return 77;
    }
    ::execvp(argv[3], argv + 3);
    std::perror(argv[3]);
    return 127;
}
