// How tuttirun --status finds the jobs of this user on this machine, and asks them.
//
// A job listens at a name that is no file, so nothing of it stays, however it ends. Both sides check that the
// other belongs to the same user.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/base/open_files.hpp"

namespace tutti::launcher {

class StatusSocket {
public:
    using Answer = std::function<void(const std::string& text)>;

    /// `asked` gives the text to `answer`, perhaps later. Without a socket, if the system gives none.
    StatusSocket(EventLoop& loop, std::function<void(Answer answer)> asked);
    ~StatusSocket();
    StatusSocket(const StatusSocket&) = delete;
    StatusSocket& operator=(const StatusSocket&) = delete;

private:
    void accept();

    EventLoop& loop_;
    std::function<void(Answer answer)> asked_;
    UniqueFd socket_;
};

/// The jobs of this user, by their tuttirun's process ids.
std::vector<int> jobs_of_user();

/// What the job's ranks do. Throws std::runtime_error where there is no such job, or it does not answer.
std::string ask_for_status(int job);

/// tuttirun --status: prints what the job's ranks do; without a job, those of the only one. Throws UsageError
/// where there is none, or several.
void show_status(const std::string& job);

}  // namespace tutti::launcher
