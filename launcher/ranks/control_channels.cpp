#include "launcher/ranks/control_channels.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>

#include "lib/foundation/control/job_description.hpp"

namespace tutti::launcher {

namespace {

using control::Packet;

/// For one rank. It needs one for its addresses and one for each piece of memory that others map.
constexpr std::size_t kMostDeposits = 4096;
/// Taken from one rank before the others have their turn.
constexpr int kPacketsATurn = 1024;
/// Of a rank that has ended: more than a socket holds.
constexpr int kLastPackets = 1 << 17;
/// Fetches of one rank that wait for their answers: its other packets are not read then. Tutti's ranks have one.
constexpr std::size_t kMostWaiting = 16;

}  // namespace

ControlChannels::~ControlChannels()
{
    for (auto& [number, rank] : ranks_)
        close(rank);
}

UniqueFd ControlChannels::open(int rank)
{
    auto [ours, theirs] =
        make_socket_pair(SOCK_SEQPACKET, "cannot create a socket for a rank (raise ulimit -n)");
    loop_.watch(ours.get(), EPOLLIN, [this, rank](std::uint32_t) { read(rank); });
    ranks_[rank].socket = std::move(ours);
    return move_up(std::move(theirs));
}

void ControlChannels::close(Rank& rank)
{
    if (rank.socket) {
        loop_.forget(rank.socket.get());
        rank.socket.reset();
    }
}

void ControlChannels::ended(int number)
{
    const auto found = ranks_.find(number);
    if (found == ranks_.end())
        return;
    Rank& rank = found->second;
    rank.ended = true;
    take_packets(number, kLastPackets);
    close(rank);
    std::erase_if(rank.deposits,
                  [](const auto& entry) { return static_cast<bool>(entry.second.descriptor); });
}

void ControlChannels::read(int number)
{
    take_packets(number, kPacketsATurn);
    answer_fetches();
}

void ControlChannels::take_packets(int number, int most)
{
    Rank& rank = ranks_.at(number);
    for (; rank.socket && most > 0 && (rank.ended || rank.waiting < kMostWaiting); --most) {
        Packet packet;
        switch (control::receive(rank.socket.get(), packet)) {
            case control::Arrival::nothing:
                return;
            case control::Arrival::ended:
                close(rank);
                return;
            case control::Arrival::packet:
                handle(number, packet);
        }
    }
}

void ControlChannels::handle(int number, Packet& packet)
{
    Rank& rank = ranks_.at(number);
    switch (packet.kind) {
        case Packet::Kind::joined:
            events_.joined(number, packet.name);
            break;
        case Packet::Kind::left:
            events_.left(number);
            break;
        case Packet::Kind::aborted:
            events_.aborted(number, packet.number, packet.bytes, static_cast<pid_t>(packet.serial));
            break;
        case Packet::Kind::crashed:
            if (control::Crash crash; packet.bytes.size() == sizeof crash) {
                std::memcpy(&crash, packet.bytes.data(), sizeof crash);
                events_.crashed(number, packet.number, crash);
            }
            break;
        case Packet::Kind::status:
            events_.showed_status(number, std::move(packet.descriptor));
            break;
        case Packet::Kind::profile:
            events_.showed_profile(number, std::move(packet.descriptor));
            break;
        case Packet::Kind::deposit:
            if (rank.deposits.size() < kMostDeposits || rank.deposits.contains(packet.name))
                rank.deposits[packet.name] = {std::move(packet.bytes), std::move(packet.descriptor)};
            break;
        case Packet::Kind::withdraw:
            rank.deposits.erase(packet.name);
            break;
        case Packet::Kind::fetch:
            if (rank.ended)
                break;  // nobody waits for the answer
            ++rank.waiting;
            fetches_.push_back({number, std::move(packet)});
            break;
        default:
            close(rank);  // no rank sends that
    }
}

void ControlChannels::let_go(int number)
{
    const auto rank = ranks_.find(number);
    if (rank == ranks_.end() || !rank->second.socket)
        return;
    Packet packet;
    packet.kind = Packet::Kind::may_end;
    control::send_now(rank->second.socket.get(), packet);
}

ControlChannels::Deposit ControlChannels::find(int number, const std::string& name, std::string& bytes) const
{
    const auto rank = ranks_.find(number);
    if (rank == ranks_.end())
        return Deposit::gone;
    const auto deposit = rank->second.deposits.find(name);
    if (deposit == rank->second.deposits.end())
        return rank->second.ended ? Deposit::gone : Deposit::missing;
    bytes = deposit->second.bytes;
    return Deposit::found;
}

/// Ranks may ask each other in circles, and faster than they are answered: so no fetch is answered inside
/// another, and those that come meanwhile have their turn later.
void ControlChannels::answer_fetches()
{
    for (std::size_t left = fetches_.size(); left > 0 && !fetches_.empty(); --left) {
        const auto [asker, packet] = std::move(fetches_.front());
        fetches_.pop_front();
        --ranks_.at(asker).waiting;
        fetch(asker, packet);
    }
    if (fetches_.empty() || answers_later_)
        return;
    answers_later_ = true;
    loop_.post([this] {
        answers_later_ = false;
        answer_fetches();
    });
}

void ControlChannels::fetch(int asker, const Packet& packet)
{
    if (packet.number == control::kJobRank && packet.name == control::kJobName) {
        answer(asker, packet.serial, Deposit::found, job_);
        return;
    }
    const auto rank = ranks_.find(packet.number);
    if (rank == ranks_.end()) {
        events_.wanted_of_other_node(
            packet.number, packet.name,
            [this, asker, serial = packet.serial](Deposit result, std::string bytes) {
                answer(asker, serial, result, std::move(bytes));
            });
        return;
    }
    // The rank may have announced a deposit that this process has not read yet. Of the asker all is read.
    if (packet.number != asker)
        take_packets(packet.number, kPacketsATurn);
    std::string bytes;
    const Deposit result = find(packet.number, packet.name, bytes);
    const int descriptor =
        result == Deposit::found ? rank->second.deposits.at(packet.name).descriptor.get() : -1;
    answer(asker, packet.serial, result, std::move(bytes), descriptor);
}

void ControlChannels::answer(int asker, std::uint32_t serial, Deposit result, std::string bytes,
                             int descriptor)
{
    const Rank& rank = ranks_.at(asker);
    if (!rank.socket)
        return;
    const Packet::Kind kind = result == Deposit::found     ? Packet::Kind::found
                              : result == Deposit::missing ? Packet::Kind::missing
                                                           : Packet::Kind::gone;
    Packet packet;
    packet.kind = kind;
    packet.serial = serial;
    packet.bytes = std::move(bytes);
    control::send_now(rank.socket.get(), packet, descriptor);
}

}  // namespace tutti::launcher
