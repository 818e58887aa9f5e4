// What ranks share about a window: its lock, and updates in one of which a rank dies.
#include "lib/core/windows/window_control.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using tutti::detail::WindowControl;
using tutti::detail::WindowLock;

namespace {

struct Control {
    static constexpr std::size_t kSlots = 3;

    Control()
        : memory(::operator new (WindowControl::size_bytes(kSlots), std::align_val_t{WindowControl::kLine})),
          shared(WindowControl::make(memory, kSlots))
    {
    }
    ~Control() { ::operator delete (memory, std::align_val_t{WindowControl::kLine}); }
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    void* const memory;
    WindowControl& shared;
};

// The rank of slot 2 has died.
const WindowControl::LookAfter kLook = [](std::size_t slot) {
    if (slot == 2)
        throw std::runtime_error("slot 2");
};

// A rank that waits in a slot.
struct Waiting {
    Waiting(Control& control, std::size_t index, WindowLock kind, bool in_front = false)
        : shared(control.shared), slot(index), turn{kind, control.shared.take_ticket(), in_front}
    {
        shared.await(slot, turn);
    }
    bool enters() { return shared.enter_in_turn(slot, turn); }

    WindowControl& shared;
    std::size_t slot;
    WindowControl::Turn turn;
};

std::vector<std::size_t> woken(Control& control)
{
    std::vector<std::size_t> slots;
    control.shared.wake_next([&](std::size_t slot) { slots.push_back(slot); });
    return slots;
}

}  // namespace

TEST_CASE("a lock has one writer or many readers, and who comes later waits behind those that wait")
{
    Control control;
    CHECK(control.shared.enter_at_once(WindowLock::shared));
    CHECK(control.shared.enter_at_once(WindowLock::shared));
    CHECK_FALSE(control.shared.enter_at_once(WindowLock::exclusive));
    CHECK_FALSE(control.shared.anybody_waits());
    Waiting writer(control, 0, WindowLock::exclusive);
    CHECK(control.shared.anybody_waits());
    CHECK_FALSE(control.shared.enter_at_once(WindowLock::shared));
    Waiting reader(control, 1, WindowLock::shared);
    CHECK_FALSE(reader.enters());
    CHECK_FALSE(writer.enters());
    CHECK(woken(control).empty());
    control.shared.leave(WindowLock::shared);
    CHECK(woken(control).empty());
    control.shared.leave(WindowLock::shared);
    CHECK(woken(control) == std::vector<std::size_t>{0});
    CHECK_FALSE(reader.enters());
    CHECK(writer.enters());
    CHECK_FALSE(reader.enters());
    CHECK(woken(control).empty());
    control.shared.leave(WindowLock::exclusive);
    CHECK(woken(control) == std::vector<std::size_t>{1});
    CHECK(reader.enters());
    CHECK_FALSE(control.shared.anybody_waits());
    CHECK(control.shared.enter_at_once(WindowLock::shared));
}

TEST_CASE(
    "a reader that others wait for goes in front of writers that wait, but not of one that holds the lock")
{
    Control control;
    REQUIRE(control.shared.enter_at_once(WindowLock::shared));
    Waiting writer(control, 0, WindowLock::exclusive);
    Waiting reader(control, 1, WindowLock::shared);
    CHECK_FALSE(reader.enters());
    reader.turn.in_front = true;
    control.shared.await(1, reader.turn);
    CHECK(reader.enters());
    control.shared.leave(WindowLock::shared);
    CHECK_FALSE(writer.enters());
    control.shared.leave(WindowLock::shared);
    CHECK(writer.enters());
    Waiting next(control, 0, WindowLock::exclusive);
    Waiting another(control, 2, WindowLock::shared, true);
    CHECK_FALSE(another.enters());
    control.shared.leave(WindowLock::exclusive);
    CHECK(woken(control) == std::vector<std::size_t>{0, 2});
    CHECK(another.enters());
    CHECK_FALSE(next.enters());
    control.shared.leave(WindowLock::shared);
    CHECK(next.enters());
}

TEST_CASE("who gives up hinders nobody, and who waits for others is woken for them")
{
    Control control;
    REQUIRE(control.shared.enter_at_once(WindowLock::exclusive));
    Waiting gone(control, 0, WindowLock::exclusive);
    const WindowControl::Turn asked{WindowLock::shared, control.shared.take_ticket(), false};
    control.shared.await_for_others(2, &asked, false);
    control.shared.leave(WindowLock::exclusive);
    CHECK(woken(control) == std::vector<std::size_t>{0});
    CHECK_FALSE(control.shared.enter_behind_others(asked));
    control.shared.give_up(0);
    CHECK(woken(control) == std::vector<std::size_t>{2});
    CHECK(control.shared.enter_behind_others(asked));
    control.shared.await_for_others(2, nullptr, false);
    CHECK_FALSE(control.shared.anybody_waits());
    CHECK(woken(control).empty());
}

TEST_CASE("who waits for the update of a rank that has died learns it")
{
    Control control;
    control.shared.begin_alone(2, kLook);
    CHECK_THROWS_WITH(control.shared.begin_alone(0, kLook), "slot 2");
    CHECK_THROWS_WITH(control.shared.begin_atomic(1, kLook), "slot 2");
}

TEST_CASE("a rank that has died in an atomic update hinders those that need the elements alone only")
{
    Control control;
    control.shared.begin_atomic(2, kLook);
    CHECK_THROWS_WITH(control.shared.begin_alone(0, kLook), "slot 2");
    control.shared.begin_atomic(1, kLook);  // nobody holds them alone
    control.shared.end_atomic(1);
    control.shared.end_atomic(2);
    control.shared.begin_alone(0, kLook);
    control.shared.end_alone();
}
