#include "launcher/tree/children.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "launcher/hosts/hosts.hpp"
#include "launcher/job/agent_words.hpp"
#include "launcher/job/daemon_record.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kAgentOutputDelay{100};
/// Pings within the time after which a silent child is lost. Unanswered pings are counted, not seconds: a
/// process that was stopped itself has sent none.
constexpr int kPings = 10;

}  // namespace

Children::Children(EventLoop& loop, const security::Key& key, security::Identity self,
                   const InheritedState& inherited, Events events)
    : loop_(loop), key_(key), self_(self), inherited_(inherited), events_(std::move(events))
{
}

Children::~Children()
{
    finish(std::chrono::milliseconds(0));
}

Children::Child& Children::add_child(int node, int index, const std::string& name)
{
    Child& child = children_[node];
    child.node = node;
    child.index = index;
    child.name = name;
    return child;
}

void Children::start(StartOrder order, std::span<const Host> hosts, UniqueFd local_daemon)
{
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const int node = static_cast<int>(i);
        if (!hosts[i].local) {
            order.hosts.push_back({node, hosts[i].name, hosts[i].user});
            continue;
        }
        Child& child = add_child(node, -1, hosts[i].name);
        child.nodes = {node};
        child.said_hello = true;
        ways_[node] = &child;
        connect(child, std::move(local_daemon));
    }
    if (!order.hosts.empty())
        start(order);
}

void Children::start(const StartOrder& order)
{
    order_ = order;
    const bool star = order.method.kind == StartMethod::Agent::srun;  // one command for all
    const int count = static_cast<int>(order.hosts.size());
    const auto [first, last] = star ? std::pair(0, count) : started_by(order.index, count);
    std::vector<RemoteHost> own;
    for (int index = first; index < last; ++index) {
        const RemoteHost& host = own.emplace_back(order.hosts[static_cast<std::size_t>(index)]);
        add_child(host.node, index, host.name);
    }
    for (int index = first; index < count; ++index) {
        int above = index;
        while (above >= last)
            above = starter_of(above);
        if (above < first)
            continue;  // below another daemon
        const int node = order.hosts[static_cast<std::size_t>(index)].node;
        Child& child = children_.at(order.hosts[static_cast<std::size_t>(above)].node);
        child.nodes.push_back(node);
        ways_[node] = &child;
    }
    if (own.empty())
        return;
    addresses_ = own_addresses(order.interface);
    if (addresses_.empty()) {
        throw std::runtime_error(
            "no network interface of this host is up, so no daemon of another one can connect to it; bring "
            "one up");
    }
    listener_ = std::make_unique<DaemonListener>(
        loop_, key_, self_,
        DaemonListener::Events{
            [this](std::uint32_t node, UniqueFd stream) { handle_joined(node, std::move(stream)); },
            [this](const std::string& address, std::string_view reason) {
                handle_refused(address, reason);
            }});
    DaemonStarter::Events events;
    events.record = [this](int node) { return make_record(node); };
    events.starting = [this](const std::vector<std::string>& command) {
        events_.note(fmt::format("running {}", shown_command(command)), true);
    };
    events.failed = [this](const std::vector<int>& nodes, const std::string& reason) {
        handle_failed_start(nodes, reason);
    };
    starter_.emplace(loop_, order.method, inherited_, std::move(events));
    starter_->start(own);
}

std::string Children::make_record(int node) const
{
    DaemonRecord record{key_, self_, addresses_, listener_->port(), node, {}};
    if (node == kNodeByName)
        for (const auto& [number, child] : children_)
            record.nodes[child.name] = number;
    return encode(record);
}

void Children::connect(Child& child, UniqueFd stream)
{
    child.address = peer_address(stream.get());
    child.connection = std::make_unique<Connection>(
        loop_, std::move(stream), [this, &child](const Frame& frame) { handle_frame(child, frame); },
        [this, &child](const std::string& reason) { handle_closed(child, reason); });
}

void Children::handle_joined(std::uint32_t node, UniqueFd stream)
{
    const auto found = children_.find(static_cast<int>(node));
    if (found == children_.end() || found->second.connection || found->second.given_up)
        return;  // late, or a second one: closing its stream ends it
    connect(found->second, std::move(stream));
    starter_->connected(found->second.node);
    if (std::ranges::all_of(children_,
                            [](const auto& child) { return child.second.connection != nullptr; })) {
        // All are here, so the port is closed; later, since the listener makes this call.
        loop_.post([this] { listener_.reset(); });
    }
}

void Children::handle_refused(const std::string& address, std::string_view reason)
{
    if (!refusal_noted_) {
        refusal_noted_ = true;
        events_.note(
            fmt::format("a connection from {} was refused at the port for daemons: {}; others will be "
                        "without a word",
                        address, reason),
            false);
    }
}

void Children::handle_failed_start(const std::vector<int>& nodes, const std::string& reason)
{
    MissingDaemons report{{}, reason};
    for (const int node : nodes) {
        Child& child = children_.at(node);
        child.given_up = true;
        report.nodes.insert(report.nodes.end(), child.nodes.begin(), child.nodes.end());
    }
    events_.not_started(report);
}

void Children::handle_frame(Child& child, const Frame& frame)
{
    const auto way = ways_.find(frame.node);
    if (way == ways_.end() || way->second != &child)
        throw WireError(fmt::format("a frame from node {}, which is not there", frame.node));
    child.unanswered = 0;
    if (frame.type == FrameType::pong && frame.node == child.node)
        return;
    if (!child.said_hello) {
        if (frame.type != FrameType::hello || frame.node != child.node)
            throw WireError("a frame before its hello");
        handle_hello(child, frame.payload);
        if (child.given_up)
            return;
    } else if (frame.node == child.node) {
        child.at_work = true;
    }
    events_.frame(frame);
}

void Children::handle_hello(Child& child, std::string_view payload)
{
    const std::string obstacle = judge_hello(decode_hello(payload));
    child.said_hello = true;
    if (!obstacle.empty()) {
        child.given_up = true;
        child.connection->hang_up();
        events_.not_started({child.nodes, fmt::format("{} {}", describe_host(child.node), obstacle)});
        return;
    }
    if (child.nodes.size() > 1) {
        StartOrder order = order_;
        order.index = child.index;
        child.connection->send(
            {FrameType::start_daemons, static_cast<std::uint16_t>(child.node), encode(order)});
    }
}

void Children::handle_closed(Child& child, const std::string& reason)
{
    if (child.given_up)
        return;
    child.given_up = true;
    if (child.at_work || child.index < 0) {
        report_loss(child, reason);  // at once: ranks that have lost their peers say so soon
        return;
    }
    // It could not begin. Its agent passes on why, which may come a little later.
    loop_.after(kAgentOutputDelay, [this, &child, reason] { report_loss(child, reason); });
}

void Children::report_loss(Child& child, const std::string& reason)
{
    std::string words;
    if (child.index >= 0)
        words = said_by_agent(order_.method.agent.front(), starter_->output_of(child.node));
    events_.lost(
        {child.nodes, fmt::format("lost the daemon on {}: {}{}", describe_host(child.node), reason, words)});
}

void Children::watch_for_silence(double limit_seconds, const std::string& setting)
{
    silence_limit_seconds_ = limit_seconds;
    silence_setting_ = setting;
    loop_.cancel(ping_timer_);
    for (auto& [node, child] : children_)
        child.unanswered = 0;
    if (limit_seconds > 0)
        ping_all();
}

void Children::ping_all()
{
    const std::chrono::duration<double> period(silence_limit_seconds_ / kPings);
    ping_timer_ = loop_.after(period, [this] { ping_all(); });
    for (auto& [node, child] : children_) {
        if (!child.connection || !child.said_hello || child.given_up)
            continue;
        if (child.unanswered < kPings) {
            ++child.unanswered;
            child.connection->send({FrameType::ping, static_cast<std::uint16_t>(node), {}});
            continue;
        }
        child.given_up = true;
        child.connection->hang_up();
        report_loss(child,
                    fmt::format("it has not answered for {} s ({}), though its host has: it is stopped, "
                                "or hangs; look there for what is left",
                                silence_limit_seconds_, silence_setting_));
    }
}

void Children::send(const Frame& frame)
{
    if (frame.node == kAllNodes) {
        for (auto& [node, child] : children_)
            if (child.connection && !child.given_up)
                child.connection->send(frame);
        return;
    }
    const auto way = ways_.find(frame.node);
    if (way != ways_.end() && way->second->connection)
        way->second->connection->send(frame);
}

std::string Children::describe_host(int node) const
{
    const auto found = children_.find(node);
    if (found == children_.end())
        return {};
    const Child& child = found->second;
    return child.address.empty() ? child.name : fmt::format("{} ({})", child.name, child.address);
}

void Children::finish(std::chrono::milliseconds timeout) noexcept
{
    listener_.reset();
    loop_.cancel(ping_timer_);
    for (auto& [node, child] : children_)
        if (child.connection)
            child.connection->hang_up();
    if (starter_)
        starter_->finish(timeout);
}

}  // namespace tutti::launcher
