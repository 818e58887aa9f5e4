// Messages round a ring of every size near a switch of protocol, every byte checked; then from everybody to
// everybody, received by wildcards.
#include <map>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::messages {

namespace {

// Largest frames, ring sizes and eager limits are powers of two, less a line or not.
std::vector<std::size_t> sizes_near_switches()
{
    std::vector<std::size_t> sizes{0, 1, 2, 3, 39, 40, 41, 47, 48, 49};
    for (std::size_t power = 64; power <= 1u << 20; power *= 2) {
        for (const std::size_t size : {power - 64, power - 1, power, power + 1})
            sizes.push_back(size);
    }
    sizes.push_back((5u << 20) + 3);
    return sizes;
}

void round_the_ring(const Communicator& world)
{
    std::size_t number = 0;
    for (const std::size_t size : sizes_near_switches()) {
        ++number;
        const auto out = bytes(world.rank(), number, size);
        std::vector<std::byte> in(size);
        // Expected and unexpected by turns, standard and synchronous.
        Request received;
        if (number % 2 == 0)
            received = world.irecv(in, left_of(world), 1);
        Request sent =
            number % 3 == 0 ? world.issend(out, right_of(world), 1) : world.isend(out, right_of(world), 1);
        if (number % 2 == 1)
            expect(world.recv(in, left_of(world), 1).size_bytes == size);
        else
            expect(received.wait().size_bytes == size);
        sent.wait();
        expect(in == bytes(left_of(world), number, size), std::to_string(size) + " bytes");
    }
}

void all_to_all(const Communicator& world)
{
    constexpr std::size_t kMessages = 20;
    const auto size_of = [](std::size_t number) { return number * number * 300; };
    std::vector<Request> sent;
    for (std::size_t number = 0; number < kMessages; ++number) {
        for (int peer = 0; peer < world.size(); ++peer)
            sent.push_back(world.isend(bytes(world.rank(), number, size_of(number)), peer,
                                       static_cast<int>(number % 3)));
    }
    std::map<int, std::size_t> next;
    for (int i = 0; i < world.size() * static_cast<int>(kMessages); ++i) {
        // From anybody, and from a named source that has some left, by turns.
        const int named = i / 2 % world.size();
        Message message = world.mprobe(i % 2 == 1 && next[named] < kMessages ? named : any_source);
        std::vector<std::byte> in(message.status().size_bytes);
        const Status status = message.recv(in);
        const std::size_t number = next[status.source]++;
        expect(status.tag == static_cast<int>(number % 3), "order");
        expect(in == bytes(status.source, number, size_of(number)));
    }
    wait_all(sent);
    world.barrier();
    expect(!world.iprobe().has_value());
    world.barrier();  // before the next messages come
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    round_the_ring(world);
    all_to_all(world);
    std::vector<std::byte> short_buffer(10);
    for (const std::size_t size : {11u, 40'000u, 300'000u}) {
        Request sent = world.isend(bytes(world.rank(), 1, size), right_of(world), 9);
        try {
            world.recv(short_buffer, left_of(world), 9);
            expect(false, "no truncation");
        } catch (const Error& error) {
            expect(error.code() == ErrorCode::truncated, error.what());
        }
        sent.wait();
        expect(short_buffer == bytes(left_of(world), 1, 10));
    }
    return 0;
}

const Program program("messages", run_program);

}  // namespace tutti::test::messages
