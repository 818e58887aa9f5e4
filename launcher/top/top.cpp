#include "launcher/top/top.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "launcher/report/status_socket.hpp"
#include "launcher/top/screen.hpp"
#include "launcher/wire/codec.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPeriod{1000};
/// An answer that has not come by then never comes: the job's tuttirun dropped the question.
constexpr std::chrono::seconds kSnapshotTime{10};

/// The question under way.
class Asking {
public:
    Asking(int job, TopView& view) : job_(job), view_(view) {}

    int descriptor() const noexcept { return question_ ? question_->descriptor() : -1; }

    /// Takes an answer, and asks when it is time. Throws NoSuchJob.
    void go_on()
    {
        if (question_ && question_->descriptor() >= 0 && question_->receive())
            finish();
        const Clock::time_point now = Clock::now();
        if (question_ && now - asked_ > kSnapshotTime)
            question_.reset();
        if (!question_ && (now - asked_ >= kPeriod || view_.question() != words_)) {
            words_ = view_.question();
            asked_ = now;
            question_.emplace(job_, words_);
        }
        view_.waits(std::chrono::duration<double>(now - answered_).count());
    }

    std::chrono::milliseconds time_left() const
    {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(asked_ + kPeriod - Clock::now());
        return std::clamp(left, std::chrono::milliseconds(1), kPeriod);
    }

private:
    void finish()
    {
        const std::string answer = question_->answer();
        question_.reset();
        if (answer.empty())
            return;  // it ends, or too many ask
        answered_ = Clock::now();
        view_.answered(words_, answer);
    }

    const int job_;
    TopView& view_;
    std::string words_;
    std::optional<JobQuestion> question_;
    Clock::time_point asked_{};
    Clock::time_point answered_ = Clock::now();
};

/// Until the user quits or the job ends; whether it has.
bool watch(Screen& screen, int job, TopView& view)
{
    Asking asking(job, view);
    while (!view.is_done()) {
        try {
            asking.go_on();
        } catch (const NoSuchJob&) {
            return true;
        }
        screen.draw(view.page(screen.width(), screen.height()));
        std::array<pollfd, 2> waits{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{asking.descriptor(), POLLIN, 0}};
        ::poll(waits.data(), waits.size(), static_cast<int>(asking.time_left().count()));
        if ((waits[0].revents & (POLLHUP | POLLERR)) != 0)
            return false;
        for (int key = 0; (key = screen.key()) >= 0;)
            view.press(key);
    }
    return view.has_ended();
}

}  // namespace

void show_top(const std::string& job_text)
{
    const int job = choose_job("--top", job_text);
    bool ended = false;
    try {
        TopSnapshot first = decode<TopSnapshot>(ask_job(job, kAskSnapshot));
        std::string why_not;
        const std::unique_ptr<Screen> screen = open_screen(why_not);
        if (!screen) {
            fmt::print("{}", plain_text(first));
            if (!why_not.empty())
                base::say(fmt::format("tuttirun: {}\n", why_not));
            return;
        }
        TopView view(std::move(first));
        ended = watch(*screen, job, view);
    } catch (const WireError&) {
        throw std::runtime_error(
            fmt::format("job {} runs under another version of tuttirun; ask with that one", job));
    }
    if (ended)
        fmt::print("job {} has ended\n", job);
}

}  // namespace tutti::launcher
