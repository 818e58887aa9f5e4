#!/usr/bin/env python3
"""Writes the C header, the bodies' declarations and the entry points of MPI: generate.py TABLE_FOLDER OUT_FOLDER.

functions/*.txt has a line a function, in C's words: `[later] [form] [result] Name(parameters)`. `later`: it is not
written yet and answers MPI_ERR_UNSUPPORTED_OPERATION. `form`: the body's first parameter is whether the form for
large counts was called. `collective Name(...)` stands for three functions: Name, Iname and Name_init; `access Name(...)`
for those that access a file: Name, iname, and the two halves of a split collective. A capitalised type is MPI's (Comm:
MPI_Comm). Types that differ in the function's form for large counts (Name_c) have names of their own, those of WIDENED.

constants/*.txt has a line a constant; a line [type] begins those of a type. A value may be another constant.
"""
import pathlib
import re
import sys

# A type of the table: its C type, and that in the form for large counts.
WIDENED = {
    "count": ("int", "MPI_Count"),
    "wide_count": ("MPI_Count", "MPI_Count"),  # the two forms are one
    "displacement": ("int", "MPI_Aint"),
    "unit": ("int", "MPI_Aint"),
    "bytes": ("MPI_Aint", "MPI_Count"),
    "user_function": ("MPI_User_function", "MPI_User_function_c"),
    "conversion_function": ("MPI_Datarep_conversion_function", "MPI_Datarep_conversion_function_c"),
}
# What bodies have for both: see lib/mpi/object/views.hpp.
BODY_TYPES = {
    "count": "MPI_Count",
    "wide_count": "MPI_Count",
    "unit": "MPI_Count",
    "bytes": "MPI_Count",
    "count*": "CountPlace",
    "unit*": "CountPlace",
    "bytes*": "MPI_Count*",
    "const count*": "Counts",
    "const displacement*": "Counts",
    "const bytes*": "const MPI_Count*",
    "user_function*": "UserFunction",
    "conversion_function*": "ConversionFunction",
}
# The objects whose error handlers take errors.
RAISERS = ("Comm", "Win", "Session", "Errhandler")


class Parameter:
    def __init__(self, text):
        self.kind, self.name = re.fullmatch(r"(.+?) (\w+)", text).groups()
        self.word = re.search(r"\w+", self.kind.removeprefix("const "))[0]

    def is_widened(self):
        return self.word in WIDENED

    def c_type(self, large):
        word = WIDENED[self.word][large] if self.is_widened() else with_prefix(self.word)
        return re.sub(r"\b%s\b" % self.word, word, self.kind)

    def declaration(self, large=False):
        if self.kind == "int[3]*":
            return f"int (*{self.name})[3]"
        return f"{self.c_type(large)} {self.name}"

    def body_declaration(self):
        return f"{BODY_TYPES[self.kind]} {self.name}" if self.is_widened() else self.declaration()

    def argument(self):
        """What the entry point passes to the body."""
        view = BODY_TYPES.get(self.kind, "MPI_")
        return self.name if "MPI_" in view else f"tutti::mpi::{view}({self.name})"


class Function:
    def __init__(self, chapter, line):
        found = re.fullmatch(r"(later )?(form )?(?:(\w+) )?(\w+)\((.*)\)", line)
        if not found:
            sys.exit(f"{chapter}: not a function: {line}")
        later, form, result, self.name, parameters = found.groups()
        self.is_later = later is not None
        self.has_form = form is not None
        self.result = with_prefix(result or "int")
        self.variadic = parameters.endswith("...")
        texts = [text for text in parameters.removesuffix(", ...").split(", ") if text]
        self.parameters = [Parameter(text) for text in texts]
        self.forms = [False, True] if any(p.is_widened() for p in self.parameters) else [False]
        self.body = self.name[0].lower() + self.name[1:]

    def full_name(self, prefix, large):
        return f"{prefix}_{self.name}{'_c' if large else ''}"

    def declaration(self, prefix, large):
        parameters = [p.declaration(large) for p in self.parameters] + ["..."] * self.variadic
        return f"{self.result} {self.full_name(prefix, large)}({', '.join(parameters) or 'void'})"

    def body_declaration(self):
        parameters = ["bool large"] * self.has_form + [p.body_declaration() for p in self.parameters]
        return f"{self.result} {self.body}({', '.join(parameters)})"

    def raiser(self):
        """The parameter whose error handler takes an error; None: that of MPI_COMM_SELF."""
        return next((p for p in self.parameters if p.kind in RAISERS), None)

    def converts_handle(self):
        return self.name.endswith(("_toint", "_fromint"))

    def call(self, large):
        if self.name.endswith("_toint"):
            return f"tutti::mpi::toint({self.parameters[0].name})"
        if self.name.endswith("_fromint"):
            return f"tutti::mpi::fromint({self.parameters[0].name}, {self.result.upper()}_NULL)"
        if not self.is_later:
            form = ["true" if large else "false"] * self.has_form
            return f"tutti::mpi::{self.body}({', '.join(form + [p.argument() for p in self.parameters])})"
        if self.result != "int":
            return f"{self.result}()"
        if self.name.startswith("T_"):
            return "MPI_T_ERR_NOT_SUPPORTED"
        raisers = [p.name for p in [self.raiser()] if p]
        return "tutti::mpi::unsupported({})".format(", ".join(raisers + [f'"{self.full_name("MPI", large)}"']))


class CollectiveForm(Function):
    """One of a collective's three functions. They have one body, which takes a CollectiveCall first."""
    FORMS = (("{}", []), ("I{}", ["Request* request"]), ("{}_init", ["Info info", "Request* request"]))

    def __init__(self, chapter, line, pattern, more):
        super().__init__(chapter, line)
        self.common = self.parameters
        self.more = [Parameter(text) for text in more]
        self.parameters = self.common + self.more
        self.name = pattern.format(self.body if pattern[0] == "I" else self.name)

    def body_declaration(self):
        parameters = ["const CollectiveCall& call"] + [p.body_declaration() for p in self.common]
        return f"{self.result} {self.body}({', '.join(parameters)})"

    def call(self, large):
        how = ", ".join([f'"MPI_{self.name}"'] + [p.name for p in self.more])
        arguments = [f"tutti::mpi::CollectiveCall({how})"] + [p.argument() for p in self.common]
        return f"tutti::mpi::{self.body}({', '.join(arguments)})"


class AccessForm(Function):
    """A function that accesses a file. All but the end of a split collective have one body, which takes an AccessCall
    first."""

    def __init__(self, chapter, line, prefix="", suffix="", more=None):
        super().__init__(chapter, line)
        self.common = self.parameters
        self.more = [Parameter(more)] if more else []
        self.ends = suffix == "_end"
        if self.ends:
            self.common = [p for p in self.common if p.name in ("fh", "buf")]
            self.forms = [False]
        self.parameters = self.common + self.more
        self.name = f"File_{prefix}{self.name.removeprefix('File_')}{suffix}"

    def body_declaration(self):
        if self.ends:
            return "int end_access(const char* call, MPI_File fh, const void* buf, MPI_Status* status)"
        parameters = ["const AccessCall& call"] + [p.body_declaration() for p in self.common]
        return f"int {self.body}({', '.join(parameters)})"

    def call(self, large):
        if self.ends:
            return f'tutti::mpi::end_access("MPI_{self.name}", fh, buf, status)'
        how = ", ".join([f'"MPI_{self.name}"'] + [p.name for p in self.more])
        arguments = [f"tutti::mpi::AccessCall({how})"] + [p.argument() for p in self.common]
        return f"tutti::mpi::{self.body}({', '.join(arguments)})"


def accesses_of(chapter, line):
    name = line.split("(")[0]
    accesses = [AccessForm(chapter, line, more="Status* status")]
    if not name.endswith("_ordered"):
        accesses.append(AccessForm(chapter, line, prefix="i", more="Request* request"))
    if name.endswith(("_all", "_ordered")):
        accesses.append(AccessForm(chapter, line, suffix="_begin"))
        accesses.append(AccessForm(chapter, line, suffix="_end", more="Status* status"))
    return accesses


def functions_of(chapter, line):
    word, _, rest = line.partition(" ")
    if word == "access":
        return accesses_of(chapter, rest)
    if word == "collective":
        return [CollectiveForm(chapter, rest, *form) for form in CollectiveForm.FORMS]
    return [Function(chapter, line)]


def with_prefix(word):
    return "MPI_" + word if word[0].isupper() else word


def lines_of(folder):
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                yield path.name, line


def read_functions(table):
    return [f for chapter, line in lines_of(table / "functions") for f in functions_of(chapter, line)]


def read_constants(table):
    """(name, value, type) of all, with whole names."""
    kind, constants = "int", []
    for _, line in lines_of(table / "constants"):
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        name, value = line.split()
        constants.append((name if name.startswith("MPIX_") else "MPI_" + name,
                          "MPI_" + value if value[0].isalpha() else value, kind))
    return constants


def constants_in_c(constants):
    enumerations = {}
    lines = []
    for name, value, kind in constants:
        if kind.startswith("enum "):
            enumerations.setdefault("MPI_" + kind.removeprefix("enum "), []).append(f"{name} = {value}")
        elif kind == "int" or value.startswith("MPI"):
            lines.append(f"#define {name} {f'({value})' if value.startswith('-') else value}")
        else:
            lines.append(f"#define {name} (({with_prefix(kind)}){value})")
    lines += [f"\ntypedef enum {name} {{ {', '.join(values)} }} {name};" for name, values in enumerations.items()]
    return "\n".join(lines)


def fortran_conversions(functions):
    """C's view of Fortran's handles."""
    texts = []
    for function in functions:
        if function.name.endswith("_toint"):
            kind = function.name.removesuffix("_toint")
            handle = function.parameters[0].declaration(False).split()[0]
            for prefix in ("MPI", "PMPI"):
                texts.append(f"static __inline__ MPI_Fint {prefix}_{kind}_c2f({handle} handle)\n"
                             f"{{\n    return {prefix}_{kind}_toint(handle);\n}}\n"
                             f"static __inline__ {handle} {prefix}_{kind}_f2c(MPI_Fint handle)\n"
                             f"{{\n    return {prefix}_{kind}_fromint(handle);\n}}")
    return "\n".join(texts)


def header(table, functions):
    declarations = [f"{f.declaration(prefix, large)};"
                    for prefix in ("MPI", "PMPI") for f in functions for large in f.forms]
    template = (table / "mpi.h.in").read_text()
    return template.replace("@CONSTANTS@", constants_in_c(read_constants(table))).replace(
        "@FUNCTIONS@", "\n".join(declarations)).replace("@FORTRAN@", fortran_conversions(functions))


def bodies(functions):
    declarations = "\n".join(dict.fromkeys(f"{f.body_declaration()};" for f in functions
                                           if not f.is_later and not f.converts_handle()))
    return f"""// The bodies of MPI's functions, which do the work of both forms. Generated: see lib/mpi/table.
#pragma once

#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {{

class AccessCall;
class CollectiveCall;

{declarations}

}}  // namespace tutti::mpi
"""


def entry(function, large):
    name = function.full_name("PMPI", large)
    alias = function.declaration("MPI", large)
    return f"""{function.declaration("PMPI", large)}
{{
    return {function.call(large)};
}}
{alias} __attribute__((weak, alias("{name}")));
"""


def entries(functions):
    points = "\n".join(entry(f, large) for f in functions for large in f.forms)
    return f"""// MPI's functions, each under its two names. Generated: see lib/mpi/table.
#include "lib/mpi/object/handle_numbers.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/file/access_call.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/object/unsupported.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC visibility push(default)

extern "C" {{

{points}
}}
"""


def main():
    table, out = map(pathlib.Path, sys.argv[1:])
    functions = read_functions(table)
    (out / "mpi.h").write_text(header(table, functions))
    (out / "bodies.hpp").write_text(bodies(functions))
    (out / "entries.cpp").write_text(entries(functions))


if __name__ == "__main__":
    main()
