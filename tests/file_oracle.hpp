// Files that all ranks write and read by chance from a seed: every byte is as a plain image of the file has it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/expect.hpp"

namespace tutti::test {

/// Numbers by chance, which depend on nothing but the seed.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
    std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
    bool one_in(std::size_t many) { return below(many) == 0; }
    template <class T>
    T one_of(std::initializer_list<T> choices)
    {
        return *(choices.begin() + below(choices.size()));
    }

private:
    std::mt19937_64 random_;
};

/// A view as the places of its bytes, one by one.
struct ModelView {
    std::size_t displacement = 0;
    std::size_t etype_bytes = 1;
    std::vector<std::size_t> places{};  // of a filetype; empty: contiguous
    std::size_t extent = 0;
    std::optional<Layout> layout{};

    std::size_t place_of(std::size_t byte) const
    {
        if (places.empty())
            return displacement + byte;
        return displacement + byte / places.size() * extent + places[byte % places.size()];
    }
    /// How many bytes of the view lie before a place.
    std::size_t bytes_before(std::size_t place) const
    {
        if (places.empty())
            return place - std::min(place, displacement);
        std::size_t byte = 0;
        while (place_of(byte) < place)
            ++byte;
        return byte;
    }
    /// How many bytes of the view lie in so many of the file.
    std::size_t bytes_in(std::size_t file_bytes) const
    {
        return places.empty() ? file_bytes : file_bytes * places.size() / extent;
    }
    void set(File& file) const
    {
        const auto at = static_cast<std::int64_t>(displacement);
        const auto with = [&]<class T>(T) { layout ? file.set_view<T>(at, *layout) : file.set_view<T>(at); };
        switch (etype_bytes) {
            case 1:
                return with(std::byte{});
            case 2:
                return with(std::uint16_t{});
            case 3:
                return with(std::array<char, 3>{});
            default:
                return with(std::uint64_t{});
        }
    }
};

/// Blocks of elements, with gaps before, between and behind them.
inline ModelView view_of_blocks(Chance& chance, std::size_t etype)
{
    ModelView view{.displacement = chance.below(300), .etype_bytes = etype};
    std::vector<Layout::Block> blocks;
    std::size_t place = chance.one_in(2) ? chance.below(100) : 0;
    for (std::size_t i = chance.between(1, 7); i > 0; --i) {
        const std::size_t bytes = etype * chance.between(1, chance.one_in(4) ? 300 : 12);
        blocks.push_back({static_cast<std::ptrdiff_t>(place), bytes});
        for (std::size_t byte = 0; byte < bytes; ++byte)
            view.places.push_back(place + byte);
        place += bytes + (chance.one_in(3) ? 0 : chance.below(70));
    }
    view.extent = place + (chance.one_in(2) ? chance.below(90) : 0);
    view.layout = Layout::indexed(blocks).repeated_every(view.extent);
    return view;
}

inline ModelView strided_view(Chance& chance, std::size_t etype)
{
    ModelView view{.displacement = chance.below(300), .etype_bytes = etype};
    const std::size_t count = chance.between(1, 20);
    const std::size_t block = chance.between(1, 9);
    const std::size_t stride = block + chance.below(12);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t byte = 0; byte < block * etype; ++byte)
            view.places.push_back(i * stride * etype + byte);
    view.extent = (count * stride + chance.below(3)) * etype;
    view.layout = Layout::strided(count, block, static_cast<std::ptrdiff_t>(stride), etype)
                      .repeated_every(view.extent);
    return view;
}

/// A part of an array of one to three dimensions.
inline ModelView view_of_subarray(Chance& chance, std::size_t etype)
{
    ModelView view{.displacement = chance.below(100), .etype_bytes = etype};
    std::vector<std::size_t> sizes(chance.between(1, 3));
    std::vector<std::size_t> taken(sizes.size());
    std::vector<std::size_t> starts(sizes.size());
    std::size_t all = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] = chance.between(1, 11);
        taken[i] = chance.between(1, sizes[i]);
        starts[i] = chance.below(sizes[i] - taken[i] + 1);
        all *= sizes[i];
    }
    for (std::size_t element = 0; element < all; ++element) {
        bool is_taken = true;
        std::size_t rest = element;
        for (std::size_t i = sizes.size(); i > 0; --i) {
            const std::size_t index = rest % sizes[i - 1];
            rest /= sizes[i - 1];
            is_taken = is_taken && index >= starts[i - 1] && index < starts[i - 1] + taken[i - 1];
        }
        for (std::size_t byte = 0; is_taken && byte < etype; ++byte)
            view.places.push_back(element * etype + byte);
    }
    view.extent = all * etype;
    view.layout = Layout::subarray(sizes, taken, starts, etype);
    return view;
}

inline ModelView any_view(Chance& chance, std::size_t etype)
{
    switch (chance.below(4)) {
        case 0:
            return {.displacement = chance.below(2000), .etype_bytes = etype};
        case 1:
            return view_of_blocks(chance, etype);
        case 2:
            return strided_view(chance, etype);
        default:
            return view_of_subarray(chance, etype);
    }
}

/// Views of all ranks that share the file without a byte in common: blocks that are dealt out by chance.
inline std::vector<ModelView> dealt_views(Chance& chance, std::size_t etype, std::size_t ranks)
{
    std::vector<ModelView> views(ranks, ModelView{.displacement = chance.below(300), .etype_bytes = etype});
    std::vector<std::vector<Layout::Block>> blocks(ranks);
    std::size_t place = 0;
    // One block of each rank, and more of some.
    const std::size_t count = ranks + chance.below(12);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t rank = i < ranks ? i : chance.below(ranks);
        const std::size_t bytes = etype * chance.between(1, chance.one_in(5) ? 400 : 20);
        blocks[rank].push_back({static_cast<std::ptrdiff_t>(place), bytes});
        for (std::size_t byte = 0; byte < bytes; ++byte)
            views[rank].places.push_back(place + byte);
        place += bytes + (chance.one_in(4) ? chance.below(60) : 0);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        views[rank].extent = place;
        views[rank].layout = Layout::indexed(blocks[rank]).repeated_every(place);
    }
    return views;
}

/// Memory of a buffer: the places of its bytes, and what lies between them.
class ModelMemory {
public:
    static constexpr std::byte kUntouched{0xA5};

    ModelMemory(Chance& chance, std::size_t bytes)
    {
        const bool has_gaps = chance.one_in(2);
        std::vector<Layout::Block> blocks;
        std::size_t place = has_gaps ? chance.below(40) : 0;
        const std::size_t most = chance.one_of<std::size_t>({3, 40, 5000});
        while (places_.size() < bytes) {
            const std::size_t block = std::min(has_gaps ? chance.between(1, most) : bytes, bytes - places_.size());
            blocks.push_back({static_cast<std::ptrdiff_t>(place), block});
            for (std::size_t byte = 0; byte < block; ++byte)
                places_.push_back(place++);
            place += has_gaps ? chance.between(1, 50) : 0;
        }
        bytes_.assign(place, kUntouched);
        if (has_gaps)
            layout_ = Layout::indexed(blocks);
    }

    std::size_t size() const noexcept { return places_.size(); }
    std::byte& operator[](std::size_t byte) { return bytes_[places_[byte]]; }
    bool gaps_are_left() const
    {
        auto place = places_.begin();
        for (std::size_t i = 0; i < bytes_.size(); ++i)
            if (place != places_.end() && *place == i)
                ++place;
            else if (bytes_[i] != kUntouched)
                return false;
        return true;
    }
    /// call(buffer), of one of two types.
    template <class Call>
    auto with(Call&& call)
    {
        if (!layout_)
            return call(bytes_);
        LayoutView<std::byte> laid_out{bytes_.data(), *layout_};
        return call(laid_out);
    }

private:
    std::vector<std::size_t> places_;
    std::vector<std::byte> bytes_;
    std::optional<Layout> layout_;
};

/// How an access is made, alike at all ranks; and what each rank moves.
struct ModelAccess {
    bool together = false;
    bool is_at = false;  // a given offset
    bool is_request = false;
    std::vector<std::size_t> offsets{};  // of each rank, in etypes
    std::vector<std::size_t> counts{};   // in etypes
};

/// All ranks have the same numbers by chance, so each knows what all others do.
class FileOracle {
public:
    FileOracle(const Communicator& world, std::string path, std::size_t most_bytes, unsigned seed)
        : world_(world),
          path_(std::move(path)),
          most_bytes_(most_bytes),
          seed_(seed),
          chance_(seed),
          ranks_(static_cast<std::size_t>(world.size()))
    {
    }

    /// Collective. The file is removed at the end.
    void run(int rounds)
    {
        if (world_.rank() == 0)
            std::filesystem::remove(path_);
        world_.barrier();
        image_.clear();
        for (round_ = 0; round_ < rounds; ++round_)
            run_round();
        world_.barrier();
        if (world_.rank() == 0)
            File::remove(path_);
    }

private:
    using Views = std::vector<ModelView>;

    std::size_t own() const noexcept { return static_cast<std::size_t>(world_.rank()); }
    std::byte value(std::size_t rank, std::size_t access, std::size_t byte) const noexcept
    {
        std::uint64_t mixed = (seed_ * 131 + static_cast<std::uint64_t>(round_)) * 131 + rank;
        mixed = (mixed * 131 + access) * 0x9E3779B97F4A7C15u + byte * 0xD1B54A32D192ED03u;
        return static_cast<std::byte>(mixed >> 56);
    }
    void check(bool holds, const std::string& what) const
    {
        expect(holds, what + " (seed " + std::to_string(seed_) + ", round " + std::to_string(round_) + ", rank " +
                          std::to_string(world_.rank()) + " of " + std::to_string(world_.size()) + ")");
    }

    FileHints hints()
    {
        using Collective = FileHints::Collective;
        return {.buffer_bytes = chance_.one_of<std::size_t>({64, 777, 4096, std::size_t{16} << 20}),
                .aggregators = static_cast<int>(chance_.below(ranks_ + 2)),
                .collective_reads = chance_.one_of({Collective::automatic, Collective::always, Collective::never}),
                .collective_writes = chance_.one_of({Collective::automatic, Collective::always, Collective::always}),
                .alignment = chance_.one_of<std::size_t>({1, 64, 4096, std::size_t{1} << 20})};
    }
    Views views()
    {
        const auto etype = chance_.one_of<std::size_t>({1, 2, 3, 8});
        if (chance_.one_in(2))
            return dealt_views(chance_, etype, ranks_);
        Views each;
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            each.push_back(any_view(chance_, etype));
        return each;
    }
    // Requests are under way together, so no two accesses of a rank have elements in common.
    std::vector<ModelAccess> accesses(const Views& views)
    {
        std::vector<ModelAccess> all(chance_.between(1, 4));
        std::vector<std::size_t> next(ranks_);
        for (ModelAccess& access : all) {
            access = {.together = chance_.one_in(2), .is_at = chance_.one_in(2), .is_request = chance_.one_in(2)};
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                const ModelView& view = views[rank];
                const std::size_t most = view.bytes_in(most_bytes_) / all.size() / view.etype_bytes + 1;
                const std::size_t gap = access.is_at && chance_.one_in(3) ? chance_.below(50) : 0;
                const std::size_t count =
                    chance_.one_in(5) ? 0 : chance_.below(chance_.one_in(4) ? most : most / 20 + 2);
                access.offsets.push_back(next[rank] + gap);
                access.counts.push_back(count);
                next[rank] += gap + count;
            }
        }
        // The own pointer is where own accesses have brought it.
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            std::size_t pointer = 0;
            for (ModelAccess& access : all)
                if (!access.is_at) {
                    access.offsets[rank] = next[rank] + pointer;
                    pointer += access.counts[rank];
                }
            pointers_.push_back(next[rank]);
        }
        return all;
    }

    void run_round()
    {
        const FileHints used = hints();
        File file(world_, path_, FileMode::read | FileMode::write | FileMode::create, used);
        change_size(file);
        write(file);
        file.sync();
        if (chance_.one_in(3)) {
            file.close();
            File again(world_, path_, FileMode::read, hints());
            read(again);
            again.close();
            return;
        }
        read(file);
        file.close();
    }

    void change_size(File& file)
    {
        if (!chance_.one_in(4))
            return;
        const std::size_t size = chance_.below(most_bytes_);
        if (chance_.one_in(2)) {
            file.resize(static_cast<std::int64_t>(size));
            image_.resize(size);
        } else {
            file.preallocate(static_cast<std::int64_t>(size));
            image_.resize(std::max(size, image_.size()));
        }
        check(file.size() == static_cast<std::int64_t>(image_.size()), "the size");
    }

    template <class Buffer>
    Request begin(File& file, const ModelAccess& access, bool writes, Buffer& buffer)
    {
        const auto offset = static_cast<std::int64_t>(access.offsets[own()]);
        if (access.is_at && access.together)
            return writes ? file.iwrite_at_all(offset, buffer) : file.iread_at_all(offset, buffer);
        if (access.is_at)
            return writes ? file.iwrite_at(offset, buffer) : file.iread_at(offset, buffer);
        if (access.together)
            return writes ? file.iwrite_all(buffer) : file.iread_all(buffer);
        return writes ? file.iwrite(buffer) : file.iread(buffer);
    }
    template <class Buffer>
    std::size_t finish(File& file, const ModelAccess& access, bool writes, Buffer& buffer)
    {
        const auto offset = static_cast<std::int64_t>(access.offsets[own()]);
        const auto of_write = [&](auto&& call) {
            call();
            return detail::const_view(buffer).size_bytes;
        };
        if (access.is_at && access.together)
            return writes ? of_write([&] { file.write_at_all(offset, buffer); }) : file.read_at_all(offset, buffer);
        if (access.is_at)
            return writes ? of_write([&] { file.write_at(offset, buffer); }) : file.read_at(offset, buffer);
        if (access.together)
            return writes ? of_write([&] { file.write_all(buffer); }) : file.read_all(buffer);
        return writes ? of_write([&] { file.write(buffer); }) : file.read(buffer);
    }

    // Makes this rank's accesses; returns how many bytes each has moved.
    std::vector<std::size_t> make(File& file, const std::vector<ModelAccess>& all, bool writes,
                                  std::vector<ModelMemory>& memories)
    {
        std::vector<std::size_t> moved(all.size());
        std::vector<Request> requests(all.size());
        file.seek(static_cast<std::int64_t>(pointers_[own()]));
        for (std::size_t i = 0; i < all.size(); ++i)
            memories[i].with([&](auto& buffer) {
                if (all[i].is_request)
                    requests[i] = begin(file, all[i], writes, buffer);
                else
                    moved[i] = finish(file, all[i], writes, buffer);
            });
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].is_request)
                moved[i] = requests[i].wait().size_bytes;
        return moved;
    }

    // The layouts in memory differ between ranks.
    std::vector<ModelMemory> memories(const std::vector<ModelAccess>& all, std::size_t etype)
    {
        Chance chance(chance_.below(1u << 30) + own());
        std::vector<ModelMemory> made;
        for (const ModelAccess& access : all)
            made.emplace_back(chance, access.counts[own()] * etype);
        return made;
    }

    void write(File& file)
    {
        const Views views = this->views();
        const std::size_t etype = views[0].etype_bytes;
        pointers_.clear();
        const std::vector<ModelAccess> all = accesses(views);
        std::vector<ModelMemory> data = memories(all, etype);
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t byte = 0; byte < data[i].size(); ++byte)
                data[i][byte] = value(own(), i, byte);
        views[own()].set(file);
        world_.barrier();  // the size has been looked at
        const std::vector<std::size_t> moved = make(file, all, true, data);
        for (std::size_t i = 0; i < all.size(); ++i)
            check(moved[i] == data[i].size(), "the size of write " + std::to_string(i));
        file.sync();
        check_written(views, all);
    }

    void check_written(const Views& views, const std::vector<ModelAccess>& all)
    {
        if (world_.rank() == 0)
            image_ = found_after(views, all);
        std::vector<std::size_t> size{image_.size()};
        world_.broadcast(size);
        image_.resize(size[0]);
        world_.broadcast(image_);
    }

    // The file's bytes, each of them right. Where several ranks have written a byte at once, the value of any
    // of them is.
    std::vector<std::byte> found_after(const Views& views, const std::vector<ModelAccess>& all) const
    {
        std::vector<std::vector<std::byte>> values(image_.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                const std::size_t etype = views[rank].etype_bytes;
                for (std::size_t byte = 0; byte < all[i].counts[rank] * etype; ++byte) {
                    const std::size_t place = views[rank].place_of(all[i].offsets[rank] * etype + byte);
                    if (place >= values.size())
                        values.resize(place + 1);
                    values[place].push_back(value(rank, i, byte));
                }
            }
        check(std::filesystem::file_size(path_) == values.size(), "the file's size");
        std::vector<std::byte> found(values.size());
        std::ifstream(path_, std::ios::binary)
            .read(reinterpret_cast<char*>(found.data()), static_cast<std::streamsize>(found.size()));
        for (std::size_t place = 0; place < found.size(); ++place) {
            const std::vector<std::byte>& right = values[place];
            const std::byte before = place < image_.size() ? image_[place] : std::byte{0};
            if (right.empty() && found[place] != before)
                check(false, "byte " + std::to_string(place) + " of the file, which nobody has written");
            if (!right.empty() && std::ranges::find(right, found[place]) == right.end())
                check(false, "byte " + std::to_string(place) + " of the file");
        }
        return found;
    }

    void read(File& file)
    {
        const Views views = this->views();
        const ModelView& view = views[own()];
        const std::size_t etype = view.etype_bytes;
        pointers_.clear();
        const std::vector<ModelAccess> all = accesses(views);
        std::vector<ModelMemory> data = memories(all, etype);
        view.set(file);
        const std::vector<std::size_t> moved = make(file, all, false, data);
        const std::size_t end = view.bytes_before(image_.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t from = all[i].offsets[own()] * etype;
            const std::size_t expected = std::min(data[i].size(), end - std::min(end, from));
            const std::string name = " of read " + std::to_string(i);
            check(moved[i] == expected, "the size" + name + ": " + std::to_string(moved[i]) + ", not " +
                                            std::to_string(expected));
            for (std::size_t byte = 0; byte < expected; ++byte)
                if (data[i][byte] != image_[view.place_of(from + byte)])
                    check(false, "byte " + std::to_string(byte) + name);
            for (std::size_t byte = expected; byte < data[i].size(); ++byte)
                if (data[i][byte] != ModelMemory::kUntouched)
                    check(false, "byte " + std::to_string(byte) + name + ", behind the file's end");
            check(data[i].gaps_are_left(), "memory in gaps" + name);
        }
        std::size_t pointer = pointers_[own()];
        for (const ModelAccess& access : all)
            pointer += access.is_at ? 0 : access.counts[own()];
        check(file.position() == static_cast<std::int64_t>(pointer), "the pointer");
    }

    const Communicator& world_;
    const std::string path_;
    const std::size_t most_bytes_;
    const unsigned seed_;
    Chance chance_;
    const std::size_t ranks_;
    int round_ = 0;
    std::vector<std::byte> image_;
    std::vector<std::size_t> pointers_;  // where each rank's own pointer begins
};

}  // namespace tutti::test
