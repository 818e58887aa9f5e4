// expect: Tutti's headers are C++20: compile with -std=c++20
#include "tutti/tutti.hpp"
