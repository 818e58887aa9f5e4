// Gloo's collectives, called as its users call them.
#pragma once

#include <gloo/reduce_scatter.h>

#include <memory>

#include "benchmarks/suite/library/described_call.hpp"

namespace tutti::bench {

/// Gloo has no operation that starts now and is waited for later.
struct GlooRequest {};

/// A prepared call. Gloo's functions take new options for every call, as in PyTorch. Only its reduce-scatter
/// is an object that keeps its connections and buffers.
class GlooCollective {
public:
    /// Throws NotOffered for what Gloo lacks.
    GlooCollective(const DescribedCall& call, std::shared_ptr<gloo::Context> context);

    void run();
    [[noreturn]] GlooRequest start();
    [[noreturn]] GlooRequest persistent();

private:
    void prepare_reduce_scatter();
    void reduce_scatter();

    DescribedCall call_;
    std::shared_ptr<gloo::Context> context_;
    std::size_t bytes_;                                  // of a block, or of the whole
    std::unique_ptr<gloo::Algorithm> reduce_scatter_{};  // works in the buffer that it was made for
    std::byte* reduced_ = nullptr;                       // and leaves this rank's block at its begin
};

}  // namespace tutti::bench
