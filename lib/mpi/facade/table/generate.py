#!/usr/bin/env python3
"""Writes the functions of a library that other libraries' programs find: generate.py STANDARD_TABLE FAMILY OUT_FOLDER.

STANDARD_TABLE is lib/mpi/table; FAMILY is openmpi or mpich, whose constants and handles are in FAMILY.txt. Out come
numbers.hpp (constants), entries.cpp (the functions, which call the bodies of lib/mpi) and, where handles are data
objects, handles.cpp.

What a parameter needs follows from its type and name in the standard's table: ranks, tags, constants, handles and
statuses differ, all else passes.
"""
import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent

# Handles, and the function that makes integers of them for Fortran, where it has another name.
HANDLES = ("Comm", "Group", "Op", "Datatype", "Errhandler", "Info", "Request", "Message", "Win", "File", "Session")
# Of the standard's table, what these libraries do not have.
NEITHER_HAS = (r"Abi_.*|.*_(fromint|toint)|Remove_error_.*|Request_get_status_(all|any|some)|Buffer_i?flush|"
               r"Status_[gs]et_(error|source|tag)|(Comm|Session)_(attach|detach|i?flush)_buffer|Get_hw_resource_info|"
               r"Type_get_value_index")
HAS_NOT = {
    "openmpi": NEITHER_HAS + r"|T_(event|source)_.*|T_category_get_(num_)?events|Aint_(add|diff)|.*_c",
    "mpich": NEITHER_HAS,
}
# Functions of the table with bodies of the facades' own.
REPLACED = {"Attr_get", "Buffer_attach", "Comm_get_attr", "Get_library_version", "Get_version", "Type_create_struct",
            "Type_get_contents", "Type_get_contents_c", "Win_get_attr"}
# Those of lib/mpi/message/blocking_messages.hpp.
INLINED = {"Recv", "Send"}
EXTENSIONS = ("Comm_agree", "Comm_failure_ack", "Comm_failure_get_acked", "Comm_revoke", "Comm_shrink",
              "GPU_query_support", "Query_cuda_support", "Query_hip_support", "Query_ze_support")
# Those that the standard has since under another name.
EARLIER_NAMES = {"Delete_error_class": "remove_error_class", "Delete_error_code": "remove_error_code",
                 "Delete_error_string": "remove_error_string"}
# Handles of MPI 1 (lib/mpi/facade/replaced.hpp) and of the old C++ bindings (lib/mpi/object/error_handler.hpp) that the
# standard has no longer.
MARKERS = {"MPI_LB": "0x2f0", "MPI_UB": "0x2f1", "MPI_ERRORS_THROW_EXCEPTIONS": "0x144"}

RANKS = {"dest", "source", "root", "target_rank", "local_leader", "remote_leader"}  # and "rank" of windows
# Groups of constants by the names of parameters.
GROUPS = {
    "required": "thread", "provided": "thread", "split_type": "split_type", "order": "order",
    "typeclass": "type_class", "combiner": "combiner", "whence": "seek", "lock_type": "lock",
    "keyval": "key", "comm_keyval": "key", "type_keyval": "key", "win_keyval": "key",
}
GROUPS_OF = {("Comm_compare", "result"): "comparison", ("Group_compare", "result"): "comparison",
             ("Topo_test", "status"): "topology", ("Cart_shift", "rank_source"): "rank",
             ("Cart_shift", "rank_dest"): "rank"}
FLAGS = {"assert": "assertion", "amode": "access_mode"}
CODES = {"errorcode", "errorclass"}
# Arrays of constants: group and length. The last ones are written.
ARRAYS = {("Type_create_darray", "array_of_distribs"): ("distribution", "ndims"),
          ("Type_create_darray", "array_of_dargs"): ("distribution_argument", "ndims"),
          ("Group_translate_ranks", "ranks1"): ("rank", "n"),
          ("Group_translate_ranks", "ranks2"): ("rank", "n")}
BUFFERS = {"buf", "buffer", "sendbuf", "recvbuf", "inbuf", "inoutbuf", "outbuf", "origin_addr", "result_addr",
           "compare_addr"}
TEXTS = {("Comm_get_name", "comm_name"): "MAX_OBJECT_NAME", ("Type_get_name", "type_name"): "MAX_OBJECT_NAME",
         ("Win_get_name", "win_name"): "MAX_OBJECT_NAME", ("Error_string", "string"): "MAX_ERROR_STRING",
         ("Get_processor_name", "name"): "MAX_PROCESSOR_NAME", ("Info_get_nthkey", "key"): "MAX_INFO_KEY",
         ("Get_library_version", "version"): "MAX_LIBRARY_VERSION_STRING",
         ("Open_port", "port_name"): "MAX_PORT_NAME", ("Lookup_name", "port_name"): "MAX_PORT_NAME"}
# Where a handle that is read is written too.
CHANGES_HANDLE = re.compile(r"\w*_(free|commit|disconnect)|Wait|Test|Start|Cancel|Mrecv|Imrecv|File_close|"
                            r"Session_finalize")
# How many elements arrays of handles have.
LENGTHS = {"array_of_requests": "count|incount", "array_of_types": "count", "array_of_datatypes": "max_datatypes",
           "array_of_info": "count", "array_of_statuses": "count|incount"}


def read_facts(family):
    """Lines by section, as lists of words."""
    facts, lines = {}, None
    for line in (HERE / f"{family}.txt").read_text().splitlines():
        if line.startswith("["):
            lines = facts.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line.split())
    return facts


def standard_name(name):
    return "MPI_" + name


class Entry:
    """A function of a facade: an entry point that calls a body."""

    def __init__(self, function, large, own_body):
        self.function, self.large, self.own_body = function, large, own_body
        self.name = function.full_name("", large).removeprefix("_")
        self.parameters = function.parameters

    def c_type(self, p):
        if p.word in HANDLES:
            return p.kind.replace(p.word, f"HandleOf<MPI_{p.word}>")
        if p.word.endswith("_function") or p.word.endswith("_fn") or p.word.endswith("_cb_function"):
            return "Function*"
        if p.word == "Status":
            return p.kind
        return p.c_type(self.large)

    def declaration(self, prefix):
        if self.function.result[4:] in HANDLES:
            sys.exit(f"{self.name}: no facade has functions that return handles")
        texts = ["int (*ranges)[3]" if p.kind == "int[3]*" else f"{self.c_type(p)} {p.name}" for p in self.parameters]
        if self.function.variadic:
            texts.append("...")
        return f"{self.function.result} {prefix}{self.name}({', '.join(texts)})"

    def length(self, p):
        names = {q.name for q in self.parameters}
        if p.name in LENGTHS:
            return next(name for name in LENGTHS[p.name].split("|") if name in names)
        side = "sources" if p.name == "recvtypes" else "destinations"
        if "eighbor" in self.name:
            return f"{side}_of(in<MPI_Comm>(comm))"
        return f"ranks_of(in<MPI_Comm>(comm){', sendbuf' if p.name == 'sendtypes' else ''})"

    def handle(self, p):
        kind = f"MPI_{p.word}"
        if p.kind == p.word:
            return f"in<{kind}>({p.name})"
        if p.kind.startswith("const "):
            return f"InHandles<{kind}>({p.name}, {self.length(p)})"
        if p.name == "array_of_datatypes":
            return f"OutHandles<{kind}>({p.name}, {self.length(p)})"
        if p.name in LENGTHS:
            return f"InOutHandles<{kind}>({p.name}, {self.length(p)})"
        changes = CHANGES_HANDLE.fullmatch(self.function.name)
        return f"{'InOut' if changes else 'Out'}<{kind}>({p.name})"

    def status(self, p):
        if p.name == "array_of_statuses":
            return f"OutStatuses({p.name}, {self.length(p)})"
        if p.kind.startswith("const "):
            return f"InStatus({p.name})"
        return f"{'InOutStatus' if self.name.startswith('Status_set') else 'OutStatus'}({p.name})"

    def number(self, p):
        place = (self.function.name, p.name)
        if place in ARRAYS:
            group, length = ARRAYS[place]
            return f"{'In' if p.kind.startswith('const') else 'Out'}Numbers(kNumbers_{group}, {p.name}, {length})"
        group = GROUPS_OF.get(place) or GROUPS.get(p.name)
        if p.kind == "int*":
            if p.name in CODES:
                return f"OutCode({p.name})"
            if p.name in FLAGS:
                return f"OutFlags(kNumbers_{FLAGS[p.name]}, {p.name})"
            changes = self.function.name.endswith("keyval_free") or self.function.name.endswith("_free_keyval") or \
                self.function.name == "Keyval_free"
            return f"{'InOut' if changes else 'Out'}Number(kNumbers_{group}, {p.name})" if group else p.name
        if place == ("File_set_view", "disp"):
            return f"in_displacement({p.name})"
        if p.kind != "int":
            return f"in_weights({p.name})" if "weights" in p.name and p.kind == "const int*" else p.name
        if p.name in RANKS or (p.name == "rank" and self.name.startswith("Win_")):
            return f"in_rank({p.name})"
        if p.name == "recvtag" or (p.name == "tag" and any(q.name == "source" for q in self.parameters)):
            return f"in_tag({p.name})"
        if p.name in CODES:
            return f"in_code({p.name})"
        if p.name in FLAGS:
            return f"in_flags(kNumbers_{FLAGS[p.name]}, {p.name})"
        return f"in_number(kNumbers_{group}, {p.name})" if group else p.name

    def value(self, p):
        """What the body gets, before it becomes a view."""
        if (self.function.name, p.name) in TEXTS:
            length = "resultlen" if any(q.name == "resultlen" for q in self.parameters) else "nullptr"
            limit = TEXTS[self.function.name, p.name]
            return f"OutText({p.name}, {length}, MPI_{limit}, kLimit_{limit})"
        if p.word in HANDLES:
            return self.handle(p)
        if p.word == "Status":
            return self.status(p)
        if self.c_type(p) == "Function*":
            return f"function<{p.c_type(self.large)}>({p.name})"
        if p.word == "void" and p.name in BUFFERS:
            return f"in_buffer({p.name})"
        return self.number(p) if p.word in ("int", "Offset") else p.name

    def call(self):
        f = self.function
        if f.is_later:
            raiser = f.raiser()
            return f.call(self.large).replace(f"({raiser.name}, ", f"({self.handle(raiser)}, ") if raiser else \
                f.call(self.large)
        values = {p.argument(): p.argument().replace(f"({p.name})", f"({self.value(p)})")
                  if p.argument() != p.name else self.value(p) for p in self.parameters}
        arguments = "|".join(re.escape(argument) for argument in values)
        call = f.call(self.large)
        if values:
            call = re.sub(rf"(?<=[(, ])(?:{arguments})(?=[,)])", lambda found: values[found[0]], call)
        return call.replace(f"tutti::mpi::{f.body}(", f"{self.own_body}::{f.body}(", 1)

    def text(self, family):
        f = self.function
        result = f"out_code({self.call()})" if f.result == "int" else self.call()
        text = twice(self.declaration("@"), self.name, f"return {result};")
        if family == "openmpi" and self.name.endswith("_init") and hasattr(f, "common") or \
                family == "openmpi" and re.fullmatch(r"Neighbor_\w+_init", self.name):
            text += older_names(self.declaration("@"), self.name)
        return text


def load_standard(standard_table):
    spec = importlib.util.spec_from_file_location("standard", standard_table / "generate.py")
    standard = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(standard)
    return standard


def all_entries(standard_table, family):
    standard = load_standard(standard_table)
    left_out = re.compile(HAS_NOT[family])
    entries = []
    for f in standard.read_functions(standard_table):
        f.is_later = f.is_later and f.name not in REPLACED
        own = "tutti::mpi::facade" if f.name in REPLACED else "tutti::mpi::inlined" if f.name in INLINED else "tutti::mpi"
        entries += [Entry(f, large, own) for large in f.forms]
    removed = [line for line in (HERE / "removed.txt").read_text().splitlines() if not line.startswith("#")]
    entries += [Entry(standard.Function("removed", line), False, "tutti::mpi::facade") for line in removed]
    return [e for e in entries if not left_out.fullmatch(e.name)]


def twice(declaration, name, body):
    """A function under its two names. `declaration` has @ in front of the name."""
    return f"""{declaration.replace("@", "")} __asm__("PMPI_{name}");
{declaration.replace("@", "")}
{{
    {body}
}}
{declaration.replace("@", "weak_")} __asm__("MPI_{name}") __attribute__((weak, alias("PMPI_{name}")));
"""


def older_names(declaration, name):
    """Open MPI 4 has persistent collectives as extensions."""
    return "\n".join(f'{declaration.replace("@", prefix.lower() + "_")} __asm__("{prefix}_{name}") '
                     f'__attribute__((weak, alias("PMPI_{name}")));' for prefix in ("MPIX", "PMPIX")) + "\n"


def fortran_source(family):
    """Conversions between handles or statuses of C and of Fortran. MPICH's handles are the same in both."""
    texts = []
    for kind in HANDLES if family == "openmpi" else ["File"]:
        if kind != "Session":
            name, handle = "Type" if kind == "Datatype" else kind, f"HandleOf<MPI_{kind}>"
            texts.append(twice(f"int @{name}_c2f({handle} handle)", f"{name}_c2f",
                               f"return to_fortran<MPI_{kind}>(handle);"))
            texts.append(twice(f"{handle} @{name}_f2c(int number)", f"{name}_f2c",
                               f"return from_fortran<MPI_{kind}>(number);"))
    for direction, given, made in (("c2f", "Status", "int"), ("f2c", "int", "Status")):
        texts.append(twice(f"int @Status_{direction}(const {given}* from, {made}* to)", f"Status_{direction}",
                           "return copy_status(from, to);"))
    return "\n".join(texts)


def extensions_source(family):
    """Extensions of MPICH's: those that its library for Fortran asks for."""
    if family == "openmpi":
        return ""
    texts = [f"""int X{name}(int number) __asm__("PMPIX_{name}");
int X{name}(int number)
{{
    return out_code(tutti::mpi::{body}(in_code(number)));
}}
int weak_X{name}(int number) __asm__("MPIX_{name}") __attribute__((weak, alias("PMPIX_{name}")));
""" for name, body in EARLIER_NAMES.items()]
    texts += [f"""int X{name}() __asm__("PMPIX_{name}");
int X{name}()
{{
    return out_code(tutti::mpi::unsupported("MPIX_{name}"));
}}
int weak_X{name}() __asm__("MPIX_{name}") __attribute__((weak, alias("PMPIX_{name}")));
""" for name in EXTENSIONS]
    return "\n".join(texts)


def entries_source(family, entries):
    points = "\n".join(e.text(family) for e in entries) + "\n" + fortran_source(family) + extensions_source(family)
    return f"""// The functions of MPI, each under its two names. Generated: see lib/mpi/facade/table.
#include "fortran_handles.hpp"
#include "lib/mpi/message/blocking_messages.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/file/access_call.hpp"
#include "lib/mpi/facade/lengths.hpp"
#include "lib/mpi/facade/replaced.hpp"
#include "lib/mpi/facade/statuses.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/object/unsupported.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC visibility push(default)

namespace tutti::mpi::facade::entries {{

{points}
}}  // namespace tutti::mpi::facade::entries
"""


def numbers_header(facts, predefined_handles):
    lines = []
    for group, constants in facts.items():
        if group in HANDLES:
            continue
        if group in ("limit", "version", "weights"):
            lines += [f"inline constexpr int k{group.capitalize()}_{name} = {value};" for name, value in constants]
            continue
        pairs = ", ".join(f"{{{standard_name(name)}, {value}}}" for name, value in constants)
        lines.append(f"inline constexpr Number kNumbers_{group}[] = {{{pairs}}};")
    body = "\n".join(lines + predefined_handles)
    return f"""// Constants of this facade's programs. Generated: see lib/mpi/facade/table.
#pragma once

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi::facade {{

/// A constant's value in the standard ABI and in this facade's.
struct Number {{
    int standard;
    int own;
}};

{body}

}}  // namespace tutti::mpi::facade
"""


def handle_numbers(standard_table):
    """The standard's handles by name, as numbers."""
    values = {name: value for name, value, _ in load_standard(standard_table).read_constants(standard_table)}
    return {name: values.get(value, value) for name, value in values.items()} | MARKERS


def predefined(kind, lines):
    """How C++ finds the predefined handles of a kind."""
    entries = "\n".join(f"        {{{', '.join(line)}}}," for line in lines)
    return f"""template <>
std::span<const PredefinedHandle> predefined<MPI_{kind}>() noexcept
{{
    static const PredefinedHandle all[] = {{
{entries}
    }};
    return all;
}}
"""


def object_in_cpp(kind, symbol, size, value, fortran):
    """A predefined object, with what Open MPI's library for Fortran reads in it."""
    if kind == "Group":
        return f"GroupObject {symbol}{{.standard = {value}, .fortran = {fortran}}};"
    if kind == "Comm":
        members = "self" if symbol.endswith("_self") else "world"
        return (f"CommunicatorObject {symbol}{{.standard = {value}, .local = &members_of_{members}, "
                f".remote = &members_of_{members}}};")
    return f"PredefinedObject<{size}> {symbol}{{{value}, {{}}}};"


def handles_source(facts, numbers):
    objects, lists = [], []
    for kind in HANDLES:
        lines = []
        for name, symbol, size, fortran in facts.get(kind, []):
            value = numbers[standard_name(name)]
            objects.append(object_in_cpp(kind, symbol, size, value, fortran))
            lines.append((value, f"&{symbol}.standard", "-1" if fortran == "-" else fortran))
        if lines:
            lists.append(predefined(kind, lines))
    listed = "\n".join(lists)
    defined = "\n".join(objects)
    return f"""// Predefined handles. Generated: see lib/mpi/facade/table.
#include "lib/mpi/facade/openmpi/handles.hpp"

using namespace tutti::mpi::facade;

#pragma GCC visibility push(default)
extern "C" {{
{defined}
}}
#pragma GCC visibility pop

namespace tutti::mpi::facade {{

{listed}
}}  // namespace tutti::mpi::facade
"""


def predefined_numbers(facts, numbers):
    """MPICH's: numbers all, so that decoding is a look into a table that the compiler makes."""
    pairs = [f"    {{{numbers[standard_name(name)]}, static_cast<int>({own})}}," for kind in HANDLES
             for name, own in facts.get(kind, [])]
    return "inline constexpr Number kPredefinedHandles[] = {\n" + "\n".join(pairs) + "\n};"


def main():
    standard_table, family, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    facts, numbers = read_facts(family), handle_numbers(standard_table)
    more = [predefined_numbers(facts, numbers)] if family == "mpich" else []
    (out / "numbers.hpp").write_text(numbers_header(facts, more))
    if family == "openmpi":
        (out / "handles.cpp").write_text(handles_source(facts, numbers))
    (out / "entries.cpp").write_text(entries_source(family, all_entries(standard_table, family)))


if __name__ == "__main__":
    main()
