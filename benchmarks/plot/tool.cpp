#include "benchmarks/plot/tool.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace tutti::bench {

void add_record_files(CLI::App& app, std::vector<std::string>& files)
{
    app.add_option("FILE", files, "What --json of a benchmark or of compare wrote")
        ->required()
        ->check(CLI::ExistingFile);
}

std::vector<record::Record> read_records(const std::vector<std::string>& files)
{
    std::vector<record::Record> records;
    try {
        for (const std::string& file : files)
            records.push_back(record::read(file));
    } catch (const std::runtime_error& error) {
        throw ToolMisuse(error.what());
    }
    return records;
}

int run_tool(CLI::App& app, int argc, const char* const* argv, const std::function<void()>& run)
{
    try {
        app.parse(argc, argv);
        run();
        return 0;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const ToolMisuse& error) {
        fmt::print(stderr, "{}: {}\n", argv[0], error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", argv[0], error.what());
        return 1;
    }
}

}  // namespace tutti::bench
