// Doubly linked lists whose links live in the elements: no allocation, removal in constant time.
#pragma once

#include <cstddef>

namespace tutti::base {

/// The links of an element in one list. Inherit it once, with a separate Tag, for every list of the element.
template <class Tag>
struct ListHook {
    ListHook* previous = nullptr;
    ListHook* next = nullptr;

    bool linked() const noexcept { return next != nullptr; }
};

/// The list does not own its elements; they must be removed before they are destroyed.
template <class T, class Tag>
class IntrusiveList {
    using Hook = ListHook<Tag>;

public:
    IntrusiveList() noexcept { root_.previous = root_.next = &root_; }
    IntrusiveList(const IntrusiveList&) = delete;
    IntrusiveList& operator=(const IntrusiveList&) = delete;

    bool empty() const noexcept { return root_.next == &root_; }
    T* front() noexcept { return empty() ? nullptr : &element(root_.next); }

    /// The element behind `element`, or nullptr.
    T* after(T& current) noexcept
    {
        Hook* next = static_cast<Hook&>(current).next;
        return next == &root_ ? nullptr : &element(next);
    }

    void push_back(T& added) noexcept
    {
        Hook& hook = added;
        hook.previous = root_.previous;
        hook.next = &root_;
        root_.previous->next = &hook;
        root_.previous = &hook;
    }

    static void remove(T& removed) noexcept
    {
        Hook& hook = removed;
        hook.previous->next = hook.next;
        hook.next->previous = hook.previous;
        hook.previous = hook.next = nullptr;
    }

    T* pop_front() noexcept
    {
        T* first = front();
        if (first != nullptr)
            remove(*first);
        return first;
    }

private:
    static T& element(Hook* hook) noexcept { return static_cast<T&>(*hook); }

    Hook root_;
};

}  // namespace tutti::base
