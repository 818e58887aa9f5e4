#include "lib/mpi/object/attributes.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

namespace {

// Above the predefined ones.
constexpr int kFirstKeyval = 1024;

template <class Handle>
using KeyRef = base::Ref<const Keyval<Handle>>;

template <class Handle>
struct KnownKey {
    KeyRef<Handle> key;
    bool freed = false;
};

/// The keys that the program has not freed, or that attributes have. The mutex is that of all attributes too.
struct Keyvals {
    template <class Handle>
    std::map<int, KnownKey<Handle>>& of() noexcept
    {
        if constexpr (std::is_same_v<Handle, MPI_Comm>)
            return communicators;
        else if constexpr (std::is_same_v<Handle, MPI_Datatype>)
            return datatypes;
        else
            return windows;
    }

    std::mutex mutex;
    std::map<int, KnownKey<MPI_Comm>> communicators;
    std::map<int, KnownKey<MPI_Datatype>> datatypes;
    std::map<int, KnownKey<MPI_Win>> windows;
    int next = kFirstKeyval;
};

// Never destroyed: objects may be freed after main.
Keyvals& keyvals()
{
    static Keyvals& all = *new Keyvals;
    return all;
}

[[noreturn]] void refuse_key(int number)
{
    if (number == MPI_KEYVAL_INVALID)
        fail(MPI_ERR_KEYVAL, "the key is MPI_KEYVAL_INVALID; create one first");
    if (number > MPI_KEYVAL_INVALID && number < kFirstKeyval)
        fail(MPI_ERR_KEYVAL, fmt::format("key {} is predefined for another call or kind of object, or none; "
                                         "predefined attributes can be read only",
                                         number));
    fail(MPI_ERR_KEYVAL,
         fmt::format("key {} is none, was freed, or belongs to another kind of object", number));
}

template <class Handle>
KeyRef<Handle> live_key(int number)
{
    const std::lock_guard lock(keyvals().mutex);
    const auto& known = keyvals().of<Handle>();
    const auto found = known.find(number);
    if (found == known.end() || found->second.freed)
        refuse_key(number);
    return found->second.key;
}

template <class Handle>
bool is_dup_function(typename Keyval<Handle>::Copy* copy) noexcept
{
    return reinterpret_cast<std::uintptr_t>(copy) == reinterpret_cast<std::uintptr_t>(MPI_COMM_DUP_FN);
}

}  // namespace

template <class Handle>
int add_keyval(const Keyval<Handle>& key)
{
    Keyvals& all = keyvals();
    const std::lock_guard lock(all.mutex);
    all.of<Handle>().emplace(all.next, KnownKey<Handle>{KeyRef<Handle>(&key)});
    return all.next++;
}

template <class Handle>
void free_keyval(int number)
{
    const std::lock_guard lock(keyvals().mutex);
    auto& known = keyvals().of<Handle>();
    const auto found = known.find(number);
    if (found == known.end())
        refuse_key(number);
    if (found->second.key->attributes == 0)
        known.erase(found);
    else
        found->second.freed = true;
}

template <class Handle>
bool Attributes<Handle>::take(int number, Attribute& found) const
{
    {
        const std::lock_guard lock(keyvals().mutex);
        if (const auto there = set_at_.find(number); there != set_at_.end()) {
            found = in_order_.at(there->second);
            return true;
        }
    }
    // A freed key counts as long as there are attributes.
    static_cast<void>(live_key<Handle>(number));
    return false;
}

template <class Handle>
void Attributes<Handle>::add(Attribute attribute)
{
    const std::lock_guard lock(keyvals().mutex);
    set_at_[attribute.number] = now_;
    ++attribute.key->attributes;
    in_order_.emplace_hint(in_order_.end(), now_++, std::move(attribute));
}

template <class Handle>
void Attributes<Handle>::forget(int number)
{
    const std::lock_guard lock(keyvals().mutex);
    const auto there = set_at_.find(number);
    if (there == set_at_.end())
        return;
    if (--in_order_.at(there->second).key->attributes == 0) {
        auto& known = keyvals().of<Handle>();
        if (const auto found = known.find(number); found != known.end() && found->second.freed)
            known.erase(found);
    }
    in_order_.erase(there->second);
    set_at_.erase(there);
}

template <class Handle>
bool Attributes<Handle>::get(int number, void** value) const
{
    Attribute found{};
    if (!take(number, found))
        return false;
    *value = found.value;
    return true;
}

template <class Handle>
int Attributes<Handle>::set(Handle object, int number, void* value)
{
    Attribute former{};
    const KeyRef<Handle> key = take(number, former) ? former.key : live_key<Handle>(number);
    // The callback sees the former value.
    if (const int code = remove(object, number); code != MPI_SUCCESS)
        return code;
    add({number, key, value});
    return MPI_SUCCESS;
}

template <class Handle>
int Attributes<Handle>::remove(Handle object, int number)
{
    Attribute found{};
    if (!take(number, found))
        return MPI_SUCCESS;
    if (found.key->remove != nullptr)
        if (const int code =
                call_delete(found.key->remove, object, number, found.value, found.key->extra_state);
            code != MPI_SUCCESS)
            return code;
    forget(number);
    return MPI_SUCCESS;
}

template <class Handle>
int Attributes<Handle>::copy_to(Handle object, Attributes& to) const
{
    std::map<std::uint64_t, Attribute> originals;
    {
        const std::lock_guard lock(keyvals().mutex);
        originals = in_order_;
    }
    for (auto& [time, each] : originals) {
        const Keyval<Handle>& key = *each.key;
        if (key.copy == nullptr)
            continue;
        if (!is_dup_function<Handle>(key.copy)) {
            void* copied = nullptr;
            int is_copied = 0;
            if (const int code = call_copy(key.copy, object, each.number, key.extra_state, each.value,
                                           &copied, &is_copied);
                code != MPI_SUCCESS)
                return code;
            if (is_copied == 0)
                continue;
            each.value = copied;
        }
        to.add(std::move(each));
    }
    return MPI_SUCCESS;
}

template <class Handle>
int Attributes<Handle>::remove_all(Handle object)
{
    for (;;) {
        int latest = 0;
        {
            const std::lock_guard lock(keyvals().mutex);
            if (in_order_.empty())
                return MPI_SUCCESS;
            latest = in_order_.rbegin()->second.number;
        }
        if (const int code = remove(object, latest); code != MPI_SUCCESS)
            return code;
    }
}

template int add_keyval(const Keyval<MPI_Comm>& key);
template int add_keyval(const Keyval<MPI_Datatype>& key);
template int add_keyval(const Keyval<MPI_Win>& key);
template void free_keyval<MPI_Comm>(int number);
template void free_keyval<MPI_Datatype>(int number);
template void free_keyval<MPI_Win>(int number);
template class Attributes<MPI_Comm>;
template class Attributes<MPI_Datatype>;
template class Attributes<MPI_Win>;

}  // namespace tutti::mpi
