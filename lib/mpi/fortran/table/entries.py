"""The functions of libmpifort_abi in C++, which call MPI's in C."""
from procedures import DETACHES, HANDLES, STRING_SIZES, WEIGHTS, WORDS

INTEGERS = {None: "int", "MPI_ADDRESS_KIND": "MPI_Aint", "MPI_COUNT_KIND": "MPI_Count", "MPI_OFFSET_KIND": "MPI_Offset"}


class Entry:
    """One function. `new`: for mpi_f08, whose buffers are descriptors; else for mpif.h and the module mpi, and for mpi_f08
    too where that makes no difference."""

    def __init__(self, procedure, large, new):
        self.procedure, self.large, self.new = procedure, large, new
        self.arguments = procedure.arguments
        self.described = new and bool(procedure.buffers)

    def names(self):
        """Without MPI_ and PMPI_."""
        name = self.procedure.name.lower() + ("_c" if self.large else "")
        if self.new:
            return [name + ("_f08ts_" if self.described else "_f08_")]
        if self.large:
            return [name + "_f08_"]
        pointers = [name + "_cptr_"] if any(a.name == "baseptr" for a in self.arguments) else []
        return [name + "_"] + ([] if needs_new(self.procedure) else [name + "_f08_"]) + pointers

    def declared(self, a):
        if a.is_function():
            return f"Function* {a.name}"
        if a.is_string():
            return f"const ArrayDescriptor* {a.name}" if self.described else f"{a.kind} {a.name}"
        if a.is_buffer():
            return f"const ArrayDescriptor* {a.name}" if self.described else f"void* {a.name}"
        if a.is_pointer_result():
            return f"void** {a.name}"
        constant = "const " if a.is_in() and a.function != "Cancel" else ""
        kind = "int" if a.is_handle() or a.is_status() else INTEGERS[a.integer_kind(self.large)]
        return f"{constant}{kind}* {a.name}"

    def lengths(self):
        return [] if self.described else [f"{a.name}_length" for a in self.arguments if a.is_string()]

    def parameters(self):
        return ", ".join([self.declared(a) for a in self.arguments] + ["int* ierror"] +
                         [f"std::size_t {length}" for length in self.lengths()])

    def text(self):
        names = [f"{prefix}_{name}" for name in self.names() for prefix in ("pmpi", "mpi")]
        buffers = [self.buffer(a) for a in self.procedure.buffers if self.described]
        checked = ", ".join(f"{a.name}_buffer" for a in self.procedure.buffers
                            if self.described and self.procedure.way_of(a) != "address")
        lines = [text for text in buffers if text]
        if checked:
            lines.append(f"if (const int code = first_error({checked}); code != MPI_SUCCESS)\n        return set(ierror, code);")
        lines.append(f"set(ierror, {self.call()});")
        body = "\n    ".join(lines)
        aliases = "\n".join(f'void {name}({self.parameters()}) __attribute__((weak, alias("{names[0]}")));' for name in names[1:])
        return f"void {names[0]}({self.parameters()})\n{{\n    {body}\n}}\n{aliases}\n"

    def buffer(self, a):
        call, way = f'"MPI_{self.procedure.name}"', self.procedure.way_of(a)
        if way == "section":
            count, datatype = self.procedure.whole_of(a)
            return f"const Section {a.name}_buffer({call}, {a.name}, *{count}, in<MPI_Datatype>({datatype}));"
        if way == "copy":
            use = "read" if a.is_const else "written"
            return f"const Copy {a.name}_buffer({call}, {a.name}, Copy::Use::{use});"
        return f"const Whole {a.name}_buffer({call}, {a.name});" if way == "whole" else None

    def call(self):
        procedure = self.procedure
        if procedure.is_own:
            form = [str(self.large).lower()] if len(procedure.forms()) == 2 else []
            name = procedure.name[0].lower() + procedure.name[1:]
            return f"{name}({', '.join(form + [a.name for a in self.arguments] + self.lengths())})"
        return f"{procedure.function.full_name('MPI', self.large)}({', '.join(self.value(a) for a in self.arguments)})"

    def section_part(self, a):
        """The buffer whose count or datatype this is, if it is a section."""
        if self.described:
            for buffer in self.procedure.buffers:
                whole = self.procedure.whole_of(buffer)
                if whole and a.name in whole:
                    return f"{buffer.name}_buffer.{'count' if a.name == whole[0] else 'datatype'}()"
        return None

    def value(self, a):
        part = self.section_part(a)
        if part:
            return part
        if a.is_buffer():
            return self.buffer_value(a)
        if a.is_string():
            return self.string(a)
        if a.is_handle():
            return self.handle(a)
        if a.is_status():
            return f"{'statuses_at' if a.is_array() else 'status_at'}({a.name})"
        if a.is_pointer_result():
            return a.name if self.procedure.name not in DETACHES else f"{'OutAddress' if self.new else 'Unused'}({a.name})"
        if a.is_pointer:
            return self.pointer(a)
        return f"in_logical({a.name})" if a.is_logical() else f"*{a.name}"

    def buffer_value(self, a):
        if not self.described:
            return f"buffer_at({a.name})"
        return f"address_of({a.name})" if self.procedure.way_of(a) == "address" else f"{a.name}_buffer.address()"

    def string(self, a):
        given = f"static_cast<char*>({a.name}->address), {a.name}->element_bytes" if self.described else \
            f"{a.name}, {a.name}_length"
        if not a.is_const:
            return f"OutString<{STRING_SIZES[a.name]}>({given})"
        return f"{'InWord' if (a.function, a.name) in WORDS else 'InString'}({given})"

    def handle(self, a):
        kind = "MPI_" + a.word
        if not a.is_pointer:
            return f"in<{kind}>({a.name})"
        if a.name in ("sendtypes", "recvtypes"):
            buffer = f"buffer_at({'%s->address' if self.described else '%s'})" % a.name.replace("types", "buf")
            peers = "neighbors" if "eighbor" in a.function else "peers"
            direction = f"Direction::{'outgoing' if a.name == 'sendtypes' else 'incoming'}"
            return f"InArray<{kind}>({a.name}, types_for({buffer}, {peers}(in<MPI_Comm>(comm), {direction})))"
        if a.is_array():
            way = "InArray" if a.is_const else "InOutArray" if a.is_both() else "OutArray"
            return f"{way}<{kind}>({a.name}, *{self.procedure.length_of(a)})"
        return f"{'InOut' if a.is_both() or a.function == 'Cancel' else 'Out'}<{kind}>({a.name})"

    def pointer(self, a):
        if a.kind == "int[3]*":
            return f"ranges_at({a.name})"
        if a.name in WEIGHTS:
            return f"weights_at({a.name})"
        if a.name == "indx" and not a.is_const and a.function != "Graph_get":
            return f"OutIndex({a.name})"
        if a.name == "array_of_indices":
            return f"OutIndices({a.name}, outcount)"
        if a.is_logical() and a.is_const:
            length = "*ndims" if a.name == "periods" else "dimensions(in<MPI_Comm>(comm))"
            return f"InLogicals({a.name}, {length})"
        return a.name


def needs_new(procedure):
    return bool(procedure.buffers) or procedure.name in DETACHES


def entries_of(procedures):
    for procedure in procedures:
        yield Entry(procedure, False, False)
        if needs_new(procedure):
            yield Entry(procedure, False, True)
        if len(procedure.forms()) == 2:
            yield Entry(procedure, True, needs_new(procedure))


def comparisons():
    """What == and /= of mpi_f08's handles call."""
    return "\n".join(f"int mpi_{kind.lower()}_{name}_(const int* a, const int* b)\n{{\n    return *a {operator} *b ? 1 : 0;\n}}"
                     for kind in HANDLES for name, operator in (("eq", "=="), ("ne", "!=")))


def entries(procedures):
    points = "\n".join(entry.text() for entry in entries_of(procedures)) + comparisons()
    return f"""// Fortran's procedures. Generated: see lib/mpi/fortran/table.
#include "lib/mpi/fortran/bodies.hpp"
#include "lib/mpi/fortran/buffers.hpp"
#include "lib/mpi/fortran/communicators.hpp"
#include "lib/mpi/fortran/values.hpp"

using namespace tutti::mpi;
using namespace tutti::mpi::fortran;

#pragma GCC visibility push(default)

extern "C" {{

{points}
}}
"""
