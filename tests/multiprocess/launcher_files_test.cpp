// Files that options name, and standard error, where nobody reads what is written, or where it cannot be written.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/foundation/base/unique_fd.hpp"
#include "tests/json.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;
namespace fs = std::filesystem;

namespace {

using tutti::base::UniqueFd;
using Words = std::vector<std::string>;

class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / "tutti-files-XXXXXX") { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    std::string pipe(const std::string& name) const
    {
        fs::create_directories(fs::path(*this / name).parent_path());
        REQUIRE(::mkfifo((*this / name).c_str(), 0600) == 0);
        return *this / name;
    }

private:
    std::string path_;
};

/// A pipe's reader, with room for little until it reads.
class Reader {
public:
    explicit Reader(const std::string& pipe) : pipe_(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    {
        REQUIRE(::fcntl(pipe_.get(), F_SETPIPE_SZ, 4096) >= 0);
    }

    /// To the end, for which it waits.
    std::string read()
    {
        ::fcntl(pipe_.get(), F_SETFL, 0);
        std::string text;
        std::string part(65536, '\0');
        for (ssize_t bytes = 0; (bytes = ::read(pipe_.get(), part.data(), part.size())) > 0;) {
            text.append(part, 0, static_cast<std::size_t>(bytes));
        }
        return text;
    }

private:
    UniqueFd pipe_;
};

/// As the shell has it; `redirection` is behind all other words.
Words redirected(const Words& arguments, const std::string& redirection)
{
    std::string command = "exec";
    for (const std::string& word : tuttirun_command(arguments)) {
        command += ' ' + shell_quoted(word);
    }
    return {"sh", "-c", command + ' ' + redirection};
}

bool soon(const auto& is_so)
{
    const auto patience = std::chrono::steady_clock::now() + std::chrono::duration<double>(kSoonSeconds);
    while (!is_so() && std::chrono::steady_clock::now() < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return is_so();
}

}  // namespace

TEST_CASE("a pipe that nobody reads is told where an option names it", "[files]")
{
    const Folder folder;
    const std::string html = folder.pipe("report.html");
    const std::string json = folder.pipe("report.json");
    const std::string output = folder.pipe("output/rank.0/stdout");
    const std::string all = folder / "output";
    for (const Words& option : std::vector<Words>{{"--report-json", json},
                                                  {"--stats=" + html},
                                                  {"--stats=" + json},
                                                  {"--trace", html},
                                                  {"--trace", json},
                                                  {"--output-filename", all}}) {
        CAPTURE(option.front());
        Words words = option;
        words.insert(words.end(), {"-n", "1", "echo", "never"});
        const Result result = tuttirun(words);
        const bool is_directory = option.back() == all;
        CHECK(result.status == (is_directory ? 1 : 2));
        CHECK(result.out == "");
        CHECK(contains(result.err, "cannot write " + (is_directory ? output : fs::path(option.back().substr(
                                                                                  option.back().find('/')))
                                                                                  .string()) +
                                       ": it is a pipe that nobody reads; start its reader first"));
        CHECK(result.seconds < kSoonSeconds);
    }
}

TEST_CASE("a report arrives whole at a pipe's reader, who may come and read late", "[files]")
{
    const Folder folder;
    const std::string pipe = folder.pipe("report.json");
    const std::string long_word(100'000, 'x');
    Launched job(tuttirun_command({"--report-json", pipe, "-n", "1", "true", long_word}));
    Reader reader(pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const Json report{reader.read()};
    CHECK(report["programs"][0][1] == long_word);
    CHECK(report["exit_status"] == 0);
    CHECK(job.wait().status == 0);
}

TEST_CASE("the launcher can be ended while nobody reads its report", "[files]")
{
    const Folder folder;
    const std::string html = folder.pipe("report.html");
    const std::string json = folder.pipe("report.json");
    const std::string output = folder.pipe("output/rank.0/stdout");
    const std::string long_word(100'000, 'x');
    for (const auto& [option, pipe] : std::vector<std::pair<Words, std::string>>{
             {{"--report-json", json}, json},
             {{"--stats=" + html}, html},
             {{"--trace", html}, html},
             {{"--output-filename", folder / "output"}, output}}) {
        CAPTURE(option.front());
        const Reader reader(pipe);
        Words words = option;
        const std::string go = folder / ("go" + option.front().substr(0, 7));
        words.insert(words.end(),
                     {"-n", "1", "sh", "-c",
                      "echo here; until test -e " + go + "; do sleep 0.02; done; head -c 100000 /dev/zero",
                      long_word});
        Launched job(tuttirun_command(words));
        REQUIRE(job.wait_for_output("here"));
        std::ofstream(go).put('\n');
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        CHECK_FALSE(job.processes().empty());  // it waits
        job.signal(SIGTERM);
        CHECK(job.wait().status == 128 + SIGTERM);
    }
}

TEST_CASE("where standard error cannot be written, messages are lost, and the job runs", "[files]")
{
    for (const std::string redirection : {"2> /dev/full", "2>&-", "2>&- >&-", "2> /dev/full >&2"}) {
        for (const Words& option :
             std::vector<Words>{{}, {"--stats"}, {"--report-bindings"}, {"-v"}, {"--display", "map"}}) {
            CAPTURE(redirection, option);
            const Folder folder;
            Words words = option;
            // A moment for the messages.
            words.insert(words.end(), {"-n", "1", "sh", "-c", "sleep 0.1; echo ran > " + folder / "ran"});
            CHECK(Launched(redirected(words, redirection)).wait().status == 0);
            CHECK(file_text(folder / "ran") == "ran\n");
        }
        CHECK(Launched(redirected({"--nonsense"}, redirection)).wait().status == 2);
        CHECK(Launched(redirected({"-n", "1", "false"}, redirection)).wait().status == 1);
    }
}

TEST_CASE("where nobody reads standard error, the job runs, and a signal ends the launcher", "[files]")
{
    const Folder folder;
    const std::string pipe = folder.pipe("stderr");
    const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const UniqueFd writer(::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    const std::string page(4096, '.');
    while (::write(writer.get(), page.data(), page.size()) > 0) {
    }
    for (const std::string option : {"--report-bindings", "--stats", "-v"}) {
        CAPTURE(option);
        const std::string ran = folder / ("ran" + option);
        Launched job(redirected({option, "-n", "1", "sh", "-c", "echo ran > " + ran}, "2> " + pipe));
        CHECK(soon([&] { return file_text(ran) == "ran\n"; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        CHECK_FALSE(job.processes().empty());
        job.signal(SIGTERM);
        CHECK(job.wait().status == 128 + SIGTERM);
    }
    Launched wrong(redirected({"--nonsense"}, "2> " + pipe));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    wrong.signal(SIGTERM);
    CHECK(wrong.wait().status == 128 + SIGTERM);
}

TEST_CASE("a signal ends the launcher that waits for the writer of a file of hosts", "[files]")
{
    const Folder folder;
    Launched job(tuttirun_command({"--hostfile", folder.pipe("hosts"), "true"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
}
