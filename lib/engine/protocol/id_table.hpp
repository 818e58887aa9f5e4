// Ids that stand for objects in frames: they are looked up and checked, never cast to a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::protocol {

/// An id is a slot and the slot's generation: a late or forged frame finds nothing, never freed memory. T has
/// a member `id`, which is 0 while the object is not in the table.
template <class T>
class IdTable {
public:
    /// Does nothing if the object is in the table, like remove() if it is not.
    void add(T& object)
    {
        if (object.id != 0)
            return;
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(slots_.size()));
            slots_.push_back({});
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        slots_[slot].object = &object;
        object.id = static_cast<std::uint64_t>(slots_[slot].generation) << 32 | slot;
    }

    T* find(std::uint64_t id) const noexcept
    {
        const auto slot = static_cast<std::uint32_t>(id);
        return slot < slots_.size() && slots_[slot].generation == id >> 32 ? slots_[slot].object : nullptr;
    }

    void remove(T& object)
    {
        if (object.id == 0)
            return;
        const auto slot = static_cast<std::uint32_t>(std::exchange(object.id, 0));
        slots_[slot].object = nullptr;
        ++slots_[slot].generation;
        free_.push_back(slot);
    }

    /// Calls visit(object) for each; visit may remove that object.
    template <class Visit>
    void for_each(Visit&& visit)
    {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].object != nullptr)
                visit(*slots_[i].object);
    }

private:
    struct Slot {
        T* object = nullptr;
        std::uint32_t generation = 1;  // so that no id is 0
    };
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

}  // namespace tutti::protocol
