// Sleeping on a 32-bit word that may be shared between processes (Linux futex).
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::base {

/// Sleeps while `word` holds `expected`, at most `timeout_ns` (negative: without bound). May return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept;
/// Wakes all sleepers on `word`.
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;

/// Makes this process a target of membarrier_all(). False where the kernel or a seccomp filter refuses.
bool membarrier_register() noexcept;
/// A full memory barrier on every running thread of every registered process: the expensive half of an
/// asymmetric Dekker's handshake; the cheap half is a compiler barrier. False when it is not available.
bool membarrier_all() noexcept;
/// The barrier and its registration for the threads of this process alone. Once registered, it is always
/// available.
bool membarrier_register_own() noexcept;
void membarrier_own() noexcept;

}  // namespace tutti::base
