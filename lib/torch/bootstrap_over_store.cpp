#include "lib/torch/bootstrap_over_store.hpp"

#include <thread>
#include <utility>

namespace torch_tutti {

namespace {

constexpr std::chrono::seconds kPatienceAtEnd{3};
constexpr std::chrono::milliseconds kBetweenLooks{2};

constexpr const char* kComeKey = "tutti.fence.come";
constexpr const char* kGoneKey = "tutti.fence.gone";

std::string key_of(int rank, std::string_view key)
{
    return std::string(key) + '/' + std::to_string(rank);
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
        store_->add(kComeKey, 1);
        wait_for_count(kComeKey, size_);
        store_->add(kGoneKey, 1);
        if (rank_ == 0)
            wait_for_count(kGoneKey, size_);  // the store may end with this process
    } catch (const std::exception&) {
        // The rank that holds the store has ended: there is nobody to wait for.
    }
}

}  // namespace torch_tutti
