// The progress thread runs what follows an operation, wherever the operation's end is found.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/protocol/protocol.hpp"

namespace tutti::progress {

namespace {

// An operation whose end arrives between the last look of a thread that falls asleep and its sleep.
class EndsAsThreadsFallAsleep final : public transport::Transport, transport::Doorbell {
public:
    EndsAsThreadsFallAsleep(Engine& engine, FollowUp& follow_up) : engine_(engine), follow_up_(follow_up) {}

    void start()
    {
        ends_ = true;
        engine_.request_started();
    }

    std::string_view name() const noexcept override { return "test"; }
    transport::Capabilities capabilities() const noexcept override
    {
        return {.max_payload_bytes = 0, .inject_below = 0, .latency_ns = 0, .bytes_per_ns = 0};
    }
    std::vector<std::byte> address() const override { return {}; }
    bool reach(int, std::span<const std::byte>) const noexcept override { return false; }
    void connect(int, std::span<const std::byte>) override {}
    transport::SendResult send(int, std::span<const std::byte>, std::span<const std::byte>,
                               transport::Completion&) override
    {
        throw std::logic_error("nobody to send to");
    }
    std::size_t progress(transport::Sink&) override
    {
        if (!armed_ || !ends_)
            return 0;
        ends_ = false;
        engine_.request_ended();
        engine_.follow_up(follow_up_);
        return 1;
    }
    transport::Doorbell* doorbell() noexcept override { return this; }
    void close() noexcept override {}

private:
    std::atomic<std::uint32_t>* word() noexcept override { return &word_; }
    int wait_fd() noexcept override { return -1; }
    void arm() override { armed_ = true; }
    void disarm() noexcept override { armed_ = false; }

    Engine& engine_;
    FollowUp& follow_up_;
    std::atomic<std::uint32_t> word_{0};
    bool armed_ = false;
    bool ends_ = false;
};

struct Reported : FollowUp {
    Reported() : FollowUp([](FollowUp& self) { static_cast<Reported&>(self).reported = true; }) {}

    bool within_half_a_minute() const
    {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!reported && std::chrono::steady_clock::now() < give_up)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return reported;
    }

    std::atomic<bool> reported{false};
};

// Under the lock. An operation of the engine's; the caller starts it.
EndsAsThreadsFallAsleep& add_operation(Engine& engine, FollowUp& follow_up)
{
    auto transport = std::make_unique<EndsAsThreadsFallAsleep>(engine, follow_up);
    auto& operation = *transport;
    engine.add(std::move(transport));
    return operation;
}

protocol::Protocol alone()
{
    return protocol::Protocol(
        1, {}, [](int) -> transport::Transport& { throw std::logic_error("nobody to connect to"); });
}

}  // namespace

TEST_CASE("a progress thread finds the end of an operation as it falls asleep")
{
    protocol::Protocol protocol = alone();
    Engine engine(protocol, {.progress_thread = true, .spare_core = GENERATE(false, true)});
    Reported follow_up;
    {
        const Engine::Lock held = engine.lock();
        add_operation(engine, follow_up).start();
    }
    CHECK(follow_up.within_half_a_minute());
    engine.close();
}

TEST_CASE("a call finds the end of another operation as it falls asleep, and ends")
{
    protocol::Protocol protocol = alone();
    Engine engine(protocol, {.progress_thread = true, .spare_core = GENERATE(false, true)});
    Reported follow_up;
    {
        Engine::Lock held = engine.lock();
        auto& operation = add_operation(engine, follow_up);
        const Engine::Waiting waiting(engine);
        operation.start();
        engine.wait(held, [&] { return !engine.has_requests(); });
    }
    CHECK(follow_up.within_half_a_minute());
    engine.close();
}

TEST_CASE("a progress thread goes on when nothing holds it any more")
{
    protocol::Protocol protocol = alone();
    Engine engine(protocol, {.progress_thread = true, .spare_core = GENERATE(false, true)});
    Reported follow_up;
    {
        const Engine::Hold hold(engine);
        {
            const Engine::Lock held = engine.lock();
            add_operation(engine, follow_up).start();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for most: it is asleep
        CHECK_FALSE(follow_up.reported);
    }
    CHECK(follow_up.within_half_a_minute());
    engine.close();
}

TEST_CASE("work that follows an operation that has ended wakes a progress thread")
{
    protocol::Protocol protocol = alone();
    Engine engine(protocol, {.progress_thread = true, .spare_core = GENERATE(false, true)});
    Reported follow_up;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for most: it is asleep
    {
        const Engine::Lock held = engine.lock();
        engine.follow_up(follow_up);
    }
    CHECK(follow_up.within_half_a_minute());
    engine.close();
}

}  // namespace tutti::progress
