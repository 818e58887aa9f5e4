// What ranks share about a window, when one of them dies within an update.
#include "lib/core/windows/window_control.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

using tutti::detail::WindowControl;

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

}  // namespace

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
