#include "lib/foundation/security/handshake.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::security {

namespace {

constexpr std::array<char, 8> kMagic = {'\x89', 'T', 'u', 't', 't', 'i', '\r', '\n'};
// The version of the messages below. All numbers are in host byte order: a host of the other order sees
// another version, as ranks of different architectures should.
constexpr std::uint32_t kVersion = 1;

struct Lead {
    std::array<char, 8> magic = kMagic;
    std::uint32_t handshake_version = kVersion;
    std::uint32_t version;  // of the protocol after the handshake
    std::uint64_t job;
};

struct MacInput {
    std::uint32_t role;
    std::uint32_t version;
    Identity dialer;
    Identity listener;
    std::array<std::byte, 32> dialer_nonce;
    std::array<std::byte, 32> listener_nonce;
};

template <class Message>
std::span<const std::byte> bytes_of(const Message& message) noexcept
{
    static_assert(std::has_unique_object_representations_v<Message>);
    return std::as_bytes(std::span(&message, 1));
}

}  // namespace

struct Handshake::Hello {
    Lead lead;
    Identity from;
    Identity to;
    Nonce nonce;
};

struct Handshake::Reply {
    Lead lead;
    std::uint32_t failure;
    std::uint32_t reserved;
    Nonce nonce;
    Proof proof;
};

Handshake::Handshake(const Key& key, std::uint32_t version, Role role, Identity self)
    : key_(key), version_(version), role_(role), self_(self)
{
    static_assert(sizeof(Hello) <= kMostBytes && sizeof(Reply) <= kMostBytes);
    in_wanted_ = role == Role::dialer ? sizeof(Reply) : sizeof(Hello);
    fill_random(role == Role::dialer ? dialer_nonce_ : listener_nonce_);
}

Handshake Handshake::dial(const Key& key, std::uint32_t version, Identity self, Identity peer)
{
    Handshake handshake(key, version, Role::dialer, self);
    handshake.peer_ = peer;
    const Hello hello{{.version = version, .job = key.job()}, self, peer, handshake.dialer_nonce_};
    handshake.put(bytes_of(hello));
    return handshake;
}

Handshake Handshake::listen(const Key& key, std::uint32_t version, Identity self)
{
    return {key, version, Role::listener, self};
}

std::string_view Handshake::reason() const noexcept
{
    switch (failure_) {
        case Failure::none:
            return "nothing is wrong";
        case Failure::not_tutti:
            return "it does not speak Tutti's protocol";
        case Failure::other_version:
            return "it is of another version of Tutti, or of another architecture";
        case Failure::other_job:
            return "it belongs to another job";
        case Failure::other_end:
            return refused_ ? "somebody else has this address" : "it looks for somebody else";
        case Failure::wrong_proof:
            return "it does not know the job's key";
    }
    return "it has failed for an unknown reason";
}

std::size_t Handshake::wanted() const noexcept
{
    return state_ == State::under_way ? in_wanted_ - in_size_ : 0;
}

std::span<const std::byte> Handshake::outgoing() const noexcept
{
    return std::span(out_).first(out_size_).subspan(out_sent_);
}

std::size_t Handshake::take(std::span<const std::byte> bytes)
{
    std::size_t taken = 0;
    while (state_ == State::under_way && taken < bytes.size()) {
        const std::size_t more = std::min(wanted(), bytes.size() - taken);
        std::memcpy(in_.data() + in_size_, bytes.data() + taken, more);
        in_size_ += more;
        taken += more;
        const bool proof = role_ == Role::listener && has_hello_;
        // Garbage shows in its first bytes: there is no wait for the rest.
        if (!proof && std::memcmp(in_.data(), kMagic.data(), std::min(in_size_, kMagic.size())) != 0) {
            fail(Failure::not_tutti);
        } else if (in_size_ == in_wanted_) {
            in_size_ = 0;
            if (role_ == Role::dialer)
                on_reply();
            else if (has_hello_)
                on_proof();
            else
                on_hello();
        }
    }
    return taken;
}

void Handshake::on_hello()
{
    Hello hello;
    std::memcpy(&hello, in_.data(), sizeof hello);
    if (hello.lead.handshake_version != kVersion || hello.lead.version != version_)
        return refuse(Failure::other_version);
    if (hello.lead.job != key_.job())
        return refuse(Failure::other_job);
    if (hello.to != self_ || hello.from == self_)
        return refuse(Failure::other_end);
    has_hello_ = true;
    peer_ = hello.from;
    dialer_nonce_ = hello.nonce;
    const Reply reply{{.version = version_, .job = key_.job()},
                      static_cast<std::uint32_t>(Failure::none),
                      0,
                      listener_nonce_,
                      proof_of(Role::listener)};
    put(bytes_of(reply));
    in_wanted_ = sizeof(Proof);
}

void Handshake::on_reply()
{
    Reply reply;
    std::memcpy(&reply, in_.data(), sizeof reply);
    const auto failure = static_cast<Failure>(reply.failure);
    if (reply.lead.handshake_version != kVersion || reply.lead.version != version_)
        return fail(Failure::other_version);
    if (reply.lead.job != key_.job())
        return fail(Failure::other_job);
    refused_ = failure != Failure::none;
    if (refused_)
        return fail(failure <= Failure::wrong_proof ? failure : Failure::not_tutti);
    listener_nonce_ = reply.nonce;
    if (sodium_memcmp(reply.proof.data(), proof_of(Role::listener).data(), reply.proof.size()) != 0)
        return fail(Failure::wrong_proof);
    put(proof_of(Role::dialer));
    state_ = State::proved;
}

void Handshake::on_proof()
{
    if (sodium_memcmp(in_.data(), proof_of(Role::dialer).data(), sizeof(Proof)) != 0)
        return fail(Failure::wrong_proof);
    state_ = State::proved;
}

// The dialer may be a rank of ours with a wrong address or library, and should be able to report it.
void Handshake::refuse(Failure failure)
{
    const Reply reply{
        {.version = version_, .job = key_.job()}, static_cast<std::uint32_t>(failure), 0, {}, {}};
    put(bytes_of(reply));
    fail(failure);
}

void Handshake::fail(Failure failure) noexcept
{
    failure_ = failure;
    state_ = State::failed;
}

Handshake::Proof Handshake::proof_of(Role role) const noexcept
{
    const bool dialing = role_ == Role::dialer;
    const MacInput input{static_cast<std::uint32_t>(role), version_,      dialing ? self_ : peer_,
                         dialing ? peer_ : self_,          dialer_nonce_, listener_nonce_};
    const auto bytes = bytes_of(input);
    Proof proof;
    static_assert(sizeof proof == crypto_auth_BYTES && Key::kBytes == crypto_auth_KEYBYTES);
    crypto_auth(reinterpret_cast<unsigned char*>(proof.data()),
                reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                reinterpret_cast<const unsigned char*>(key_.bytes().data()));
    return proof;
}

void Handshake::put(std::span<const std::byte> message) noexcept
{
    std::memcpy(out_.data() + out_size_, message.data(), message.size());
    out_size_ += message.size();
}

}  // namespace tutti::security
