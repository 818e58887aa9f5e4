#include "lib/core/profile/symbol_table.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::profile {

namespace {

using Symbol = ElfW(Sym);

// The file as the linker has written it; empty if it cannot be read. It stays mapped.
std::span<const std::byte> bytes_of_file(const char* path) noexcept
{
    const base::UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || status.st_size <= 0)
        return {};
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped == MAP_FAILED)
        return {};
    return {static_cast<const std::byte*>(mapped), size};
}

// `count` entries at `offset`; empty if the file has not so many.
template <class Entry>
std::span<const Entry> entries_at(std::span<const std::byte> file, std::uint64_t offset, std::uint64_t count)
{
    if (offset > file.size() || count > (file.size() - offset) / sizeof(Entry) ||
        offset % alignof(Entry) != 0)
        return {};
    return {reinterpret_cast<const Entry*>(file.data() + offset), count};
}

class SymbolTable {
public:
    explicit SymbolTable(const char* path)
    {
        const std::span<const std::byte> file = bytes_of_file(path);
        const auto headers = entries_at<ElfW(Ehdr)>(file, 0, 1);
        if (headers.empty() ||
            std::string_view(reinterpret_cast<const char*>(headers[0].e_ident), SELFMAG) != ELFMAG)
            return;
        const auto sections = entries_at<ElfW(Shdr)>(file, headers[0].e_shoff, headers[0].e_shnum);
        for (const ElfW(Shdr) & section : sections) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size())
                continue;
            const ElfW(Shdr)& names = sections[section.sh_link];
            symbols_ = entries_at<Symbol>(file, section.sh_offset, section.sh_size / sizeof(Symbol));
            names_ = entries_at<char>(file, names.sh_offset, names.sh_size);
        }
    }

    std::string_view find(std::uintptr_t address) const noexcept
    {
        for (const Symbol& symbol : symbols_)
            if ((symbol.st_info & 0xf) == STT_FUNC && address >= symbol.st_value &&
                address - symbol.st_value < symbol.st_size && symbol.st_name < names_.size()) {
                const std::string_view rest(names_.data() + symbol.st_name, names_.size() - symbol.st_name);
                return rest.substr(0, rest.find('\0'));
            }
        return {};
    }

private:
    std::span<const Symbol> symbols_;
    std::span<const char> names_;
};

}  // namespace

std::string_view name_at(const char* file, std::uintptr_t address) noexcept
{
    static std::mutex& mutex = *new std::mutex;
    static auto& tables = *new std::map<std::string, SymbolTable>;
    const std::lock_guard lock(mutex);
    try {
        return tables.try_emplace(file, file).first->second.find(address);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

}  // namespace tutti::profile
