#include "launcher/streams/input_reader.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace tutti::launcher {

namespace {

constexpr std::uint64_t kWindowBytes = std::uint64_t{256} << 10;
constexpr std::size_t kInputReadBytes = std::size_t{64} << 10;
/// The shell sends no signal when it brings a running job to the foreground.
constexpr std::chrono::milliseconds kForegroundCheckPeriod{200};

bool in_background()
{
    const pid_t foreground = ::tcgetpgrp(STDIN_FILENO);
    return foreground >= 0 && foreground != ::getpgrp();
}

}  // namespace

InputReader::InputReader(EventLoop& loop, std::function<void(std::string_view)> deliver)
    : loop_(loop), deliver_(std::move(deliver))
{
    start();
}

InputReader::~InputReader()
{
    stop();
    loop_.cancel(timer_);
}

void InputReader::start()
{
    if (watching_ || ended_ || timer_ != 0)
        return;
    if (in_background()) {
        retry_later();
        return;
    }
    watching_ = loop_.watch(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { read(); });
    if (!watching_) {
        // A file or /dev/null is always ready, so it is read again at once while there is room.
        timer_ = loop_.after({}, [this] {
            timer_ = 0;
            read();
            if (on_the_way_bytes_ < kWindowBytes)
                start();
        });
    }
}

void InputReader::stop()
{
    if (watching_) {
        loop_.forget(STDIN_FILENO);
        watching_ = false;
    }
}

void InputReader::retry_later()
{
    stop();
    timer_ = loop_.after(kForegroundCheckPeriod, [this] {
        timer_ = 0;
        start();
    });
}

void InputReader::read()
{
    if (in_background()) {
        retry_later();
        return;
    }
    static std::vector<char> buffer(kInputReadBytes);
    const ssize_t bytes = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (bytes > 0) {
        on_the_way_bytes_ += static_cast<std::uint64_t>(bytes);
        if (on_the_way_bytes_ >= kWindowBytes)
            stop();
        deliver_({buffer.data(), static_cast<std::size_t>(bytes)});
    } else if (bytes == 0 || (errno != EAGAIN && errno != EINTR && !(errno == EIO && in_background()))) {
        ended_ = true;
        stop();
        deliver_({});
    }
}

void InputReader::taken(std::uint64_t bytes)
{
    on_the_way_bytes_ -= bytes < on_the_way_bytes_ ? bytes : on_the_way_bytes_;
    if (on_the_way_bytes_ < kWindowBytes)
        start();
}

}  // namespace tutti::launcher
