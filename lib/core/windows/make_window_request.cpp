#include "lib/core/windows/make_window_request.hpp"

#include <utility>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_waits.hpp"

namespace tutti::detail {

WindowRequest& make_request(const WindowIdentity& window, std::string_view operation, const WindowAim& aim,
                            WindowRequest*& place)
{
    WindowRequest& made = window.process().window_requests.take();
    made.owner = &window.process();
    made.operation = operation;
    made.context = window.communicator()->context();
    made.target = aim.target;
    made.peer = window.world_rank(aim.target);
    made.bytes = aim.bytes;
    made.place = &place;
    place = &made;
    return made;
}

}  // namespace tutti::detail
