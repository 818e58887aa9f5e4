#include "lib/torch/bootstrap_over_store.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <utility>

#include "lib/torch/lost_peer.hpp"

namespace torch_tutti {

namespace {

constexpr std::chrono::seconds kPatienceAtEnd{3};
constexpr std::chrono::milliseconds kBetweenLooks{2};

constexpr const char* kComeKey = "tutti.fence.come";
constexpr const char* kGoneKey = "tutti.fence.gone";
constexpr const char* kFirstKey = "tutti.fence.first";

std::string key_of(int rank, std::string_view key)
{
    return std::string(key) + '/' + std::to_string(rank);
}

/// Names the space in which this process's number means a process.
std::string numbers_of_processes()
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    struct stat numbers {};
    ::stat("/proc/self/ns/pid", &numbers);
    return boot + '/' + std::to_string(numbers.st_ino) + '/';
}

/// `process`: its numbers_of_processes(), then its number. Returns at once if it is of another host.
void wait_for_end_of(const std::string& process, std::chrono::milliseconds time)
{
    const std::string ours = numbers_of_processes();
    if (!process.starts_with(ours))
        return;
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(process.substr(ours.size())), 0));
    if (fd < 0)
        return;  // it has ended
    pollfd ended{fd, POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(time.count()));
    ::close(fd);
}

std::vector<std::byte> bytes_of(const std::vector<uint8_t>& value)
{
    const auto* const data = reinterpret_cast<const std::byte*>(value.data());
    return {data, data + value.size()};
}

}  // namespace

BootstrapOverStore::BootstrapOverStore(c10::intrusive_ptr<c10d::Store> store, int rank, int size)
    : store_(std::move(store)), rank_(rank), size_(size)
{
}

void BootstrapOverStore::publish(std::string_view key, std::span<const std::byte> value)
{
    const auto* const data = reinterpret_cast<const uint8_t*>(value.data());
    store_->set(key_of(rank_, key), std::vector<uint8_t>(data, data + value.size()));
}

std::vector<std::byte> BootstrapOverStore::fetch(int rank, std::string_view key)
{
    const auto [value, is_new] = known_.try_emplace(key_of(rank, key));
    if (is_new) {
        try {
            value->second = bytes_of(store_->get(value->first));
        } catch (...) {
            known_.erase(value);
            throw;
        }
    }
    return value->second;
}

std::optional<std::vector<std::byte>> BootstrapOverStore::find(int rank, std::string_view key)
{
    const std::string name = key_of(rank, key);
    if (!known_.contains(name) && !store_->check({name}))
        return std::nullopt;
    return fetch(rank, key);
}

void BootstrapOverStore::fence()
{
    const auto until = std::chrono::steady_clock::now() + kPatienceAtEnd;
    const auto wait_for_count = [&](const char* key, int count) {
        while (store_->add(key, 0) < count && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(kBetweenLooks);
    };
    try {
        const bool is_first = store_->add(kComeKey, 1) == 1;
        if (is_first) {
            const std::string own = numbers_of_processes() + std::to_string(::getpid());
            store_->set(kFirstKey, std::vector<uint8_t>(own.begin(), own.end()));
        }
        wait_for_count(kComeKey, size_);
        // The key was set long ago, unless its process was killed at that moment.
        std::string first;
        if (!is_first && has_lost_peer && store_->check({kFirstKey})) {
            const std::vector<uint8_t> value = store_->get(kFirstKey);
            first.assign(value.begin(), value.end());
        }
        store_->add(kGoneKey, 1);
        if (rank_ == 0)
            wait_for_count(kGoneKey, size_);  // the store may end with this process
        if (!first.empty())
            wait_for_end_of(first, kPatienceAtEnd);
    } catch (const std::exception&) {
        // The rank that holds the store has ended: there is nobody to wait for.
    }
}

}  // namespace torch_tutti
