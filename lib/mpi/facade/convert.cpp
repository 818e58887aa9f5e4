#include "lib/mpi/facade/convert.hpp"

#include "lib/mpi/object/callbacks.hpp"

namespace tutti::mpi::facade {

namespace {

// The standard's codes: a class in bits 0-5 and a sentence's slot above; those of MPI_T have slot 15, those
// that the program added are above MPI_ERR_LASTCODE. The program's: a class in bits 0-6 and the slot above;
// MPI_T's are classes, added ones begin where codes with a slot end and behind the program's
// MPI_ERR_LASTCODE.
constexpr int kStandardClassBits = 6;
constexpr int kOwnClassBits = 7;
constexpr int kToolSlot = 15;
constexpr int kFirstAdded =
    std::max((MPI_ERR_LASTCODE + 1) << (kOwnClassBits - kStandardClassBits), kLimit_ERR_LASTCODE + 1);
constexpr int kAddedShift = kFirstAdded - (MPI_ERR_LASTCODE + 1);

constexpr int low_bits(int code, int bits) noexcept
{
    return code & ((1 << bits) - 1);
}

int out_class(int standard) noexcept
{
    return std::ranges::find(kNumbers_error, known_class(standard), &Number::standard)->own;
}

int in_class(int own) noexcept
{
    const auto found = std::ranges::find(kNumbers_error, own, &Number::own);
    return found != std::end(kNumbers_error) ? found->standard : MPI_ERR_UNKNOWN;
}

}  // namespace

int out_some_code(int standard) noexcept
{
    if (standard < 0)
        return standard;
    if (standard > MPI_ERR_LASTCODE)
        return standard + kAddedShift;
    const int slot = standard >> kStandardClassBits;
    return slot == kToolSlot ? out_class(standard)
                             : out_class(low_bits(standard, kStandardClassBits)) | slot << kOwnClassBits;
}

int in_some_code(int own) noexcept
{
    if (own < 0)
        return own;
    if (own >= kFirstAdded)
        return own - kAddedShift;
    const int slot = own >> kOwnClassBits;
    return in_class(low_bits(own, kOwnClassBits)) | slot << kStandardClassBits;
}

int in_flags(std::span<const Number> group, int own) noexcept
{
    int standard = 0;
    for (const Number& each : group)
        if ((own & each.own) != 0)
            standard |= each.standard;
    return standard;
}

int out_flags(std::span<const Number> group, int standard) noexcept
{
    int own = 0;
    for (const Number& each : group)
        if ((standard & each.standard) != 0)
            own |= each.own;
    return own;
}

}  // namespace tutti::mpi::facade
