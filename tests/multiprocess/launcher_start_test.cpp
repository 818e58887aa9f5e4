// Daemons that do not come up, each in the way in which ssh fails; and tuttirun --doctor, which looks for
// why.
#include <map>

#include <catch2/catch.hpp>


#include "tests/json.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

using Words = std::vector<std::string>;

/// "--launch-agent" for a script of the shell's, called with the host as $1 and the command behind it. The
/// agent is split at blanks, so the script comes from the environment.
struct Agent {
    explicit Agent(const std::string& script) { ::setenv("TEST_AGENT_SCRIPT", script.c_str(), 1); }
    ~Agent() { ::unsetenv("TEST_AGENT_SCRIPT"); }
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    static Words run(const std::string& hosts, const Words& rest)
    {
        Words words = {"-H", hosts, "--launch-agent", '"' + path() + '"'};
        words.insert(words.end(), rest.begin(), rest.end());
        return words;
    }

    /// As messages show its path.
    static std::string shown()
    {
        return path().find_first_of(" '") == std::string::npos ? path() : '"' + path() + '"';
    }

private:
    static std::string path()
    {
        const char* const folder = std::getenv("TUTTI_TEST_AGENTS");
        return std::string(folder != nullptr ? folder : ".") + "/scripted";
    }
};

/// Runs the command here.
constexpr const char* kWorks = R"(shift; exec sh -c "$*")";

}  // namespace

TEST_CASE("an agent that fails on one host ends the start of all, with its words")
{
    const Agent agent(R"(case $1 in
        b) echo "ssh: connect to host b port 22: Connection refused" >&2; exit 255;;
        *) shift; exec sh -c "$*";; esac)");
    const Result result = tuttirun(Agent::run("a,b,c", {"true"}));
    CHECK(result.status == 1);
    CHECK(result.out.empty());
    CHECK(contains(result.err, "cannot start tuttirun on b: '"));
    CHECK(contains(result.err, Agent::shown() + " b \"exec '"));
    CHECK(contains(result.err,
                   "ended with status 255 before the daemon had connected and said:\n    ssh: connect to "
                   "host b port 22: Connection refused\n"));
    CHECK(contains(result.err, "is sshd running on b"));
    CHECK(result.seconds < 10);
}

TEST_CASE("an agent that hangs is given up in time, and everything with it")
{
    const Agent agent("echo connecting; exec sleep 1000");
    const Result result = tuttirun(Agent::run("a,b", {"--start-timeout", "0.5", "true"}));
    CHECK(result.status == 1);
    CHECK(
        contains(result.err, "brought up no daemon that connects within 0.5 s and said:\n    connecting\n"));
    CHECK(result.seconds < 10);
}

TEST_CASE("what login scripts write does not matter")
{
    const Agent agent(R"(echo Welcome to $1; head -c 100000 /dev/zero | tr '\0' x; shift; exec sh -c "$*")");
    const Result result = tuttirun(Agent::run("a,b", {"-q", "sh", "-c", "echo $PMIX_RANK"}));
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == Words{"0", "1"});
    CHECK(result.err.empty());
}

TEST_CASE("where Tutti is not installed the path and the remedy are named")
{
    const Agent agent(kWorks);
    const Result result = tuttirun(Agent::run("a,b", {"--prefix", "/nonexistent", "true"}));
    CHECK(result.status == 1);
    CHECK(contains(result.err, "ended with status 127"));
    CHECK(contains(result.err, "Tutti must be installed on "));
    CHECK(contains(result.err, " as /nonexistent/bin/tuttirun"));
    CHECK(contains(result.err, "--prefix DIR"));
}

TEST_CASE("users, an agent of the environment's, and hosts that get no rank")
{
    const Agent agent(R"([ "$1" = -l ] && { echo "user $2 on $3" >&2; shift 2; }; [ "$1" = c ] && exit 9
                         shift; exec sh -c "$*")");
    // With -v the commands are told.
    const Result result = tuttirun(Agent::run("me@a:2,b:2,c:2", {"-v", "-n", "4", "true"}));
    CHECK(result.status == 0);
    CHECK(contains(result.err, Agent::shown() + " -l me a \"exec '"));
    CHECK(contains(result.err, Agent::shown() + " b \"exec '"));
    CHECK_FALSE(contains(result.err, Agent::shown() + " c \"exec '"));
}

TEST_CASE("maps and bindings name the hosts")
{
    const Agent agent(kWorks);
    const Result result = tuttirun(
        Agent::run("a:2,b:2", {"--map-by", "node", "--display-map", "--report-bindings", "-n", "3", "true"}));
    CHECK(result.status == 0);
    CHECK(contains(result.out, "host a: 2 ranks\n  program 0: true\n    rank 0: "));
    CHECK(contains(result.out, "host b: 1 rank\n  program 0: true\n    rank 1: "));
    CHECK(contains(result.err, "rank 1 on b "));
    CHECK(contains(result.err, "rank 2 on a "));
}

TEST_CASE("of many hosts that are alike, maps and bindings show one")
{
    const Agent agent(kWorks);
    const Words job = {"--bind-to", "none", "--display-map", "--report-bindings", "true"};
    const Result result = tuttirun(Agent::run("127.0.1.[1-7]:2", job));
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(lines_of(result.out) == Words{"host 127.0.1.1: 2 ranks", "  program 0: true",
                                        "    rank 0: not bound", "    rank 1: not bound",
                                        "hosts 127.0.1.[2-7]: alike, with ranks 2-13"});
    const Words lines = lines_of(result.err);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].starts_with("rank 0 on 127.0.1.1 not bound"));
    CHECK(lines[1].starts_with("rank 1 on 127.0.1.1 not bound"));
    CHECK(lines[2] == "ranks 2-13 on 127.0.1.[2-7]: alike, as on 127.0.1.1");
}

// Hosts that are addresses: their names are looked up without asking anybody.
TEST_CASE("the doctor finds healthy hosts healthy")
{
    const Agent agent(kWorks);
    const Result result =
        tuttirun(Agent::run("127.0.0.2,127.0.0.3,127.0.0.4", {"--interface", "lo", "--doctor"}));
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    for (const char* host : {"127.0.0.2", "127.0.0.3", "127.0.0.4"}) {
        CHECK(contains(result.out, std::string("[ok]   ") + host + ": the daemon is there after "));
        CHECK(contains(result.out, std::string("[ok]   ") + host + ": shared memory works"));
    }
    for (const char* pair : {"2 -> 127.0.0.3", "3 -> 127.0.0.2", "2 -> 127.0.0.4", "4 -> 127.0.0.2",
                             "3 -> 127.0.0.4", "4 -> 127.0.0.3"}) {
        CHECK(contains(result.out, std::string("[ok]   127.0.0.") + pair + ": "));
    }
    CHECK(contains(result.out, "to 127.0.0.1 (lo) from 127.0.0.1 (lo)"));
    CHECK(contains(result.out, "[warn] 127.0.0.3: is the same machine as 127.0.0.2"));
    CHECK(contains(result.out, " 0 failures"));

    const Result alone = tuttirun({"--doctor"});
    CHECK(alone.status == 0);
    CHECK(contains(alone.out, ": this host"));
    CHECK_FALSE(contains(alone.out, "->"));

    const Result for_programs =
        tuttirun(Agent::run("127.0.0.2,127.0.0.3", {"--interface", "lo", "--doctor", "--json"}));
    CAPTURE(for_programs.out);
    CHECK(for_programs.status == 0);
    CHECK(for_programs.out.starts_with("{"));
    CHECK(for_programs.out.ends_with("}\n"));
    CHECK(contains(for_programs.out, R"("failures": 0)"));
    CHECK(contains(for_programs.out, R"("latency_us": )"));
}

TEST_CASE("the doctor names the hosts that fail, and looks at the others all the same")
{
    const Agent agent(R"(case $1 in
        127.0.0.3) echo "Host key verification failed." >&2; exit 255;;
        127.0.0.4) kill -9 $$;;
        127.0.0.6) exec "$TUTTI_TEST_PROGRAMS/other_daemon" version;;
        127.0.0.7) exec "$TUTTI_TEST_PROGRAMS/other_daemon" machine;;
        *) shift; exec sh -c "$*";; esac)");
    const Result result = tuttirun(Agent::run("127.0.0.2,127.0.0.3,127.0.0.4,127.0.0.5,127.0.0.6,127.0.0.7",
                                              {"--interface", "lo", "--doctor"}));
    CAPTURE(result.out, result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.out, "[FAIL] cannot start tuttirun on 127.0.0.3: "));
    CHECK(contains(result.out, "run 'ssh 127.0.0.3' once by hand"));
    CHECK(contains(result.out, "[FAIL] cannot start tuttirun on 127.0.0.4: "));
    CHECK(contains(result.out, "[ok]   127.0.0.2 -> 127.0.0.5: "));
    CHECK(contains(result.out, "[FAIL] 127.0.0.6 (127.0.0.1) has Tutti 0.0.9, this is "));
    CHECK(contains(result.out, "[FAIL] 127.0.0.7 (127.0.0.1) is a machine of another kind (vax, this is "));
    CHECK(contains(result.out, "4 failures"));

    const Result no_network =
        tuttirun(Agent::run("127.0.0.2,127.0.0.3", {"--interface", "nosuch0", "--doctor"}));
    CHECK(no_network.status != 0);
    CHECK(contains(no_network.out + no_network.err, "nosuch0"));
}

TEST_CASE("of many hosts that are alike, the doctor prints one line, and for programs a finding each")
{
    const Agent agent(R"(case $1 in
        127.0.0.[34]) echo "Warning: a banner" >&2; echo "Host key verification failed." >&2; exit 255;;
        *) shift; exec sh -c "$*";; esac)");
    Words doctor = {"--interface", "lo", "--doctor"};
    const Result result = tuttirun(Agent::run("127.0.0.[2-9]", doctor));
    CAPTURE(result.out, result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.out, "[ok]   127.0.0.[2,5-9]: the daemons are there after "));
    CHECK(contains(result.out, "[FAIL] 127.0.0.[3-4]: cannot start tuttirun on HOST: '"));
    CHECK(contains(result.out,
                   "and said:\n           Host key verification failed.\n       and, as a warning:\n"
                   "           Warning: a banner\n       run 'ssh HOST' once by hand"));
    CHECK(contains(result.out, "[ok]   127.0.0.[2,5-9]: shared memory works\n"));
    CHECK(contains(result.out, "[ok]   127.0.0.[2,5-9]: networks: lo 127.0.0.0/8"));
    CHECK(contains(result.out, "[ok]   127.0.0.[2,5-9]: the clocks differ by "));
    CHECK(contains(result.out, "[warn] 127.0.0.[5-9]: is the same machine as 127.0.0.2\n"));
    CHECK(contains(result.out, "30 pairs of hosts reach each other"));
    CHECK(contains(result.out, "\n5 warnings, 2 failures\n"));

    doctor.emplace_back("--json");
    const Json document(tuttirun(Agent::run("127.0.0.[2-9]", doctor)).out);
    CHECK(document["hosts"].size() == 8);
    std::map<std::string, int> checks;
    for (const Json& finding : document["findings"].elements())
        ++checks[finding["check"].text()];
    CHECK(checks["start"] == 8);
    CHECK(checks["shared_memory"] == 6);
    CHECK(checks["clock"] == 6);
    CHECK(checks["reach"] == 30);
}
