// SubGroup: some ranks of a group as a group, so that algorithms can use other algorithms.
#pragma once

#include <exception>
#include <span>

#include "collectives/framework/group.hpp"

namespace tutti::collectives {

/// A view: its messages are messages of the whole group. Between two ranks the messages of the view and of
/// the whole group must have the same order at both. Errors name the ranks of the whole group. It has no
/// board, and announces no calls.
class SubGroup final : public Group {
public:
    /// `members`: ranks of `whole`; this rank is at place `rank`. Both must outlive the view.
    SubGroup(Group& whole, std::span<const int> members, int rank, Placement placement) noexcept
        : Group(rank, static_cast<int>(members.size()), placement), whole_(whole), members_(members)
    {
    }

    Operation send(int peer, std::span<const std::byte> data) override
    {
        return whole_.send(in_whole(peer), data);
    }
    Operation send_ahead(int peer, std::span<const std::byte> data) override
    {
        return whole_.send_ahead(in_whole(peer), data);
    }
    Operation send_parts(int peer, Parts parts) override { return whole_.send_parts(in_whole(peer), parts); }
    Operation recv_view(int peer, View& view) override { return whole_.recv_view(in_whole(peer), view); }
    Operation recv(int peer, std::span<std::byte> data) override { return whole_.recv(in_whole(peer), data); }
    Operation recv_reduce(int peer, const std::byte* mine, Buffer result, ReduceOp op, Side arriving) override
    {
        return whole_.recv_reduce(in_whole(peer), mine, result, op, arriving);
    }

protected:
    // Operations belong to the whole group, so these are never called.
    void release(OperationState&) noexcept override { std::terminate(); }
    [[noreturn]] void raise(const OperationState&) const override { std::terminate(); }

private:
    int in_whole(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }

    Group& whole_;
    std::span<const int> members_;
};

}  // namespace tutti::collectives
