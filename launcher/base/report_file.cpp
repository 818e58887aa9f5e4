#include "launcher/base/report_file.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <ostream>
#include <streambuf>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher {

namespace {

/// Writes to a descriptor. After an error nothing more is written.
class Output : public std::streambuf {
public:
    explicit Output(int fd) : fd_(fd) { setp(buffer_.begin(), buffer_.end()); }
    int error() const noexcept { return error_; }

protected:
    int sync() override
    {
        if (error_ == 0)
            error_ = write_fully(fd_, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
        setp(buffer_.begin(), buffer_.end());
        return error_ == 0 ? 0 : -1;
    }
    int_type overflow(int_type letter) override
    {
        if (sync() != 0)
            return traits_type::eof();
        if (!traits_type::eq_int_type(letter, traits_type::eof()))
            sputc(traits_type::to_char_type(letter));
        return traits_type::not_eof(letter);
    }

private:
    int fd_;
    int error_ = 0;
    std::array<char, std::size_t{1} << 16> buffer_;
};

}  // namespace

ReportFile::ReportFile(std::string_view option, const std::string& path) : path_(path)
{
    if (path.empty())
        return;
    UniqueFd file = open_to_write(path, O_TRUNC);
    if (!file)
        throw UsageError(fmt::format("{}: cannot write {}: {}", option, path, why_not_written(path, errno)));
    if (!is_regular_file(file.get()))
        pipe_ = std::move(file);
}

bool ReportFile::write(const std::function<void(std::ostream& out)>& write) const
{
    const UniqueFd file = pipe_ ? UniqueFd() : open_to_write(path_, O_TRUNC);
    int error = errno;
    if (pipe_ || file) {
        Output output(pipe_ ? pipe_.get() : file.get());
        std::ostream out(&output);
        write(out);
        out.flush();
        error = output.error();
    }
    if (error != 0)
        base::say(fmt::format("tuttirun: cannot write {}: {}\n", path_, why_not_written(path_, error)));
    return error == 0;
}

}  // namespace tutti::launcher
