// Untimed transfers whose every byte is checked (-c).
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"
#include "benchmarks/suite/session/pattern.hpp"

namespace tutti::bench {

inline constexpr int kCheckTag = 5;

/// Whether no rank found a wrong byte. All ranks call it.
template <Job B>
bool none_wrong(B& job, std::size_t wrong)
{
    const std::vector<std::size_t> all = gathered(job, std::span<const std::size_t>(&wrong, 1));
    return std::accumulate(all.begin(), all.end(), std::size_t{0}) == 0;
}

/// Several messages in flight to and from each of `peers`, at the same time; a rank whose peers are none only
/// takes part in the vote. Whether all arrived as they were.
template <Backend B>
bool validate_messages(B& job, std::span<const int> peers, std::size_t size_bytes)
{
    constexpr std::size_t kMessages = 4;
    const auto salt = [](int from, int to, std::size_t message) {
        return 10 * (4099 * static_cast<std::size_t>(from) + static_cast<std::size_t>(to)) + message;
    };
    std::vector<PageBuffer> arrived;
    std::vector<PageBuffer> sent;
    std::vector<typename B::Request> requests;
    for (const int peer : peers) {
        for (std::size_t i = 0; i < kMessages; ++i) {
            arrived.emplace_back(size_bytes, '?');
            requests.push_back(job.irecv(arrived.back().bytes(size_bytes), peer, kCheckTag));
        }
    }
    for (const int peer : peers) {
        for (std::size_t i = 0; i < kMessages; ++i) {
            fill_pattern(sent.emplace_back(size_bytes, '!').bytes(size_bytes), salt(job.rank(), peer, i));
            requests.push_back(job.isend(sent.back().bytes(size_bytes), peer, kCheckTag));
        }
    }
    job.wait_all(requests);
    // Only after all have arrived: a message in the wrong buffer shows as well.
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < arrived.size(); ++i)
        wrong +=
            wrong_bytes(arrived[i].bytes(size_bytes), salt(peers[i / kMessages], job.rank(), i % kMessages));
    return none_wrong(job, wrong);
}

/// What `step`, as it is timed, leaves in the buffers: all ranks send the same known bytes, others in every
/// place, and those that receive some check them.
template <Job B, class Step>
bool validate_step(B& job, MessagePlaces out, MessagePlaces in, bool receives, Step step)
{
    constexpr std::size_t kSalt = 77;
    for (std::size_t i = 0; i < in.count(); ++i) {
        fill_pattern(out[i], kSalt + i);
        std::ranges::fill(in[i], std::byte{'?'});
    }
    step();
    std::size_t wrong = 0;
    for (std::size_t i = 0; receives && i < in.count(); ++i)
        wrong += wrong_bytes(in[i], kSalt + i);
    return none_wrong(job, wrong);
}

/// The token of the ring, counted by every rank it passes.
template <Backend B>
bool validate_ring(B& job, Buffers& buffers, std::size_t size_bytes)
{
    const Bytes token = buffers.in.bytes(size_bytes);
    std::size_t wrong = 0;
    if (job.rank() == 0) {
        fill_pattern(token, 7);
        job.send(token, 1 % job.size(), kCheckTag);
        std::fill(token.begin(), token.end(), std::byte{0});
    }
    job.recv(token, (job.rank() + job.size() - 1) % job.size(), kCheckTag);
    wrong += wrong_bytes(token, 7);
    if (job.rank() != 0)
        job.send(token, (job.rank() + 1) % job.size(), kCheckTag);
    return none_wrong(job, wrong);
}

}  // namespace tutti::bench
