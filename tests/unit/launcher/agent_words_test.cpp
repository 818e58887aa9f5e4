#include "launcher/job/agent_words.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace tutti::launcher;
using Lines = std::vector<std::string>;

TEST_CASE("What ssh and srun write where all goes well is told from causes")
{
    const std::string harmless = GENERATE(values<std::string>({
        "srun: warning: can't honor --ntasks-per-node set to 1 which doesn't match the requested tasks 4",
        "srun: Warning: can't run 1 processes on 2 nodes, setting nnodes to 1",
        "srun: job 17 queued and waiting for resources",
        "srun: job 17 has been allocated resources",
        "Warning: Permanently added 'b' (ED25519) to the list of known hosts.\r",
        "** WARNING: connection is not using a post-quantum key exchange algorithm.",
        "** This session may be vulnerable to \"store now, decrypt later\" attacks.",
        "bash: warning: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8)",
        "bash: line 1: warning: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8)",
        "Pseudo-terminal will not be allocated because stdin is not a terminal.",
        "Could not chdir to home directory /home/me: No such file or directory",
        "debug1: Exit status 1",
    }));
    const AgentWords words = words_of_agent("before\n" + harmless + "\nbehind");
    CHECK(words.causes == Lines{"before", "behind"});
    CHECK(words.warnings.size() == 1);
}

TEST_CASE("Causes are not taken for warnings")
{
    const std::string cause = GENERATE(values<std::string>({
        "srun: error: b: task 1: Killed",
        "srun: error: warning: the node is down",
        "slurmstepd: error: *** STEP 5.0 ON b CANCELLED AT 2024-01-01T00:00:00 DUE TO NODE FAILURE ***",
        "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",
        "@         WARNING: UNPROTECTED PRIVATE KEY FILE!          @",
        "Connection to b closed by remote host.",
        "client_loop: send disconnect: Broken pipe",
        "ssh: connect to host warning: port 22: Connection refused",
    }));
    CAPTURE(cause);
    const AgentWords words = words_of_agent(cause + "\n\n  \n");
    CHECK(words.causes == Lines{cause});
    CHECK(words.warnings.empty());
    CHECK(words_of_agent("a\x1b[2Jb\x07").causes == Lines{"a[2Jb"});
}

TEST_CASE("A lost daemon is reported with the cause first, and a warning is blamed for nothing")
{
    CHECK(said_by_agent("srun", "").empty());
    CHECK(said_by_agent("srun", "\n").empty());
    CHECK(said_by_agent("srun", "srun: error: b: task 1: Killed\n") ==
          "; srun said: srun: error: b: task 1: Killed");
    CHECK(said_by_agent("srun", "srun: warning: w\nsrun: error: b: task 1: Killed\nsrun: error: done\n") ==
          "; srun said: srun: error: b: task 1: Killed\nsrun: error: done\nand, as a warning: srun: warning: "
          "w");
    CHECK(said_by_agent("ssh", "Warning: Permanently added 'b'\r\n") ==
          "; ssh gave no reason, only warnings: Warning: Permanently added 'b'");
}
