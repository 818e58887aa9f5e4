#include "benchmarks/gloo/job_store.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <stdexcept>

namespace tutti::bench {

namespace {

constexpr const char* kKeyPrefix = "gloo.";

// Keys are "rank_3" and "3".
int rank_of(const std::string& key)
{
    const std::size_t begin = key.find_last_not_of("0123456789") + 1;
    int rank = 0;
    const auto [end, error] = std::from_chars(key.data() + begin, key.data() + key.size(), rank);
    if (error != std::errc{})
        throw std::runtime_error(fmt::format("Gloo asks for '{}', which names no rank", key));
    return rank;
}

}  // namespace

void JobStore::set(const std::string& key, const std::vector<char>& data)
{
    bootstrap_.publish(kKeyPrefix + key, std::as_bytes(std::span(data)));
}

std::vector<char> JobStore::get(const std::string& key)
{
    std::vector<char> data;
    for (const std::byte byte : bootstrap_.fetch(rank_of(key), kKeyPrefix + key))
        data.push_back(static_cast<char>(byte));
    return data;
}

}  // namespace tutti::bench
