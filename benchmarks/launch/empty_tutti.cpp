// Joins the job and leaves it.
#include "tutti/environment.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
}
