// Blocks cut off a row and joined again: apart, aligned, zero where the heap says so, and no memory for what
// is free.
#include "lib/heap/heap_blocks.hpp"

#include <catch2/catch.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

using namespace tutti::heap;

namespace {

// Shared memory, as the heap's: only that can be given back by MADV_REMOVE.
class Row {
public:
    explicit Row(std::size_t bytes) : bytes_(bytes)
    {
        base_ = static_cast<std::byte*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        REQUIRE(base_ != MAP_FAILED);
        blocks->start(base_, bytes);
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    ~Row() { munmap(base_, bytes_); }

    std::size_t resident_bytes() const
    {
        std::vector<unsigned char> pages(bytes_ / kPage);
        REQUIRE(mincore(base_, bytes_, pages.data()) == 0);
        return static_cast<std::size_t>(std::ranges::count_if(pages, [](auto page) { return page & 1; })) *
               kPage;
    }

    std::unique_ptr<Blocks> blocks = std::make_unique<Blocks>();

private:
    std::byte* base_;
    std::size_t bytes_;
};

struct Held {
    Block* block;
    unsigned char mark;
};

bool is_filled(std::span<const std::byte> bytes, unsigned char mark)
{
    return bytes[0] == std::byte{mark} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::span<std::byte> data_of(Block* block)
{
    return {block->data(), block->usable_bytes()};
}

std::size_t size_for(std::size_t bytes)
{
    return served_size(bytes) + kLine;
}

}  // namespace

TEST_CASE("sizes of classes: each request gets one that is at least as large, by less than a sixteenth more")
{
    CHECK(served_size(kLeastBytes) == kLeastBytes);
    CHECK(served_size(65536) == 65536);
    CHECK(served_size(4097) == 4096 + 256);
    CHECK(class_of(kLeastBytes) == 0);
    CHECK(class_of(kMostCachedBytes) + 1 == kClasses);
    for (std::size_t bytes = kLeastBytes; bytes <= kMostCachedBytes; bytes += 61) {
        const std::size_t served = served_size(bytes);
        REQUIRE(served >= bytes);
        REQUIRE(served - bytes < bytes / 16 + 1);
        REQUIRE(served_size(served) == served);
        REQUIRE(class_of(served) == class_of(std::min(served + 1, kMostCachedBytes)));
        REQUIRE((served == kLeastBytes || class_of(served - 1) + 1 == class_of(served)));
    }
}

TEST_CASE("a random trace of blocks: none touches another, and in the end all is one block again")
{
    const std::size_t bytes = std::size_t{64} << 20;
    Row row(bytes);
    Blocks& blocks = *row.blocks;
    std::mt19937 random(GENERATE(1u, 2u, 3u));
    std::vector<Held> held;
    std::size_t refused = 0;
    for (int i = 0; i < 4000; ++i) {
        const unsigned kind = random() % 16;
        if (kind < 8) {
            const std::size_t alignment = std::size_t{64} << (random() % 4 == 0 ? random() % 10 : 0);
            const auto wanted = static_cast<std::size_t>(4096 * std::exp2(random() % 900 / 100.0));
            const auto [block, zeroed] = blocks.take(size_for(wanted), alignment);
            if (block == nullptr) {
                ++refused;
                continue;
            }
            REQUIRE(block->usable_bytes() >= wanted);
            REQUIRE(reinterpret_cast<std::uintptr_t>(block->data()) % alignment == 0);
            if (zeroed && wanted > 2 * kPage)
                REQUIRE(is_filled(data_of(block).subspan(kPage, wanted - 2 * kPage), 0));
            const auto mark = static_cast<unsigned char>(1 + random() % 255);
            std::memset(block->data(), mark, block->usable_bytes());
            held.push_back({block, mark});
        } else if (!held.empty()) {
            std::swap(held[random() % held.size()], held.back());
            auto [block, mark] = held.back();
            REQUIRE(is_filled(data_of(block), mark));
            if (kind < 15) {
                blocks.give(block);
                held.pop_back();
            } else {
                const std::size_t before = block->usable_bytes();
                const std::size_t wanted = random() % 2 == 0 ? std::max(before / 2, kLeastBytes) : before * 2;
                if (blocks.resize(block, size_for(wanted))) {
                    REQUIRE(block->usable_bytes() >= wanted);
                    REQUIRE(is_filled(data_of(block).first(std::min(before, block->usable_bytes())), mark));
                    std::memset(block->data(), mark, block->usable_bytes());
                }
            }
        }
        if (random() % 64 == 0)
            blocks.give_back_pages(random() % (4u << 20), MADV_REMOVE);
        if (random() % 64 == 0)
            blocks.give_back_old_pages(MADV_REMOVE);
    }
    CHECK(refused > 0);
    for (const auto& [block, mark] : held) {
        REQUIRE(is_filled(data_of(block), mark));
        blocks.give(block);
    }
    CHECK(blocks.used_bytes() == 0);
    CHECK(blocks.take(bytes - (64u << 10)).block != nullptr);
}

TEST_CASE(
    "memory of blocks is there when it is touched, stays for the next one, and goes when it is given back")
{
    constexpr std::size_t kBytes = std::size_t{4} << 20;
    Row row(8 * kBytes);
    Blocks& blocks = *row.blocks;
    const auto first = blocks.take(size_for(kBytes));
    REQUIRE(first.block != nullptr);
    CHECK(first.zeroed);
    CHECK(row.resident_bytes() <= 4 * kPage);
    std::memset(first.block->data(), 7, kBytes);
    Block* const behind = blocks.take(size_for(kLeastBytes)).block;
    blocks.give(first.block);
    CHECK(blocks.kept_bytes() >= kBytes);
    CHECK(row.resident_bytes() >= kBytes);

    const auto again = blocks.take(size_for(kBytes));
    CHECK(again.block == first.block);
    CHECK_FALSE(again.zeroed);
    CHECK(blocks.kept_bytes() == 0);
    blocks.give(again.block);

    blocks.give_back_pages(0, MADV_REMOVE);
    CHECK(blocks.kept_bytes() <= 2 * kPage);
    CHECK(row.resident_bytes() <= 6 * kPage);
    CHECK(blocks.take(size_for(kBytes)).zeroed);
    blocks.give(behind);
}

TEST_CASE("of free blocks that are alike the lowest is taken, whatever was freed last")
{
    constexpr std::size_t kSize = 8192;
    Row row(std::size_t{4} << 20);
    std::vector<Block*> taken;
    for (int i = 0; i < 9; ++i)
        taken.push_back(row.blocks->take(kSize).block);
    for (const std::size_t i : {3U, 7U, 1U, 5U})  // none beside another
        row.blocks->give(taken[i]);
    for (const std::size_t i : {1U, 3U, 5U, 7U})
        CHECK(row.blocks->take(kSize - 1024).block == taken[i]);
}

TEST_CASE("of a free block the end goes back first, as the next request gets its beginning")
{
    constexpr std::size_t kBytes = std::size_t{4} << 20;
    Row row(2 * kBytes);
    Blocks& blocks = *row.blocks;
    Block* const block = blocks.take(size_for(kBytes)).block;
    std::memset(block->data(), 7, kBytes);
    blocks.give(block);
    const std::size_t keep = GENERATE(std::size_t{1} << 20, std::size_t{3} << 20, (std::size_t{3} << 20) + 1);
    blocks.give_back_pages(keep, MADV_REMOVE);
    CHECK(blocks.kept_bytes() <= keep);
    CHECK(blocks.kept_bytes() + 2 * kPage > keep);
    CHECK(row.resident_bytes() <= keep + 4 * kPage);
    const auto* const data = reinterpret_cast<const char*>(block->data());
    CHECK(data[keep - 4 * kPage] == 7);
    CHECK(data[keep + 4 * kPage] == 0);
}

TEST_CASE("pages go back that were free for a whole turn, and no others")
{
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    Row row(16 * kBytes);
    Blocks& blocks = *row.blocks;
    Block* const early = blocks.take(size_for(2 * kBytes)).block;
    Block* const wall = blocks.take(size_for(kLeastBytes)).block;
    Block* const late = blocks.take(size_for(kBytes)).block;
    std::memset(early->data(), 7, 2 * kBytes);
    std::memset(late->data(), 7, kBytes);
    blocks.give(early);
    blocks.give_back_old_pages(MADV_REMOVE);
    CHECK(blocks.kept_bytes() >= 2 * kBytes);
    // In the next turn a part of it is used again, and freed.
    Block* const again = blocks.take(size_for(kBytes / 2)).block;
    REQUIRE(again == early);
    blocks.give(again);
    blocks.give(late);
    blocks.give_back_old_pages(MADV_REMOVE);
    const auto* const data = reinterpret_cast<const char*>(early->data());
    CHECK(data[kBytes / 2 - kPage] == 7);
    CHECK(data[kBytes / 2 + 2 * kPage] == 0);
    CHECK(data[2 * kBytes - 2 * kPage] == 0);
    CHECK(reinterpret_cast<const char*>(late->data())[kBytes / 2] == 7);
    CHECK(blocks.kept_bytes() >= kBytes + kBytes / 2);
    CHECK(blocks.kept_bytes() <= kBytes + kBytes / 2 + 4 * kPage);
    blocks.give_back_old_pages(MADV_REMOVE);
    CHECK(blocks.kept_bytes() <= 4 * kPage);
    CHECK(row.resident_bytes() <= 8 * kPage);
    blocks.give(wall);
}

TEST_CASE("a block grows into the free memory behind it, and what it is shortened by is free")
{
    Row row(std::size_t{16} << 20);
    Blocks& blocks = *row.blocks;
    Block* const block = blocks.take(size_for(100'000)).block;
    Block* const wall = blocks.take(size_for(100'000)).block;
    CHECK_FALSE(blocks.resize(block, size_for(200'000)));
    blocks.give(wall);
    CHECK(blocks.resize(block, size_for(1'000'000)));
    CHECK(block->usable_bytes() >= 1'000'000);
    CHECK(blocks.used_bytes() == block->size());
    CHECK(blocks.kept_bytes() <= 2 * kPage);  // what nobody has used is not counted
    CHECK(blocks.resize(block, size_for(8192)));
    CHECK(blocks.used_bytes() == block->size());
    CHECK(block->usable_bytes() < 10'000);
    CHECK_FALSE(blocks.resize(block, size_for(std::size_t{17} << 20)));
    blocks.give(block);
    CHECK(blocks.used_bytes() == 0);
}
