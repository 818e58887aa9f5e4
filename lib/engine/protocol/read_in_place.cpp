// Protocol `read_in_place`: the data lies in a memory file that the receiver maps, too: from tutti::allocate,
// from malloc where the heap is preloaded, or working memory of a collective. The rts says where; the
// receiver copies it out of there, reduces straight out of it, or is shown it, and answers `fin`. One copy at
// most, and no system call but for mapping the file the first time.
//
// A message of a rank to itself is read in place as well, whatever memory it lies in.
#include "lib/engine/protocol/pieces.hpp"
#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"

namespace tutti::protocol {

// False if the memory cannot be mapped.
bool Receiver::take_in_place(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region)
{
    if (!request.in_place && request.deliver == nullptr)
        return try_pull(request, from, region);  // the transport may have both cores copy
    const auto data = from.memory->view(from.rank, region, request.expected);
    if (data.empty())
        return false;
    if (request.in_place) {
        request.viewed = data;  // until the caller calls end_view()
    } else {
        request.take(0, data);
        end_view(from, request.sender_id);
    }
    request.finish();
    return true;
}

// The send is at hand, so the receive is complete as soon as it has matched. False: there is no such send, or
// data of it has been sent.
bool Receiver::take_own(ReceiveRequest& request, Peer& self)
{
    SendRequest* const send = sender_.offered(request.sender_id);
    if (send == nullptr || send->peer_rank != self.rank || send->unasked != 0)
        return false;
    copy_to(*send, request);
    end_view(self, request.sender_id);
    request.finish();
    return true;
}

}  // namespace tutti::protocol
