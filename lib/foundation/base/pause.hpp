// What a loop that looks at memory does between two looks.
#pragma once

namespace tutti::base {

/// Tells the core that it spins: its other hardware thread runs meanwhile, and the loop ends without a
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
