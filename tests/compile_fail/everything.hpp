#include "tutti/tutti.hpp"
