// expect: tutti: coordinates are given as one list: rank_at({row, column})
#include "tutti/tutti.hpp"

void snippet(const tutti::CartesianCommunicator& grid)
{
    grid.rank_at(0, 1);
}
