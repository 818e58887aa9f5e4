// The engine of all benchmarks: runs an operation on all ranks until enough is known of its time.
//
// Each iteration is timed on its own. How the ranks begin it is a choice, which the report shows:
//
//   free     one iteration after the other, as a ping-pong does: the operation itself keeps ranks together
//   barrier  after an untimed barrier; a rank's time runs from its own beginning to its own end
//   clock    at a time agreed upon, by clocks whose offsets have been estimated; a rank's time runs from this
//            common beginning to its own end. A barrier lets some ranks go before others, and so hides or
//            adds time, differently for each library: this does not. It takes a core for each rank.
//
// An operation that does nothing gives the cost of the clock and the loop, which is subtracted. Free
// iterations shorter than a hundred readings are timed several at once, so that a reading takes a hundredth
// of their time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "benchmarks/suite/measure/benchmark_clock.hpp"
#include "benchmarks/suite/measure/clock_offset.hpp"
#include "benchmarks/suite/measure/combine.hpp"
#include "benchmarks/suite/measure/stopping.hpp"

namespace tutti::bench {

enum class Start { free, barrier, clock };

inline const char* to_string(Start start) noexcept
{
    return start == Start::free ? "free" : start == Start::barrier ? "barrier" : "clock";
}

/// The start times of a batch's iterations by this rank's clock; us.
struct Slots {
    double first_us;
    double length_us;
};

template <Job B>
class Sampler {
public:
    Sampler(B& job, const Budget& budget) : job_(job), budget_(budget) {}

    /// All ranks call `step` equally often: once per iteration. Times in us at rank 0, none at other ranks.
    /// `counts`: this rank's times are part of the figure (see Over::rates).
    template <class Step>
    Series iterations(Over over, Start start, Step step, bool counts = true)
    {
        if (start == Start::clock)
            estimate_offset();
        double own = own_cost_us(start);
        const double estimate_us = warm_up(step);
        Slots slots{0.0, with_room(estimate_us, 4.0) + 2.0};
        Series series(over, job_.size());
        const int together = start == Start::free && !budget_.each_alone
                                 ? shared(job_, iterations_a_reading(own, estimate_us))
                                 : 1;
        series.together = together;
        std::size_t left = std::numeric_limits<std::size_t>::max();
        Budget budget = budget_;
        if (budget.iterations) {
            left = static_cast<std::size_t>(*budget.iterations);
            budget.iterations = 1 + (*budget.iterations - 1) / together;
        }
        Stopping stopping(budget, kLeastIterations, start == Start::clock ? kMostSlots : kMostIterations);
        std::vector<double> times;
        const auto measure = [&](int batch) {
            times.resize(static_cast<std::size_t>(batch));
            if (start == Start::free) {
                job_.barrier();
                step();  // the first step would also wait for the ranks that leave the barrier last
                const std::size_t count = run_on(times, step, together, left, own);
                series.count_more_iterations(count - times.size());
                left -= count;
            } else if (start == Start::barrier) {
                run_each(
                    times, [this] { job_.barrier(); }, step);
            } else {
                run_in_slots(times, agreed_slots(slots, series), step);
            }
            if (start != Start::free) {
                for (double& time : times)
                    time = std::max(time - own, 0.0);
            }
            if (!counts)
                std::ranges::fill(times, std::numeric_limits<double>::quiet_NaN());
            add(series, times);
        };
        const auto give_up_slots = [&] {
            start = Start::barrier;
            series.gave_up = true;
            own = own_cost_us(start);
        };
        const double begin = now_us();
        while (const int batch = decided(stopping, series, begin)) {
            measure(batch);
            if (start == Start::clock && hopeless(series, now_us() - begin))
                give_up_slots();
        }
        if (start == Start::clock && shared(job_, series.values().empty() ? 1 : 0) == 1) {
            give_up_slots();
            measure(budget_.iterations.value_or(1));  // all iterations began late
        }
        series.narrow = stopping.narrow();
        return series;
    }

    /// For loops with one figure for the whole: round(LoopCount) measures one (us or the benchmark's unit) on
    /// each rank. `usual` is the loop's length if the command line gives no number of iterations.
    template <class Round>
    Series rounds(Over over, LoopCount usual, Round round)
    {
        Series series(over, job_.size());
        Budget budget = budget_;
        if (budget.iterations)
            budget.iterations = std::min(kLeastRounds, *budget.iterations);
        Stopping stopping(budget, kLeastRounds);
        int number = 0;
        const double begin = now_us();
        while (const int batch = decided(stopping, series, begin)) {
            for (int i = 0; i < batch; ++i) {
                job_.barrier();
                const LoopCount loop = loop_of_round(budget_, usual, number++);
                add(series, {round(loop)});
                series.count_more_iterations(static_cast<std::size_t>(loop.iterations - 1));
            }
        }
        series.narrow = stopping.narrow();
        return series;
    }

    /// One figure of each rank.
    Series once(Over over, double value)
    {
        Series series(over, job_.size());
        add(series, {value});
        return series;
    }

    /// The time of an empty iteration after subtracting the engine's own cost; ns.
    double left_over_ns(Start start)
    {
        const double own = own_cost_us(start);
        return 1000.0 * (own_cost_us(start) - own);
    }
    /// The subtracted cost of reading the clock and of the loop; ns.
    double taken_off_ns(Start start) { return 1000.0 * own_cost_us(start); }

private:
    static constexpr int kLeastIterations = 100;
    static constexpr double kMostRoomUs = 10'000.0;
    static constexpr int kMostIterations = 10'000;  // in a batch: what a rank remembers
    static constexpr int kMostSlots = 1000;         // then new ones are agreed upon: late ranks catch up
    static constexpr int kCostIterations = 1000;
    static constexpr double kLongWaitUs = 1000.0;
    static constexpr double kWakeUpUs = 500.0;
    static constexpr double kPunctualUs = 1.0;

    int decided(Stopping& stopping, const Series& series, double begin)
    {
        return shared(job_,
                      job_.rank() == 0 ? stopping.next_batch(series.values(), (now_us() - begin) / 1e6) : 0);
    }

    void add(Series& series, const std::vector<double>& times)
    {
        const std::vector<double> all = gathered(job_, std::span<const double>(times));
        if (job_.rank() == 0)
            series.add(all, times.size());
    }

    void estimate_offset()
    {
        if constexpr (Exchanging<B>)
            offset_us_ = clock_offset(job_);
    }

    // Rank 0's rough time of a warm iteration. All ranks leave after the same number.
    template <class Step>
    double warm_up(Step& step)
    {
        const double box_us = 1e6 * budget_.seconds / 10.0;
        double elapsed_us = 0.0;
        double iteration_us = 0.0;
        int done = 0;
        for (int part = 1; part > 0;) {
            const double begin = now_us();
            for (int i = 0; i < part; ++i)
                step();
            const double part_us = now_us() - begin;
            iteration_us = part_us / part;
            elapsed_us += part_us;
            done += part;
            const int wanted = budget_.warmup.value_or(kLeastIterations);
            const bool enough = done >= wanted || (!budget_.warmup && elapsed_us > box_us);
            part = shared(job_, enough ? 0 : std::min(2 * part, wanted - done));
        }
        return shared(job_, iteration_us);
    }

    // Times iterations one after the other, up to `together` at once. Returns their number.
    template <class Step>
    static std::size_t run_on(std::vector<double>& times, Step& step, int together, std::size_t left,
                              double own_us)
    {
        std::size_t done = 0;
        double last = now_us();
        for (double& time : times) {
            const int count = static_cast<int>(std::min(static_cast<std::size_t>(together), left - done));
            for (int i = 0; i < count; ++i)
                step();
            const double stamp = now_us();
            time = std::max(stamp - last - own_us, 0.0) / count;
            last = stamp;
            done += static_cast<std::size_t>(count);
        }
        return done;
    }

    template <class Before, class Step>
    static void run_each(std::vector<double>& times, Before before, Step& step)
    {
        for (double& time : times) {
            before();
            const double begin = now_us();
            step();
            time = now_us() - begin;
        }
    }

    // NaN: this rank came too late to begin with the others, or lost its core at that time.
    template <class Step>
    static void run_in_slots(std::vector<double>& times, Slots slots, Step& step)
    {
        double begin = slots.first_us;
        for (double& time : times) {
            const bool late = !wait_until(begin);
            step();
            time = late ? std::numeric_limits<double>::quiet_NaN() : now_us() - begin;
            begin += slots.length_us;
        }
    }

    // Returns whether it was possible. For a long wait it sleeps first: the scheduler prefers other ranks to
    // one that used up its time slice while waiting.
    static bool wait_until(double time_us)
    {
        double now = now_us();
        if (time_us - now > kLongWaitUs)
            std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(time_us - now - kWakeUpUs));
        while (now < time_us)
            now = now_us();
        return now <= time_us + kPunctualUs;
    }

    // `times` as long, within reason: if an iteration waits for seconds, longer gaps gain nothing.
    static double with_room(double us, double times) noexcept
    {
        return us + std::min((times - 1.0) * us, kMostRoomUs);
    }

    // Long enough that a usual iteration ends before the next one begins, and that a longer one does not make
    // many late: they catch up.
    Slots agreed_slots(Slots& slots, const Series& series)
    {
        if (job_.rank() == 0) {
            if (!series.values().empty())
                slots.length_us = with_room(median(series.values()), 2.0) + 1.0;
            slots.length_us *= series.late() > series.values().size() / 10 ? 2.0 : 1.0;
            slots.first_us = now_us() + 20.0 + std::min(10.0 * slots.length_us, kMostRoomUs);
        }
        Slots own = shared(job_, slots);
        own.first_us += offset_us_;
        return own;
    }

    // If other processes keep ranks from their cores, hardly any iteration begins in time.
    bool hopeless(const Series& series, double elapsed_us)
    {
        const std::size_t good = series.values().size();
        const bool mostly_late = series.late() > 100 && series.late() > 4 * good;
        const bool nothing_yet = good == 0 && elapsed_us > 0.5e6 * budget_.seconds;
        return shared(job_, job_.rank() == 0 && (mostly_late || nothing_yet) ? 1 : 0) == 1;
    }

    // The loop of this way to start, around an empty operation.
    double own_cost_us(Start start)
    {
        std::vector<double> times(kCostIterations);
        const auto nothing = [] {};
        if (start == Start::free) {
            run_on(times, nothing, 1, times.size(), 0.0);
        } else if (start == Start::barrier) {
            run_each(times, nothing, nothing);
        } else {
            run_in_slots(times, {now_us() + 1.0, 0.2}, nothing);
            std::erase_if(times, [](double time) { return std::isnan(time); });
        }
        return median(std::move(times));
    }

    B& job_;
    const Budget& budget_;
    double offset_us_ = 0.0;
};

}  // namespace tutti::bench
