// Ranks that find each other in a directory which all of them see: a file for each value.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

#include <tutti/tutti.hpp>

class DirectoryBootstrap : public tutti::Bootstrap {
public:
    /// `directory` is empty at first, and nobody else can read it. The others may be late by `patience`.
    DirectoryBootstrap(std::filesystem::path directory, int rank, int size,
                       std::chrono::seconds patience = std::chrono::seconds(60))
        : directory_(std::move(directory)), rank_(rank), size_(size), patience_(patience)
    {
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void publish(std::string_view key, std::span<const std::byte> value) override
    {
        // Renamed when it is whole.
        const std::filesystem::path path = path_of(rank_, key);
        const std::filesystem::path unfinished = path.string() + "-" + std::to_string(::getpid());
        std::ofstream file(unfinished, std::ios::binary);
        file.write(reinterpret_cast<const char*>(value.data()), static_cast<std::streamsize>(value.size()));
        file.close();
        if (!file)
            throw std::runtime_error("cannot write " + unfinished.string());
        std::filesystem::rename(unfinished, path);
    }

    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override
    {
        std::ifstream file(path_of(rank, key), std::ios::binary);
        if (!file)
            return std::nullopt;
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
        return std::vector(bytes, bytes + text.size());
    }

    std::vector<std::byte> fetch(int rank, std::string_view key) override
    {
        const auto until = std::chrono::steady_clock::now() + patience_;
        while (std::chrono::steady_clock::now() < until) {
            if (auto value = find(rank, key))
                return *std::move(value);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        throw std::runtime_error("rank " + std::to_string(rank) + " has left no " + std::string(key) +
                                 " in " + directory_.string());
    }

    void fence() override
    {
        publish("fence", {});
        for (int rank = 0; rank < size_; ++rank)
            fetch(rank, "fence");
    }

private:
    std::filesystem::path path_of(int rank, std::string_view key) const
    {
        return directory_ / (std::to_string(rank) + "." + std::string(key));
    }

    std::filesystem::path directory_;
    int rank_;
    int size_;
    std::chrono::seconds patience_;
};
