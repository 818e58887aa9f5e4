// A line a call, in a file a rank, each as soon as it is known.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>

inline FILE* lines = nullptr;
inline int rank = -1, ranks = 0, right = 0, left = 0;
inline bool is_on_tutti = false;
inline std::string folder_of_reports;

inline void say(const char* name, std::initializer_list<long long> values)
{
    std::fprintf(lines, "%s:", name);
    for (const long long value : values)
        std::fprintf(lines, " %lld", value);
    std::fprintf(lines, "\n");
    std::fflush(lines);
}
inline void say(const char* name, const char* text)
{
    std::fprintf(lines, "%s: \"%s\"\n", name, text);
    std::fflush(lines);
}
inline void say(const char* name, long long value)
{
    say(name, {value});
}
inline void say(const char* name, const int* values, int count)
{
    std::fprintf(lines, "%s:", name);
    for (int i = 0; i < count; ++i)
        std::fprintf(lines, " %d", values[i]);
    std::fprintf(lines, "\n");
    std::fflush(lines);
}
inline void say(const char* name, const MPI::Status& status)
{
    say(name, {status.Get_source(), status.Get_tag(), status.Get_count(MPI::INT)});
}

void messages();
void requests();
void collectives();
void communicators();
void datatypes();
void windows();
void errors();
void environment();
void files();
void absent();
