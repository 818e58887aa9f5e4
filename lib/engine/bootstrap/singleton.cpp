#include "lib/engine/bootstrap/singleton.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "lib/foundation/base/exit_status.hpp"
#include "lib/foundation/base/say.hpp"
#include "tutti/error.hpp"

namespace tutti::bootstrap {

namespace {

class Singleton final : public Bootstrap {
public:
    std::string_view name() const noexcept override { return "singleton"; }
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return 1; }
    std::span<const int> local_peers() const noexcept override { return {&self_, 1}; }

    std::string job_key() override { return std::string(64, '0'); }  // there are no peers
    void publish(std::string_view key, std::span<const std::byte> value) override
    {
        published_.insert_or_assign(std::string(key), std::vector(value.begin(), value.end()));
    }

    std::vector<std::byte> fetch(int rank, std::string_view key) override
    {
        const auto found = published_.find(std::string(key));
        if (rank != 0 || found == published_.end())
            throw Error(ErrorCode::bootstrap, "fetch",
                        fmt::format("rank {} has published no {}: this process is a job of one", rank, key),
                        rank);
        return found->second;
    }

    std::optional<std::vector<std::byte>> find(int, std::string_view) override { return std::nullopt; }

    void fence() override {}

    [[noreturn]] void abort(int status, std::string_view message) override
    {
        base::say(fmt::format("tutti: {}\n", message));
        std::fflush(nullptr);
        _exit(base::exit_status_of_abort(status));
    }

    void finalize() override {}

private:
    const int self_ = 0;
    std::map<std::string, std::vector<std::byte>> published_;
};

}  // namespace

std::unique_ptr<Bootstrap> make_singleton()
{
    return std::make_unique<Singleton>();
}

}  // namespace tutti::bootstrap
