// The pause in a loop that polls memory.
#pragma once

namespace tutti::base {

/// Tells the core that this is a spin loop: its other hardware thread runs, and the loop ends without a
/// misprediction.
inline void pause() noexcept
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

}  // namespace tutti::base
