#include "scaled_sum.hpp"

#include <algorithm>
#include <cmath>

namespace training {

bool ScaledSum::add_up(std::span<float> gradient)
{
    wire_.resize(gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        wire_[i] = tutti::float16(scale_ * gradient[i]);
        if (gradient[i] != 0) {
            lost_.of += 1;
            lost_.with_scale += wire_[i] == 0 ? 1 : 0;
            lost_.without_scale += tutti::float16(gradient[i]) == 0 ? 1 : 0;
        }
    }
    ranks_.allreduce(wire_, tutti::sum);

    if (!std::ranges::all_of(wire_, [](float element) { return std::isfinite(element); })) {
        scale_ /= 2;
        good_steps_ = 0;
        return false;
    }
    std::ranges::transform(wire_, gradient.begin(), [this](float element) { return element / scale_; });
    if (++good_steps_ % kStepsToGrow == 0)
        scale_ *= 2;
    return true;
}

}  // namespace training
