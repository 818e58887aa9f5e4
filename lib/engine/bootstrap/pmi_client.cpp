#include "lib/engine/bootstrap/pmi_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "lib/engine/bootstrap/waiting.hpp"
#include "lib/foundation/base/exit_status.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/foundation/control/process_mapping.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::bootstrap {

namespace {

using control::PmiLine;

// Nothing that a rank publishes comes near it.
constexpr std::size_t kMostBytes = 1 << 20;
// Slurm reads no longer lines, with the zero that they have at their end in C.
constexpr std::size_t kLineRoom = 1024;
constexpr int kLeavingTimeoutMs = 5000;

constexpr std::string_view kSecretKey = "tutti.key";
constexpr std::string_view kHostKey = "tutti.host";

/// A number of the environment; `none` where it is not set, or is no number.
int number_in_environment(const char* variable, int none)
{
    const char* const text = std::getenv(variable);
    const std::string_view digits = text != nullptr ? text : "";
    int number = none;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() ? number : none;
}

std::string name_of_this_host()
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return control::is_pmi_word(name) ? name : "unnamed";
}

std::string hex_of(std::span<const std::byte> bytes)
{
    std::string digits;
    for (const std::byte byte : bytes)
        digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return digits;
}

/// Whether all of `digits` were pairs of hexadecimal digits; their bytes go to the end of `bytes`.
bool append_hex(std::string_view digits, std::vector<std::byte>& bytes)
{
    for (; digits.size() >= 2; digits.remove_prefix(2)) {
        unsigned char value = 0;
        if (std::from_chars(digits.data(), digits.data() + 2, value, 16).ptr != digits.data() + 2)
            return false;
        bytes.push_back(static_cast<std::byte>(value));
    }
    return digits.empty();
}

std::string name_of_piece(std::string_view key, int rank, std::size_t piece)
{
    return fmt::format("{}.{}.{}", key, rank, piece);
}

}  // namespace

PmiClient::PmiClient()
    : launcher_(std::make_unique<PmiConnection>(number_in_environment("PMI_FD", -1))),
      rank_(number_in_environment("PMI_RANK", -1)),
      size_(number_in_environment("PMI_SIZE", -1))
{
    if (size_ < 1 || size_ > kMostRanks || rank_ < 0 || rank_ >= size_)
        fail_by_pmi(
            "start",
            fmt::format("the launcher says by PMI_RANK and PMI_SIZE that this is rank {} of {}; ranks are "
                        "0 to size - 1, of 1 to {} of them",
                        rank_, size_, kMostRanks));
    launcher_->ask(PmiLine("init").with("pmi_version", 1).with("pmi_subversion", 1), "response_to_init");
    ask_for_maxima();
    find_nodes();
}

void PmiClient::ask_for_maxima()
{
    const PmiLine maxima = launcher_->ask(PmiLine("get_maxes"), "maxes");
    const auto below = [&maxima](const char* name, std::size_t most) {
        return std::min(static_cast<std::size_t>(std::max(maxima.number(name).value_or(0), 1)), most) - 1;
    };
    longest_key_ = below("keylen_max", control::kPmiKeyRoom);
    longest_value_ = below("vallen_max", control::kPmiValueRoom);
    space_ = launcher_->ask(PmiLine("get_my_kvsname"), "my_kvsname").field("kvsname");
    const PmiLine longest = PmiLine("put").with("kvsname", space_).with("key", "").with("value", "");
    const std::size_t around = longest.text().size() + longest_key_;
    longest_value_ = std::min(longest_value_, kLineRoom - 1 - std::min(kLineRoom - 1, around));
    constexpr std::size_t kLeast = 32;
    if (longest_key_ < kLeast || longest_value_ < kLeast)
        fail_by_pmi(
            "start",
            fmt::format("the launcher's PMI takes keys of {} characters and values of {}, and Tutti needs "
                        "{}; use tuttirun",
                        longest_key_, longest_value_, kLeast));
}

/// Hydra leaves out a mapping that has too many blocks: ranks of one host's name are of one node then.
void PmiClient::find_nodes()
{
    const std::string host = name_of_this_host();
    if (size_ > 1)
        put(name_of_piece(kHostKey, rank_, 0), host);
    if (size_ == 1) {
        node_of_rank_ = {0};
    } else if (const auto nodes =
                   control::nodes_of_mapping(get(control::kProcessMappingKey).value_or(""), size_)) {
        node_of_rank_ = *nodes;
    } else {
        fence();
        std::map<std::string, int> number_of_host;
        for (int peer = 0; peer < size_; ++peer)
            node_of_rank_.push_back(
                number_of_host.try_emplace(host_of(peer), static_cast<int>(number_of_host.size()))
                    .first->second);
    }
    for (int peer = 0; peer < size_; ++peer)
        if (node_of_rank_[static_cast<std::size_t>(peer)] == node_of_rank_[static_cast<std::size_t>(rank_)])
            local_peers_.push_back(peer);
}

std::span<const int> PmiClient::node_of_rank() const noexcept
{
    return static_cast<int>(local_peers_.size()) == size_ ? std::span<const int>() : node_of_rank_;
}

std::string PmiClient::host_of(int rank) const
{
    if (rank == rank_)
        return name_of_this_host();
    try {
        return get(name_of_piece(kHostKey, rank, 0)).value_or("");
    } catch (const Error&) {
        return {};  // it is for a message about another trouble
    }
}

std::string PmiClient::job_key()
{
    if (rank_ == 0) {
        const std::string key = security::Key::random().to_hex();
        publish(kSecretKey, std::as_bytes(std::span(key)));
    }
    make_known();
    const std::vector<std::byte> published = fetch(0, kSecretKey);
    return {reinterpret_cast<const char*>(published.data()), published.size()};
}

void PmiClient::put(const std::string& key, std::string_view value)
{
    if (key.size() > longest_key_ || !control::is_pmi_word(key))
        fail_by_pmi(
            "publish",
            fmt::format("the launcher's PMI takes keys of up to {} characters without blanks, not '{}'",
                        longest_key_, key));
    launcher_->ask(PmiLine("put").with("kvsname", space_).with("key", key).with("value", value),
                   "put_result");
}

std::optional<std::string> PmiClient::get(const std::string& key) const
{
    const PmiLine answer =
        launcher_->ask(PmiLine("get").with("kvsname", space_).with("key", key), "get_result", true);
    return answer.number("rc") == 0 ? std::optional<std::string>(answer.field("value")) : std::nullopt;
}

// "BYTES:" and hexadecimal digits, which go on in further pieces.
void PmiClient::publish(std::string_view key, std::span<const std::byte> value)
{
    std::string digits = fmt::format("{}:{}", value.size(), hex_of(value));
    for (std::size_t piece = 0; !digits.empty(); ++piece) {
        const std::size_t length = std::min(digits.size(), longest_value_);
        put(name_of_piece(key, rank_, piece), std::string_view(digits).substr(0, length));
        digits.erase(0, length);
    }
}

std::optional<std::vector<std::byte>> PmiClient::get_pieces(int rank, std::string_view key) const
{
    std::optional<std::string> digits = get(name_of_piece(key, rank, 0));
    if (!digits)
        return std::nullopt;
    std::size_t size = kMostBytes;
    const auto [colon, error] = std::from_chars(digits->data(), digits->data() + digits->size(), size);
    const bool has_size = error == std::errc{} && colon != digits->data() + digits->size() && *colon == ':';
    bool is_whole = has_size && size < kMostBytes;
    if (is_whole)
        digits->erase(0, static_cast<std::size_t>(colon + 1 - digits->data()));
    for (std::size_t piece = 1; is_whole && digits->size() < 2 * size; ++piece) {
        const auto more = get(name_of_piece(key, rank, piece));
        is_whole = more && !more->empty();
        *digits += more.value_or("");
    }
    std::vector<std::byte> bytes;
    if (!is_whole || !append_hex(*digits, bytes) || bytes.size() != size)
        fail_by_pmi("fetch",
                    fmt::format("the '{}' of rank {} came in pieces that are none of Tutti's", key, rank),
                    rank);
    return bytes;
}

std::optional<std::vector<std::byte>> PmiClient::find(int rank, std::string_view key)
{
    const auto name = std::pair(rank, std::string(key));
    if (const auto known = fetched_.find(name); known != fetched_.end())
        return known->second;
    auto value = get_pieces(rank, key);
    if (value)
        fetched_.emplace(name, *value);
    return value;
}

std::vector<std::byte> PmiClient::fetch(int rank, std::string_view key)
{
    auto value = find(rank, key);
    if (!value)
        fail_by_pmi(
            "fetch",
            fmt::format("rank {} has published no '{}': it may have another version of Tutti", rank, key),
            rank);
    return *std::move(value);
}

void PmiClient::fence()
{
    launcher_->ask(PmiLine("barrier_in"), "barrier_out");
}

void PmiClient::let_launcher_end_the_job()
{
    std::this_thread::sleep_for(kLauncherPatience);
}

void PmiClient::abort(int status, std::string_view message)
{
    const int kept = base::exit_status_of_abort(status);
    base::say(fmt::format("tutti: {}; ending the job with status {}\n", message, status));
    std::fflush(nullptr);
    try {
        launcher_->tell(PmiLine("abort").with("exitcode", kept));
    } catch (const Error&) {
        // The launcher is gone, or this rank has left: the status of its end is all that it gets.
    }
    _exit(kept);
}

void PmiClient::finalize()
{
    launcher_->ask(PmiLine("finalize"), "finalize_ack", false, kLeavingTimeoutMs);
    launcher_->close();
}

}  // namespace tutti::bootstrap
