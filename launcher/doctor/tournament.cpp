#include "launcher/doctor/tournament.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::launcher::doctor {

std::vector<std::vector<std::pair<int, int>>> tournament(std::vector<int> members, bool both)
{
    std::vector<std::vector<std::pair<int, int>>> rounds;
    if (members.size() % 2 != 0)
        members.push_back(-1);  // its partner has a pause
    // The first member stays, the others move by one place each round: all meet once.
    for (std::size_t round = 1; round < members.size(); ++round) {
        std::vector<std::pair<int, int>> pairs;
        std::vector<std::pair<int, int>> back;
        for (std::size_t i = 0; i < members.size() / 2; ++i) {
            const int one = members[i];
            const int other = members[members.size() - 1 - i];
            if (one >= 0 && other >= 0) {
                pairs.emplace_back(one, other);
                back.emplace_back(other, one);
            }
        }
        rounds.push_back(std::move(pairs));
        if (both)
            rounds.push_back(std::move(back));
        std::rotate(members.begin() + 1, members.end() - 1, members.end());
    }
    return rounds;
}

}  // namespace tutti::launcher::doctor
