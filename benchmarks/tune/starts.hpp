// What was measured in all starts of the program: a file that each start adds its own times to.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/tune/tuning_plan.hpp"

namespace tutti::bench {

class Starts {
public:
    explicit Starts(const Surroundings& where);
    /// Those of earlier starts, none where there is no such file. Throws std::runtime_error, which names the
    /// file and the remedy, where it is of another kind or of another job.
    Starts(const Surroundings& where, const std::string& file);

    /// Begins a further start; what is added belongs to it.
    void begin();
    void add(std::string_view collective, std::size_t size_bytes, const Trial& trial, double us);
    int count() const;

    /// Of all starts, those trials that are named.
    Times times(std::string_view collective, std::size_t size_bytes, std::vector<Trial> trials) const;
    std::string text() const { return document_.dump(2) + "\n"; }

private:
    nlohmann::ordered_json document_;
};

}  // namespace tutti::bench
