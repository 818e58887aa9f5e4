// Serves PMI-1 to the ranks of one node: by it programs of MPICH and Intel MPI meet with their own library.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/event_loop.hpp"
#include "launcher/job/job_messages.hpp"
#include "lib/foundation/control/pmi_line.hpp"

namespace tutti::launcher {

/// What a rank puts, all ranks of the job can get after their next barrier. A rank that sends what is not
/// PMI-1 loses its connection, and with it its library ends it.
class PmiServer {
public:
    /// Takes whether all ranks have come, and what all nodes have put.
    using Answer = std::function<void(bool all_came, const std::string& data)>;

    struct Events {
        std::function<void(int rank)> joined;
        std::function<void(int rank)> left;
        std::function<void(int rank, int status)> aborted;
        /// All ranks of this node are in a barrier of the whole job; `data` is what they have put.
        std::function<void(std::string data, Answer answer)> barrier;
        /// A sentence about a rank that the user should read.
        std::function<void(const std::string& text)> note;
    };

    PmiServer(EventLoop& loop, Events events) : loop_(loop), events_(std::move(events)) {}
    ~PmiServer();
    PmiServer(const PmiServer&) = delete;
    PmiServer& operator=(const PmiServer&) = delete;

    void set_job(const LaunchOrder& order, int node);
    /// Opens the connection of a rank of this node, and returns the rank's end. Throws std::system_error.
    UniqueFd open(int rank);
    /// Handles all that the ranks have sent.
    void read_all();
    /// The rank's process has ended.
    void ended(int rank) { close(rank); }

private:
    struct Rank {
        UniqueFd socket;  // empty once it is closed
        std::string unread;
        std::size_t puts = 0;
        bool spawns = false;  // the lines of a spawn have not all come
        bool waits = false;   // in the barrier
        bool was_refused = false;
    };

    void read(int rank);
    void take_lines(int rank);
    void take_line(int rank, std::string_view text);
    void handle(int rank, const control::PmiLine& line);
    void get(int rank, const control::PmiLine& line);
    void put(int rank, const control::PmiLine& line);
    void refuse(int rank, const std::string& answer, const char* what);
    void enter_barrier(int rank);
    void leave_barrier(bool all_came, const std::string& data);
    void answer(int rank, const control::PmiLine& line);
    void close(int rank);

    EventLoop& loop_;
    Events events_;
    std::string space_;  // the name of the job's values
    int size_ = 0;
    std::size_t local_size_ = 0;
    std::map<int, int> program_of_rank_;
    std::map<std::string, std::string, std::less<>> values_;
    std::string put_;  // since the last barrier: keys and values
    std::map<int, Rank> ranks_;
};

}  // namespace tutti::launcher
