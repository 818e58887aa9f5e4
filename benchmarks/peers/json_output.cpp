#include "benchmarks/peers/json_output.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tutti::bench {

void write_json(const std::string& json_file, const nlohmann::json& document)
{
    if (json_file.empty())
        return;
    std::ofstream file(json_file);
    file << document.dump(2) << '\n';
    if (!file.flush())
        throw std::runtime_error(fmt::format("--json: cannot write '{}'", json_file));
}

}  // namespace tutti::bench
