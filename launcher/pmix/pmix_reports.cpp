#include "launcher/pmix/pmix_reports.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <vector>

namespace tutti::launcher {

void PmixReports::send(FrameType type, std::string_view payload)
{
    const std::lock_guard lock(mutex_);
    frame_.clear();
    append_frame(frame_, {type, 0, payload});
    std::string_view rest = frame_;
    while (!rest.empty()) {
        const ssize_t bytes = ::send(daemon_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (bytes < 0 && errno != EINTR)
            return;  // read() sees that the daemon is gone
        rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    }
}

std::uint64_t PmixReports::expect(PmixAnswer answer)
{
    const std::lock_guard lock(mutex_);
    answers_[++last_serial_] = std::move(answer);
    return last_serial_;
}

void PmixReports::handle_answer(std::uint64_t serial, int status, std::string data)
{
    PmixAnswer answer;
    {
        const std::lock_guard lock(mutex_);
        const auto found = answers_.extract(serial);
        if (found.empty())
            throw WireError("an answer to a question that nobody has asked");
        answer = std::move(found.mapped());
    }
    answer(status, std::move(data));
}

void PmixReports::read(const std::function<void(const Frame& frame)>& on_frame)
{
    std::vector<char> buffer(std::size_t{64} << 10);
    FrameParser parser;
    while (true) {
        const ssize_t bytes = ::recv(daemon_.get(), buffer.data(), buffer.size(), 0);
        if (bytes == 0 || (bytes < 0 && errno != EINTR))
            return;
        parser.append({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))});
        Frame frame{};
        while (parser.next(frame))
            on_frame(frame);
    }
}

}  // namespace tutti::launcher
