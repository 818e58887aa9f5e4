// How another tuttirun of this user finds the jobs on this machine, and asks them.
//
// A job listens at a name that is no file, so nothing of it stays, however it ends. Anybody may take such
// names, so both sides check that the other belongs to the same user before they say a word, and a job whose
// name is taken has another one. An asker sends a line and gets bytes to the end of the connection.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/event_loop.hpp"

namespace tutti::launcher {

/// The questions. A rank's number follows the last two.
inline constexpr std::string_view kAskName = "name";  // what tells this job from others, at once
inline constexpr std::string_view kAskStatus = "status";
inline constexpr std::string_view kAskSnapshot = "snapshot";
inline constexpr std::string_view kAskRank = "rank";
inline constexpr std::string_view kAskStack = "stack";

class StatusSocket {
public:
    using Answer = std::function<void(const std::string& text)>;
    using Asked = std::function<void(const std::string& question, Answer answer)>;

    /// `asked` gives the text to `answer`, perhaps later. Without a socket, if the system gives none.
    StatusSocket(EventLoop& loop, Asked asked);
    ~StatusSocket();
    StatusSocket(const StatusSocket&) = delete;
    StatusSocket& operator=(const StatusSocket&) = delete;

private:
    struct Asker {
        UniqueFd socket;
        std::string question;
        EventLoop::TimerId limit = 0;
    };

    void accept();
    void read(std::list<Asker>::iterator asker);
    void drop(std::list<Asker>::iterator asker);

    EventLoop& loop_;
    Asked asked_;
    UniqueFd socket_;
    std::list<Asker> askers_;  // whose question has not come
};

/// There is no such job of this user.
class NoSuchJob : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A question to a job, and its answer as it comes.
class JobQuestion {
public:
    /// Throws NoSuchJob.
    JobQuestion(int job, std::string_view question);

    /// To be polled for reading; -1: the job takes no question.
    int descriptor() const noexcept { return socket_.get(); }
    /// Takes what has come. Whether the answer is complete.
    bool receive();
    const std::string& answer() const noexcept { return answer_; }

private:
    UniqueFd socket_;
    std::string answer_;
};

/// The jobs of this user, by their tuttirun's process ids.
std::vector<int> jobs_of_user();

/// The job that `text` names; where it is empty, the only one. Messages name `option`. Throws
/// UsageError where there is none, or several: then it lists them.
int choose_job(std::string_view option, const std::string& text);

/// Waits for the answer. Throws NoSuchJob, and std::runtime_error where none comes in time.
std::string ask_job(int job, std::string_view question);

/// tuttirun --status: prints what the job's ranks do.
void show_status(const std::string& job);

}  // namespace tutti::launcher
