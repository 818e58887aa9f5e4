#include "launcher/messages.hpp"

namespace tutti::launcher {

namespace {

void encode_app(WireWriter& writer, const AppContext& app)
{
    writer.put(app.argv).put(std::int32_t{app.ranks}).put(std::string_view(app.working_directory));
    std::vector<std::string> flat;
    for (const auto& [name, value] : app.environment) {
        flat.push_back(name);
        flat.push_back(value);
    }
    writer.put(flat);
}

AppContext decode_app(WireReader& reader)
{
    AppContext app;
    app.argv = reader.texts();
    app.ranks = reader.number<std::int32_t>();
    app.working_directory = reader.text();
    const std::vector<std::string> flat = reader.texts();
    if (app.argv.empty() || flat.size() % 2 != 0) {
        throw WireError("a program of the launch order has no name or half a variable");
    }
    for (std::size_t i = 0; i < flat.size(); i += 2) {
        app.environment.emplace_back(flat[i], flat[i + 1]);
    }
    return app;
}

void encode_placement(WireWriter& writer, const Placement& placement)
{
    writer.put(std::int32_t{placement.rank}).put(std::int32_t{placement.app});
    writer.put(std::int32_t{placement.node}).put(std::int32_t{placement.local_rank}).put(placement.cpus);
    writer.put(std::string_view(placement.cpus_as_text));
}

Placement decode_placement(WireReader& reader, const LaunchOrder& order)
{
    Placement placement;
    placement.rank = reader.number<std::int32_t>();
    placement.app = reader.number<std::int32_t>();
    placement.node = reader.number<std::int32_t>();
    placement.local_rank = reader.number<std::int32_t>();
    placement.cpus = reader.numbers();
    placement.cpus_as_text = reader.text();
    const auto is_index_of = [](int index, const auto& list) {
        return index >= 0 && static_cast<std::size_t>(index) < list.size();
    };
    if (!is_index_of(placement.app, order.apps) || !is_index_of(placement.node, order.nodes)) {
        throw WireError("a rank of the launch order belongs to no program or no node");
    }
    return placement;
}

}  // namespace

std::vector<int> LaunchOrder::ranks_of(int node) const
{
    std::vector<int> result;
    for (const Placement& placement : ranks) {
        if (placement.node == node) {
            result.push_back(placement.rank);
        }
    }
    return result;
}

std::string encode(const LaunchOrder& order)
{
    WireWriter writer;
    writer.put(std::string_view(order.job_name)).put(static_cast<std::uint32_t>(order.nodes.size()));
    for (const Node& node : order.nodes) {
        writer.put(std::string_view(node.name)).put(static_cast<std::uint8_t>(node.shares_cores));
    }
    writer.put(static_cast<std::uint8_t>(order.stdin_target)).put(std::int32_t{order.stdin_rank});
    writer.put(static_cast<std::uint8_t>(order.merge_stderr));
    writer.put(static_cast<std::uint8_t>(order.shows_status));
    writer.put(static_cast<std::uint32_t>(order.apps.size()));
    for (const AppContext& app : order.apps) {
        encode_app(writer, app);
    }
    writer.put(static_cast<std::uint32_t>(order.ranks.size()));
    for (const Placement& placement : order.ranks) {
        encode_placement(writer, placement);
    }
    writer.put(order.environment).put(std::string_view(order.working_directory));
    return writer.bytes();
}

LaunchOrder decode_launch_order(std::string_view payload)
{
    WireReader reader(payload);
    LaunchOrder order;
    order.job_name = reader.text();
    // No reserve(): a hostile count fails at the first missing element instead.
    for (auto nodes = reader.number<std::uint32_t>(); nodes > 0; --nodes) {
        Node& node = order.nodes.emplace_back();
        node.name = reader.text();
        node.shares_cores = reader.number<std::uint8_t>() != 0;
    }
    const auto target = reader.number<std::uint8_t>();
    if (target > static_cast<std::uint8_t>(StdinTarget::none)) {
        throw WireError("the launch order has an unknown target for standard input");
    }
    order.stdin_target = static_cast<StdinTarget>(target);
    order.stdin_rank = reader.number<std::int32_t>();
    order.merge_stderr = reader.number<std::uint8_t>() != 0;
    order.shows_status = reader.number<std::uint8_t>() != 0;
    for (auto apps = reader.number<std::uint32_t>(); apps > 0; --apps) {
        order.apps.push_back(decode_app(reader));
    }
    for (auto ranks = reader.number<std::uint32_t>(); ranks > 0; --ranks) {
        order.ranks.push_back(decode_placement(reader, order));
        if (order.ranks.back().rank != static_cast<int>(order.ranks.size()) - 1) {
            throw WireError("the ranks of the launch order are not in order");
        }
    }
    order.environment = reader.texts();
    order.working_directory = reader.text();
    reader.expect_end();
    return order;
}

std::string encode(const ExitReport& report)
{
    WireWriter writer;
    writer.put(std::int32_t{report.rank}).put(std::int32_t{report.pid}).put(std::int32_t{report.wait_status});
    writer.put(static_cast<std::uint8_t>(report.joined)).put(static_cast<std::uint8_t>(report.left));
    return writer.bytes();
}

ExitReport decode_exit_report(std::string_view payload)
{
    WireReader reader(payload);
    ExitReport report;
    report.rank = reader.number<std::int32_t>();
    report.pid = reader.number<std::int32_t>();
    report.wait_status = reader.number<std::int32_t>();
    report.joined = reader.number<std::uint8_t>() != 0;
    report.left = reader.number<std::uint8_t>() != 0;
    reader.expect_end();
    return report;
}

}  // namespace tutti::launcher
