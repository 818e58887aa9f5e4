#include "launcher/report/status_socket.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"

namespace tutti::launcher {

namespace {

using Clock = EventLoop::Clock;

constexpr int kBacklog = 8;
constexpr std::size_t kMostAskers = 16;
constexpr std::size_t kMostQuestionBytes = 64;
constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 20;
constexpr std::chrono::seconds kQuestionTime{2};
constexpr std::chrono::seconds kStatusTime{10};
/// For all jobs together to say what they are; a tuttirun that is stopped never does.
constexpr std::chrono::seconds kNameTime{2};
/// Before a job that takes no question is asked again.
constexpr std::chrono::milliseconds kPause{50};

std::string prefix()
{
    return fmt::format("tutti-job-{}-", ::geteuid());
}

std::string name_of(int job)
{
    return prefix() + std::to_string(job);
}

/// An address whose name begins with a zero byte is no file.
std::pair<sockaddr_un, socklen_t> address_of(const std::string& name)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())};
}

UniqueFd open_socket()
{
    return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool is_same_user(int socket)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

/// What listens at a name.
enum class Found { nobody, other_user, busy, job };

Found connect(UniqueFd& socket, const std::string& name)
{
    socket = open_socket();
    const auto [address, size] = address_of(name);
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
        return socket && errno == EAGAIN ? Found::busy : Found::nobody;
    return is_same_user(socket.get()) ? Found::job : Found::other_user;
}

/// All sockets' names that begin with these words, without the byte for zero.
std::vector<std::string> names_with(const std::string& begin)
{
    std::ifstream sockets("/proc/net/unix");
    std::vector<std::string> names;
    for (std::string line; std::getline(sockets, line);)
        if (const std::size_t found = line.rfind(" @" + begin); found != std::string::npos)
            names.push_back(line.substr(found + 2));
    return names;
}

/// Any user may have taken the job's name, or one of the others that it may have: who listens there tells.
Found find_job(UniqueFd& socket, int job)
{
    std::vector<std::string> names = names_with(name_of(job) + '-');
    names.insert(names.begin(), name_of(job));
    Found most = Found::nobody;
    for (const std::string& name : names) {
        const Found found = connect(socket, name);
        if (found == Found::job)
            return found;
        most = std::max(most, found);
    }
    socket.reset();
    return most;
}

/// A busy socket does not tell whose it is.
bool is_process_of_user(int process)
{
    struct stat status {};
    return ::stat(fmt::format("/proc/{}", process).c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

}  // namespace

StatusSocket::StatusSocket(EventLoop& loop, Asked asked) : loop_(loop), asked_(std::move(asked))
{
    UniqueFd socket = open_socket();
    const auto takes = [&socket](const std::string& name) {
        const auto [address, size] = address_of(name);
        return socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
    };
    // Where another user has taken the name, it gets an end that nobody foresees.
    const std::string name = name_of(::getpid());
    if ((!takes(name) && !takes(fmt::format("{}-{:08x}", name, std::random_device()()))) ||
        ::listen(socket.get(), kBacklog) != 0)
        return;
    socket_ = std::move(socket);
    loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
}

StatusSocket::~StatusSocket()
{
    if (socket_)
        loop_.forget(socket_.get());
    while (!askers_.empty())
        drop(askers_.begin());
}

void StatusSocket::accept()
{
    UniqueFd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket || !is_same_user(socket.get()) || askers_.size() >= kMostAskers)
        return;
    const auto asker = askers_.insert(askers_.end(), {std::move(socket), {}, 0});
    asker->limit = loop_.after(kQuestionTime, [this, asker] { drop(asker); });
    loop_.watch(asker->socket.get(), EPOLLIN, [this, asker](std::uint32_t) { read(asker); });
}

void StatusSocket::drop(std::list<Asker>::iterator asker)
{
    loop_.forget(asker->socket.get());
    loop_.cancel(asker->limit);
    askers_.erase(asker);
}

void StatusSocket::read(std::list<Asker>::iterator asker)
{
    std::array<char, kMostQuestionBytes> bytes;
    const ssize_t count = ::recv(asker->socket.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EAGAIN)
        return;
    asker->question.append(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    const std::size_t end = asker->question.find('\n');
    if (end == std::string::npos) {
        if (count <= 0 || asker->question.size() > kMostQuestionBytes)
            drop(asker);
        return;
    }
    const std::string question = asker->question.substr(0, end);
    loop_.forget(asker->socket.get());
    const auto socket = std::make_shared<UniqueFd>(std::move(asker->socket));
    loop_.cancel(asker->limit);
    askers_.erase(asker);
    asked_(question, [socket](const std::string& text) {
        // An answer fits into the socket's buffer; an asker who does not read loses the rest.
        static_cast<void>(::send(socket->get(), text.data(), text.size(), MSG_NOSIGNAL));
        socket->reset();
    });
}

JobQuestion::JobQuestion(int job, std::string_view question)
{
    UniqueFd socket;
    const Found found = find_job(socket, job);
    if (found == Found::nobody)
        throw NoSuchJob(fmt::format("no job {} of yours runs on this machine", job));
    if (found == Found::other_user)
        throw NoSuchJob(fmt::format("job {} is not yours", job));
    const std::string line = std::string(question) + '\n';
    if (found == Found::busy || ::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0)
        return;  // too many ask at once, or it has just ended
    socket_ = std::move(socket);
}

bool JobQuestion::receive()
{
    std::array<char, 16384> buffer;
    ssize_t bytes = 0;
    while ((bytes = ::recv(socket_.get(), buffer.data(), buffer.size(), 0)) > 0 &&
           answer_.size() < kMostAnswerBytes)
        answer_.append(buffer.data(), static_cast<std::size_t>(bytes));
    return bytes >= 0 || errno != EAGAIN;
}

std::vector<int> jobs_of_user()
{
    std::set<int> jobs;
    for (const std::string& name : names_with(prefix())) {
        int job = 0;
        std::from_chars(name.data() + prefix().size(), name.data() + name.size(), job);
        jobs.insert(job);
    }
    std::erase_if(jobs, [](int job) {
        UniqueFd socket;
        const Found found = find_job(socket, job);
        return found != Found::job && !(found == Found::busy && is_process_of_user(job));
    });
    return {jobs.begin(), jobs.end()};
}

namespace {

/// What each job is. All are asked at once, since one that is stopped takes the whole time.
std::map<int, std::string> names_of(const std::vector<int>& jobs)
{
    std::map<int, std::string> names;
    std::vector<std::pair<int, JobQuestion>> asked;
    for (const int job : jobs) {
        names[job] = "gives no answer: its tuttirun is stopped, or ends";
        try {
            if (JobQuestion question(job, kAskName); question.descriptor() >= 0)
                asked.emplace_back(job, std::move(question));
        } catch (const NoSuchJob&) {
            names.erase(job);  // it has ended meanwhile
        }
    }
    const Clock::time_point end = Clock::now() + kNameTime;
    while (!asked.empty() && Clock::now() < end) {
        std::vector<pollfd> waits;
        for (const auto& [job, question] : asked)
            waits.push_back({question.descriptor(), POLLIN, 0});
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        ::poll(waits.data(), waits.size(), static_cast<int>(left.count()) + 1);
        std::erase_if(asked, [&names](auto& one) {
            auto& [job, question] = one;
            if (!question.receive())
                return false;
            if (!question.answer().empty())
                names[job] = question.answer();
            return true;
        });
    }
    return names;
}

}  // namespace

int choose_job(std::string_view option, const std::string& text)
{
    constexpr int kMostPids = 1 << 22;
    if (!text.empty())
        return parse_number(option, "process id of a tuttirun", text, 1, kMostPids);
    const std::vector<int> jobs = jobs_of_user();
    if (jobs.size() == 1)
        return jobs.front();
    const std::map<int, std::string> names = names_of(jobs);
    if (names.empty())
        throw UsageError(
            fmt::format("no job of yours runs on this machine; {} asks the tuttirun of a job there", option));
    std::string list;
    for (const auto& [job, name] : names)
        list += fmt::format("\n  {}: {}", job, name);
    throw UsageError(fmt::format("several jobs of yours run here; choose one by its number, as in {} {}:{}",
                                 option, names.begin()->first, list));
}

std::string ask_job(int job, std::string_view question)
{
    JobQuestion asked(job, question);
    const Clock::time_point end = Clock::now() + kStatusTime;
    bool complete = false;
    while (!complete && Clock::now() < end) {
        if (asked.descriptor() < 0) {
            std::this_thread::sleep_for(kPause);
            asked = JobQuestion(job, question);
            continue;
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        pollfd wait{asked.descriptor(), POLLIN, 0};
        complete = ::poll(&wait, 1, static_cast<int>(left.count()) + 1) > 0 && asked.receive();
    }
    if (!complete || asked.answer().empty())
        throw std::runtime_error(
            fmt::format("job {} gives no answer: its tuttirun is stopped, or ends", job));
    return asked.answer();
}

void show_status(const std::string& job)
{
    std::fputs((ask_job(choose_job("--status", job), kAskStatus) + "\n").c_str(), stdout);
}

}  // namespace tutti::launcher
