// expect: success
//
// Lists in braces, where nothing but a number is in question.
#include <vector>

#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, const tutti::CartesianCommunicator& grid,
             std::vector<int>& values, std::vector<float>& rows, tutti::Window<double>& window)
{
    world.send({1, 2, 3}, 1);
    world.send({1, 2, 3}, 1, 7);
    world.gatherv(values, values, {1, 2});
    world.alltoallv(values, {1, 2}, values, {1, 2});
    grid.rank_at({0, 1});
    world.create_graph({0, 1}, {1, 0});
    world.create_from({0, 1});
    const tutti::WindowExposure exposure = window.post({0});
    const tutti::WindowAccess<double> access = window.start({1});
    tutti::Table<float> table(world, 10, 4);
    table.push({1, 2}, rows, tutti::sum);
    rows = table.pull({1, 2});
    values = tutti::broadcast(world, values);
}
