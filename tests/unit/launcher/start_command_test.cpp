#include "launcher/job/start_command.hpp"

#include <catch2/catch.hpp>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

using namespace tutti::launcher;
using Words = std::vector<std::string>;

namespace {

StartMethod ssh()
{
    StartMethod method;
    method.program = "/opt/my tutti's/bin/tuttirun";
    return method;
}

std::string failure(const AgentEnd& end)
{
    const RemoteHost host{1, "b", "me"};
    return describe_start_failure(ssh(), remote_shell_command(ssh(), host), {&host, 1}, end);
}

}  // namespace

TEST_CASE("ssh is reported never to ask, and the path survives any shell")
{
    CHECK(remote_shell_command(ssh(), {1, "b", ""}) ==
          Words{"ssh", "-x", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "b",
                "exec '/opt/my tutti'\\''s/bin/tuttirun' --daemon"});
    StartMethod other = ssh();
    other.program = "/t";
    other.agent = {"/usr/bin/ssh", "-p", "2222"};
    CHECK(remote_shell_command(other, {1, "b", "me"}) == Words{"/usr/bin/ssh", "-p", "2222", "-x", "-T", "-o",
                                                               "BatchMode=yes", "-o", "ConnectTimeout=10",
                                                               "-l", "me", "b", "exec '/t' --daemon"});
    other.agent = {"my-agent"};
    CHECK(remote_shell_command(other, {1, "b", "me"}) ==
          Words{"my-agent", "-l", "me", "b", "exec '/t' --daemon"});
}

TEST_CASE("One srun starts a daemon on each of the hosts")
{
    StartMethod method;
    method.kind = StartMethod::Agent::srun;
    method.agent = {"srun"};
    method.program = "/t/tuttirun";
    const std::vector<RemoteHost> hosts = {{1, "n1", ""}, {2, "n2", ""}};
    const Words command = srun_command(method, hosts);
    const auto has = [&](const std::string& word) {
        return std::find(command.begin(), command.end(), word) != command.end();
    };
    CHECK(command.front() == "srun");
    CHECK(has("--nodes=2"));
    CHECK(has("--ntasks=2"));
    CHECK(has("--nodelist=n[1-2]"));
    CHECK(has("--overlap"));
    CHECK(has("--mpi=none"));
    CHECK(command[command.size() - 2] == "/t/tuttirun");
    CHECK(command.back() == "--daemon");
}

TEST_CASE("Failures come with host, command, the agent's words and a remedy")
{
    using Kind = AgentEnd::Kind;
    struct Row {
        AgentEnd end;
        const char* first;
        const char* remedy;
    };
    const Row row = GENERATE(values<Row>({
        {{Kind::exited, 255, "ssh: Could not resolve hostname b: Name or service not known\r\n"},
         "ended with status 255 before the daemon had connected and said:\n    ssh: Could not resolve "
         "hostname b",
         "is the name right?"},
        {{Kind::exited, 255, "Host key verification failed.\n"}, "status 255", "run 'ssh me@b' once by hand"},
        {{Kind::exited, 255, "me@b: Permission denied (publickey).\n"},
         "status 255",
         "'ssh me@b true' must work"},
        {{Kind::exited, 255, "ssh: connect to host b port 22: Connection refused"},
         "status 255",
         "is sshd running on b"},
        {{Kind::exited, 255, "ssh: connect to host b port 22: Connection timed out"},
         "status 255",
         "is b up"},
        {{Kind::exited, 127, "bash: line 1: /opt/my tutti's/bin/tuttirun: No such file or directory"},
         "status 127",
         "Tutti must be installed on b as /opt/my tutti's/bin/tuttirun"},
        {{Kind::exited, 2, "slurmstepd-b: error: execve(): /t: No such file or directory"},
         "status 2",
         "Tutti must be installed on b"},
        {{Kind::exited, 126, "bash: cannot execute binary file: Exec format error"},
         "status 126",
         "for another processor"},
        {{Kind::exited, 2, "tuttirun: unknown option '--daemon'"}, "status 2", "install the same version"},
        {{Kind::exited, 3, ""}, "status 3 before the daemon had connected and said nothing", "--doctor"},
        {{Kind::killed, SIGKILL, ""}, "was ended by signal 9 (Killed)", "--doctor"},
        {{Kind::too_late, 0, ""}, "brought up no daemon that connects within 30 s", "firewall"},
        {{Kind::cannot_run, ENOENT, ""}, "ssh cannot be run: No such file", "install openssh-client"},
    }));
    const std::string text = failure(row.end);
    CHECK_THAT(text, Catch::StartsWith("cannot start tuttirun on b: "));
    CHECK_THAT(text, Catch::Contains(row.first));
    CHECK_THAT(text, Catch::Contains(row.remedy));
    if (row.end.kind != Kind::cannot_run) {
        CHECK_THAT(text, Catch::Contains("-l me b \"exec '/opt/my"));
    }
}

TEST_CASE("Of what an agent says the cause comes first, and warnings are called so")
{
    const std::string warning = "Warning: Permanently added 'b' (ED25519) to the list of known hosts.";
    CHECK_THAT(failure({AgentEnd::Kind::exited, 255, warning + "\r\nPermission denied (publickey).\r\n"}),
               Catch::Contains(" and said:\n    Permission denied (publickey).\nand, as a warning:\n    " +
                               warning + "\n'ssh me@b true' must work"));
    CHECK_THAT(failure({AgentEnd::Kind::exited, 3, warning}),
               Catch::Contains(" and said nothing but warnings:\n    " + warning + "\n"));
}

TEST_CASE("What a host says cannot fill or confuse the terminal")
{
    const std::string text =
        failure({AgentEnd::Kind::exited, 1, std::string(100000, 'x') + "\x1b[2J\x07 the end"});
    CHECK(text.size() < 4000);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\x07') == std::string::npos);
    CHECK_THAT(text, Catch::Contains("[2J the end"));
}

TEST_CASE("Many hosts are named as a list")
{
    std::vector<RemoteHost> hosts;
    for (int i = 0; i < 100; ++i) {
        hosts.push_back({i, "n" + std::to_string(i), ""});
    }
    StartMethod method;
    method.kind = StartMethod::Agent::srun;
    CHECK_THAT(describe_start_failure(method, {"srun"}, hosts, {AgentEnd::Kind::exited, 1, "x"}),
               Catch::StartsWith("cannot start tuttirun on n[0-99]: 'srun'"));
}
