// The peer: ps-lite (github.com/dmlc/ps-lite) with a server that adds up. It is not built with Tutti:
// `compare.py` compiles it. Arguments: keys, floats of a key, rounds, and "batch" (one push of all keys) or
// "each" (one for each key, all under way together). Roles come by ps-lite's own variables.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "ps/ps.h"

namespace {

std::unordered_map<ps::Key, ps::SArray<float>> rows;

// A row that is pulled alone is sent from where it is.
void answer_pull(const ps::KVPairs<float>& request, ps::KVPairs<float>& answer)
{
    answer.keys = request.keys;
    std::size_t floats = 0;
    for (const ps::Key key : request.keys) {
        floats += rows[key].size();
        answer.lens.push_back(static_cast<int>(rows[key].size()));
    }
    if (request.keys.size() == 1) {
        answer.vals = rows[request.keys[0]];
        return;
    }
    float* to = new float[floats];
    answer.vals = ps::SArray<float>(to, floats, true);
    for (const ps::Key key : request.keys)
        to = std::copy(rows[key].begin(), rows[key].end(), to);
}

void serve(const ps::KVMeta& meta, const ps::KVPairs<float>& request, ps::KVServer<float>* server)
{
    const float* from = request.vals.data();
    for (std::size_t i = 0; meta.push && i < request.keys.size(); ++i) {
        ps::SArray<float>& row = rows[request.keys[i]];
        const auto floats = static_cast<std::size_t>(request.lens[i]);
        if (row.empty()) {
            row.CopyFrom(from, floats);
        } else {
            float* const to = row.data();
            for (std::size_t j = 0; j < floats; ++j)
                to[j] += from[j];
        }
        from += floats;
    }
    ps::KVPairs<float> answer;
    if (meta.pull)
        answer_pull(request, answer);
    server->Response(meta, answer);
}

double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

class Worker {
public:
    Worker(int keys, int floats, bool each) : each_(each), floats_(static_cast<std::size_t>(floats))
    {
        std::vector<ps::Key> all(static_cast<std::size_t>(keys));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = ps::kMaxKey / all.size() * i;
        keys_.CopyFrom(all.data(), all.size());
        lengths_.resize(all.size(), floats);
        values_.resize(all.size() * floats_, 1);
        pulled_.resize(all.size() * floats_, 0);
    }

    void push()
    {
        for_each_part([&](std::size_t begin, std::size_t end) {
            return worker_.ZPush(keys_.segment(begin, end), values_.segment(begin * floats_, end * floats_),
                                 lengths_.segment(begin, end));
        });
    }
    void pull()
    {
        outputs_.clear();
        outputs_.reserve(keys_.size());
        for_each_part([&](std::size_t begin, std::size_t end) {
            outputs_.push_back(pulled_.segment(begin * floats_, end * floats_));
            return worker_.ZPull(keys_.segment(begin, end), &outputs_.back());
        });
    }
    bool has(float value) const
    {
        return std::count(pulled_.begin(), pulled_.end(), value) ==
               static_cast<std::ptrdiff_t>(pulled_.size());
    }

private:
    template <class Begin>
    void for_each_part(Begin&& begin)
    {
        std::vector<int> times;
        const std::size_t step = each_ ? 1 : keys_.size();
        for (std::size_t i = 0; i < keys_.size(); i += step)
            times.push_back(begin(i, i + step));
        for (const int time : times)
            worker_.Wait(time);
    }

    ps::KVWorker<float> worker_{0, 0};
    bool each_;
    std::size_t floats_;
    ps::SArray<ps::Key> keys_;
    ps::SArray<int> lengths_;
    ps::SArray<float> values_;
    ps::SArray<float> pulled_;
    std::vector<ps::SArray<float>> outputs_;
};

void work(int keys, int floats, int rounds, const std::string& mode)
{
    Worker worker(keys, floats, mode == "each");
    const auto barrier = [] { ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup); };
    std::vector<double> pushes, pulls;
    for (int round = -2; round < rounds; ++round) {
        barrier();
        double begin = now_ms();
        worker.push();
        const double pushed = now_ms() - begin;
        barrier();
        begin = now_ms();
        worker.pull();
        const double pulled = now_ms() - begin;
        if (round < 0)
            continue;
        pushes.push_back(pushed);
        pulls.push_back(pulled);
    }
    barrier();
    worker.pull();
    const bool right = worker.has(static_cast<float>((rounds + 2) * ps::NumWorkers()));
    std::printf("ps-lite %s push %.3f ms pull %.3f ms %s\n", mode.c_str(), median(pushes), median(pulls),
                right ? "ok" : "WRONG");
    std::fflush(stdout);
    barrier();
}

}  // namespace

int main(int, char** argv)
{
    ps::Start(0);
    ps::KVServer<float>* server = nullptr;
    if (ps::IsServer()) {
        server = new ps::KVServer<float>(0);
        server->set_request_handle(serve);
        ps::RegisterExitCallback([server] { delete server; });
    }
    if (ps::IsWorker())
        work(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]), argv[4]);
    ps::Finalize(0, true);
}
