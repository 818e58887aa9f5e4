// Messages of objects that own memory: serialisation and one message.
#pragma once

#include <cstddef>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/serialize.hpp"

namespace tutti {

/// Sends serialize(object) as one message. Errors of both.
template <class T>
void send_serialized(const Communicator& communicator, const T& object, int destination, int tag = 0)
{
    communicator.send(serialize(object), destination, tag);
}

/// Receives a message of send_serialized<T>, of any length, by a matched probe. Throws ErrorCode::protocol
/// with the sender's rank if the message is no T.
template <class T>
T recv_serialized(const Communicator& communicator, int source = any_source, int tag = any_tag)
{
    Message message = communicator.mprobe(source, tag);
    std::vector<std::byte> bytes(message.status().size_bytes);
    const Status status = message.recv(bytes);
    return detail::deserialize_from<T>(InputArchive(bytes, "recv_serialized", status.source));
}

}  // namespace tutti
