// Untimed transfers whose every byte is checked (-c).
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/buffers.hpp"
#include "benchmarks/suite/pattern.hpp"

namespace tutti::bench {

inline constexpr int kCheckTag = 5;

/// Whether no rank found a wrong byte. All ranks call it.
template <Job B>
bool none_wrong(B& job, std::size_t wrong)
{
    const std::vector<std::size_t> all = gathered(job, std::span<const std::size_t>(&wrong, 1));
    return std::accumulate(all.begin(), all.end(), std::size_t{0}) == 0;
}

/// Several messages in flight from rank 0 to 1, then back. True, at rank 0, when all arrived as they were.
template <Backend B>
bool validate_messages(B& job, std::size_t size_bytes)
{
    constexpr std::size_t kMessages = 4;
    std::size_t wrong = 0;
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < kMessages; ++i)
        buffers.emplace_back(size_bytes, '?');
    for (int sender = 0; sender < 2; ++sender) {
        std::vector<typename B::Request> requests(kMessages);
        for (std::size_t i = 0; i < kMessages; ++i) {
            const Bytes data = buffers[i].bytes(size_bytes);
            const std::size_t salt = 10 * i + static_cast<std::size_t>(sender);
            if (job.rank() == sender) {
                fill_pattern(data, salt);
                requests[i] = job.isend(data, 1 - sender, kCheckTag);
            } else {
                requests[i] = job.irecv(data, sender, kCheckTag);
            }
        }
        job.wait_all(requests);
        // Only the receiver checks, and only after all have arrived: a message in the wrong buffer shows as
        // well.
        for (std::size_t i = 0; i < kMessages && job.rank() != sender; ++i)
            wrong += wrong_bytes(buffers[i].bytes(size_bytes), 10 * i + static_cast<std::size_t>(sender));
    }
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
