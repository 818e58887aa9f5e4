// Output of every shape, made from a seed: a rank writes it, and the test knows what it was.
//
// Each stream has letters of its own, so that its bytes are found again among those of others. Line ends,
// carriage returns and NUL bytes belong to all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::test {

inline constexpr int kMaxShapeRanks = 8;

struct ShapeStep {
    enum class Kind { write, close, pause } kind;
    int channel;        // 1: stdout, 2: stderr
    std::string bytes;  // to write, by one call if the pipe has room
    int pause_ms = 0;
};

/// What a rank does, one step after the other. The same in all processes.
std::vector<ShapeStep> shape_steps(std::uint32_t seed, int rank);

/// All that the steps write to one channel, or in their order to both (channel 0).
std::string shape_bytes(const std::vector<ShapeStep>& steps, int channel);

/// Whether `byte` is a letter of that stream's.
bool is_letter_of(char byte, int rank, int channel);

/// `text` without the bytes that are no stream's own.
std::string only_letters(std::string_view text);

}  // namespace tutti::test
