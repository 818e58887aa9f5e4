// Pairs that a rank has written to a file because its memory is to hold no more: sorted runs, which are
// merged when they are read (external sorting by merging, D. E. Knuth, The Art of Computer Programming
// 3, 5.4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/pair_table.hpp"
#include "tutti/serialize.hpp"

namespace tutti::detail {

/// A file without a name, which ends with this object. Throws ErrorCode::system with the folder, the size,
/// and the remedy.
class SpillFile {
public:
    /// `folder`: "" for the system's own.
    explicit SpillFile(const std::string& folder);
    SpillFile(SpillFile&& other) noexcept : file_(std::exchange(other.file_, -1)), size_(other.size_) {}
    SpillFile& operator=(SpillFile&&) = delete;
    ~SpillFile();

    std::uint64_t size_bytes() const noexcept { return size_; }
    void append(std::span<const std::byte> bytes);
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

private:
    int file_;
    std::uint64_t size_ = 0;
};

/// Runs of pairs, each in the order of the keys' hashes.
template <class Key, class Value>
class PairRuns {
public:
    using Pair = std::pair<Key, Value>;
    using Pairs = std::vector<Pair>;

    bool empty() const noexcept { return runs_.empty(); }

    /// One more run.
    void write(Pairs pairs, const std::string& folder)
    {
        if (file_ == nullptr)
            file_ = std::make_unique<SpillFile>(folder);
        sort(pairs);
        Run run{file_->size_bytes(), 0};
        std::size_t first = 0;
        while (first < pairs.size()) {
            OutputArchive block;
            std::size_t last = first;
            while (last < pairs.size() && block.position() < kBlockBytes)
                block(pairs[last++]);
            const std::vector<std::byte> bytes = std::move(block).take();
            const std::uint64_t head[] = {bytes.size(), last - first};
            file_->append(std::as_bytes(std::span(head)));
            file_->append(bytes);
            first = last;
        }
        run.end = file_->size_bytes();
        runs_.push_back(run);
    }

    /// Calls visit(key, value) for each key of the runs and of `pairs`: the values of a key are combined. In
    /// the order of the keys' hashes.
    template <class Combine, class Visit>
    void merge(Pairs pairs, const Combine& combine, Visit&& visit) const
    {
        sort(pairs);
        std::vector<Reader> readers;
        for (const Run& run : runs_)
            readers.emplace_back(*file_, run);
        readers.emplace_back(std::move(pairs));
        const auto later = [&](std::size_t a, std::size_t b) {
            return readers[a].hash() > readers[b].hash();
        };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
        for (std::size_t i = 0; i < readers.size(); ++i)
            if (!readers[i].at_end())
                next.push(i);
        Pairs equal;  // in hash; nearly always one key
        while (!next.empty()) {
            const std::uint64_t hash = readers[next.top()].hash();
            equal.clear();
            while (!next.empty() && readers[next.top()].hash() == hash) {
                const std::size_t from = next.top();
                next.pop();
                take(equal, readers[from].take(), combine);
                if (!readers[from].at_end())
                    next.push(from);
            }
            for (Pair& pair : equal)
                visit(std::as_const(pair.first), std::move(pair.second));
        }
    }

private:
    static constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

    struct Run {
        std::uint64_t begin;
        std::uint64_t end;
    };

    /// The pairs of a run, a block at a time; or of the memory.
    class Reader {
    public:
        Reader(const SpillFile& file, const Run& run) : file_(&file), next_(run.begin), end_(run.end)
        {
            fill();
        }
        explicit Reader(Pairs pairs) noexcept : pairs_(std::move(pairs)) { look(); }

        bool at_end() const noexcept { return at_ == pairs_.size(); }
        std::uint64_t hash() const noexcept { return hash_; }
        Pair take()
        {
            Pair taken = std::move(pairs_[at_++]);
            if (at_end() && next_ != end_)
                fill();
            else
                look();
            return taken;
        }

    private:
        void look() noexcept
        {
            if (!at_end())
                hash_ = hash_of(pairs_[at_].first);
        }
        void fill()
        {
            std::uint64_t head[2] = {};
            file_->read(next_, std::as_writable_bytes(std::span(head)));
            std::vector<std::byte> bytes(head[0]);
            file_->read(next_ + sizeof head, bytes);
            next_ += sizeof head + bytes.size();
            pairs_.resize(head[1]);
            at_ = 0;
            InputArchive block(bytes, "map_reduce");
            for (Pair& pair : pairs_)
                block(pair);
            look();
        }

        const SpillFile* file_ = nullptr;
        std::uint64_t next_ = 0;
        std::uint64_t end_ = 0;
        Pairs pairs_;
        std::size_t at_ = 0;
        std::uint64_t hash_ = 0;
    };

    static void sort(Pairs& pairs)
    {
        std::ranges::sort(pairs, {}, [](const Pair& pair) { return hash_of(pair.first); });
    }

    template <class Combine>
    static void take(Pairs& equal, Pair&& pair, const Combine& combine)
    {
        const auto known = std::ranges::find(equal, pair.first, &Pair::first);
        if (known == equal.end())
            equal.push_back(std::move(pair));
        else
            combine(known->second, std::move(pair.second));
    }

    std::unique_ptr<SpillFile> file_;
    std::vector<Run> runs_;
};

}  // namespace tutti::detail
