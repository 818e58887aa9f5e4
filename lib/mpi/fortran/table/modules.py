"""mpif.h and the sources of Fortran's modules, whose procedures are declared there and are the library's."""
import procedures
from procedures import DETACHES, HANDLES, WEIGHTS, has_second_form, standard

# The groups of C's constants that are integers in Fortran.
POINTERS = ("void*", "char**", "char***", "int*", "Status*", "enum")
NOT_FORTRANS = ("MPI_F_", "MPI_T_", "MPIX_")
# Bytes without C's null at the end.
STRING_LENGTHS = ("_STRING", "_NAME", "_KEY", "_VAL", "_LEN")
SENTINELS = (("bottom", "integer", "MPI_BOTTOM", ""), ("in_place", "integer", "MPI_IN_PLACE", ""),
             ("buffer_automatic", "integer", "MPI_BUFFER_AUTOMATIC", ""), ("unweighted", "integer", "MPI_UNWEIGHTED", "(1)"),
             ("weights_empty", "integer", "MPI_WEIGHTS_EMPTY", "(1)"),
             ("errcodes_ignore", "integer", "MPI_ERRCODES_IGNORE", "(1)"),
             ("argv_null", "character", "MPI_ARGV_NULL", "(1)"), ("argvs_null", "character", "MPI_ARGVS_NULL", "(1,1)"))
STATUSES = (("status_ignore", "integer", "MPI_STATUS_IGNORE", "(8)"),
            ("statuses_ignore", "integer", "MPI_STATUSES_IGNORE", "(8,1)"))
OWN_CONSTANTS = [("MPI_STATUS_SIZE", "8"), ("MPI_SOURCE", "1"), ("MPI_TAG", "2"), ("MPI_ERROR", "3"),
                 ("MPI_ADDRESS_KIND", "8"), ("MPI_COUNT_KIND", "8"), ("MPI_OFFSET_KIND", "8"), ("MPI_INTEGER_KIND", "4")]
# Functions that libraries and programs name as callbacks: of attributes, (prefix, kind of handle).
KEYS = (("MPI_COMM", "MPI_Comm"), ("MPI_TYPE", "MPI_Datatype"), ("MPI_WIN", "MPI_Win"))
CALLBACKS = [f"{prefix}_{what}" for prefix, _ in KEYS for what in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")]
OLD_CALLBACKS = ["MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL"]
CALLBACK_TYPES = {"Copy_function": "external", "Delete_function": "external", "user_function": "MPI_User_function",
                  "conversion_function": "MPI_Datarep_conversion_function"}


def constants_of(table):
    """(name, value, kind) of those that Fortran has; kind is "int", "Offset" or a kind of handles."""
    for name, value, kind in standard.read_constants(table):
        if name.startswith(NOT_FORTRANS) or kind.startswith(POINTERS) or kind.endswith("function*") or kind.startswith("T_") \
                or kind.endswith("function_c*"):
            continue
        if name.startswith("MPI_MAX_") and name.endswith(STRING_LENGTHS):
            value = str(int(value) - 1)
        yield name, str(int(value, 16)) if value.startswith("0x") else value, kind


def include_file(table):
    lines = ["! MPI 5.0 for Fortran programs of both source forms. Generated: see lib/mpi/fortran/table."]
    for name, value in OWN_CONSTANTS:
        lines += [f"      INTEGER {name}", f"      PARAMETER ({name}={value})"]
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        lines += [f"      LOGICAL {name}", f"      PARAMETER ({name}=.FALSE.)"]
    for name, value, kind in constants_of(table):
        lines += [f"      INTEGER{'(KIND=8)' if kind == 'Offset' else ''} {name}", f"      PARAMETER ({name}={value})"]
    for symbol, kind, name, shape in SENTINELS + STATUSES:
        lines += [f"      {kind.upper()} {name}{shape}", f"      COMMON /TUTTI_MPI_{symbol.upper()}/ {name}",
                  f"      SAVE /TUTTI_MPI_{symbol.upper()}/"]
    for name in CALLBACKS + OLD_CALLBACKS:
        lines.append(f"      EXTERNAL {name}")
    for prefix in ("MPI", "PMPI"):
        lines += [f"      DOUBLE PRECISION {prefix}_WTIME, {prefix}_WTICK",
                  f"      EXTERNAL {prefix}_WTIME, {prefix}_WTICK",
                  f"      INTEGER(KIND=8) {prefix}_AINT_ADD, {prefix}_AINT_DIFF",
                  f"      EXTERNAL {prefix}_AINT_ADD, {prefix}_AINT_DIFF"]
    return "\n".join(lines) + "\n"


def wrapped(text, indent="  "):
    """A statement on lines that all compilers take."""
    lines, line = [], indent
    for word in text.split(" "):
        if len(line) + len(word) > 118:
            lines.append(line.rstrip() + " &")
            line = indent + "    "
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


class Interface:
    """A procedure's declaration. `new`: of mpi_f08."""

    def __init__(self, procedure, large, new, prefix):
        self.procedure, self.large, self.new, self.prefix = procedure, large, new, prefix
        self.described = new and bool(procedure.buffers)

    def name(self):
        name = f"{self.prefix}_{self.procedure.name}{'_c' if self.large else ''}"
        return name + ("_f08ts" if self.described else "_f08" if self.new else "")

    def text(self):
        arguments = [a.fortran_name for a in self.procedure.arguments] + ["ierror"]
        binding = f' bind(C, name="{self.name().lower()}_")' if self.described else ""
        lines = [wrapped(f"subroutine {self.name()}({', '.join(arguments)}){binding}"), "  import"]
        for a in self.procedure.arguments:
            lines += self.declaration(a)
        lines.append("  integer, optional, intent(out) :: ierror" if self.new else "  integer, intent(out) :: ierror")
        return "\n".join(lines + ["  end subroutine"])

    def declaration(self, a):
        if a.is_buffer():
            return self.buffer(a)
        if a.is_pointer_result():
            if self.new:
                return [f"  type(c_ptr), intent(out) :: {a.name}"]
            return [f"  integer(MPI_ADDRESS_KIND) :: {a.name}"] if a.name == "baseptr" else self.buffer(a)
        if a.is_function():
            return [f"  procedure({self.callback(a)}) :: {a.name}" if self.callback(a) != "external" and self.new
                    else f"  external :: {a.name}"]
        shape = ("(3, *)" if a.kind == "int[3]*" else f"({'MPI_STATUS_SIZE, ' * (a.is_status() and not self.new)}*)") \
            if a.is_array() else "(MPI_STATUS_SIZE)" * (a.is_status() and not self.new)
        return [f"  {self.type_of(a)}{self.intent(a)} :: {a.fortran_name}{shape}"]

    def buffer(self, a):
        if self.described:
            waits = "" if self.procedure.is_blocking() and not self.procedure.name.endswith("_end") else ", asynchronous"
            return [f"  type(*), dimension(..){', intent(in)' if a.is_const else ''}{waits} :: {a.name}"]
        return [f"  !dir$ ignore_tkr(tkr) {a.name}", f"  !gcc$ attributes no_arg_check :: {a.name}",
                f"  type(*), dimension(*) :: {a.name}"]

    def callback(self, a):
        kind = CALLBACK_TYPES.get(a.word, "MPI_" + a.word)
        return kind + "_c" if self.large and a.parameter.is_widened() else kind

    def type_of(self, a):
        if a.is_string():
            return "character(*)"
        if a.is_handle() or a.is_status():
            return f"type(MPI_{a.word})" if self.new else "integer"
        if a.is_logical():
            return "logical"
        kind = a.integer_kind(self.large)
        return f"integer({kind})" if kind else "integer"

    def intent(self, a):
        if a.is_both():
            return ", intent(inout)"
        if a.is_in():
            return ", intent(in)"
        # They may be the library's variables that say that there is none.
        if a.is_status() or a.name in WEIGHTS or a.name == "array_of_errcodes":
            return ""
        return ", intent(inout)" if a.is_array() and a.word in HANDLES else ", intent(out)"


def generic(name, specifics):
    body = "\n".join(specific.text() for specific in specifics)
    return f"interface {name}".rstrip() + f"\n{body}\nend interface"


def old_interfaces(found):
    texts = []
    for procedure in found:
        if procedure.name.endswith("_c"):
            continue
        # Memory comes as an address, or as a pointer of C's: the template adds the latter to the same name.
        is_generic = any(a.name == "baseptr" for a in procedure.arguments)
        for prefix in ("MPI", "PMPI"):
            name = f"{prefix}_{procedure.name}" if is_generic else ""
            texts.append(generic(name, [Interface(procedure, False, False, prefix)]))
    return "\n".join(texts)


def new_interfaces(found):
    specifics = {}
    for procedure in found:
        forms = [False, True] if len(procedure.forms()) == 2 and has_second_form(procedure) else [False]
        for prefix in ("MPI", "PMPI"):
            for large in forms:
                # Callbacks do not tell forms apart.
                suffix = "_c" if large and procedure.name in ("Op_create", "Register_datarep") else ""
                specifics.setdefault(f"{prefix}_{procedure.generic}{suffix}", []).append(
                    Interface(procedure, large, True, prefix))
    return "\n".join(generic(name, all_forms) for name, all_forms in specifics.items())


def parameters(table, new):
    lines = []
    for name, value, kind in constants_of(table):
        if kind in HANDLES:
            lines.append(f"type(MPI_{kind}), parameter :: {name} = " + (value if value.startswith("MPI") else f"MPI_{kind}({value})")
                         if new else f"integer, parameter :: {name} = {value}")
    return "\n".join(lines)


def common_parameters(table):
    lines = [f"integer, parameter :: {name} = {value}" for name, value in OWN_CONSTANTS]
    lines += [f"integer{'(MPI_OFFSET_KIND)' if kind == 'Offset' else ''}, parameter :: {name} = {value}"
              for name, value, kind in constants_of(table) if kind in ("int", "Offset")]
    return "\n".join(lines)


def sentinels(which):
    return "\n".join(f'{kind}, bind(C, name="tutti_mpi_{symbol}_"), target :: {name}{shape}' for symbol, kind, name, shape in which)


def handle_types():
    types = "\n".join(f"type, bind(C) :: MPI_{kind}\n  integer :: MPI_VAL\nend type" for kind in HANDLES)
    operators = []
    for operator, suffix in (("==", "eq"), ("/=", "ne")):
        bodies = "\n".join(f"  elemental logical function MPI_{kind}_{suffix}(a, b)\n  import\n  type(MPI_{kind}), intent(in) :: a, b\n"
                           "  end function" for kind in HANDLES)
        operators.append(f"interface operator({operator})\n{bodies}\nend interface")
    return types + "\n" + "\n".join(operators)


def attribute_callbacks(new):
    texts = []
    for prefix, kind in KEYS:
        handle = f"type({kind})" if new else "integer"
        for name in ("NULL_COPY_FN", "DUP_FN"):
            texts.append(f"""subroutine {prefix}_{name}(object, keyval, extra_state, value_in, value_out, flag, ierror)
  import
  {handle} :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
  logical :: flag
end subroutine""")
        texts.append(f"""subroutine {prefix}_NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
  import
  {handle} :: object
  integer :: keyval, ierror
  integer(MPI_ADDRESS_KIND) :: value, extra_state
end subroutine""")
    return "interface\n" + "\n".join(texts) + "\nend interface"


def sources(table, found):
    templates = procedures.HERE
    filled = {
        "@COMMON_PARAMETERS@": common_parameters(table),
        "@SENTINELS@": sentinels(SENTINELS),
        "@STATUS_SENTINELS@": sentinels(STATUSES),
        "@HANDLE_TYPES@": handle_types(),
        "@OLD_HANDLES@": parameters(table, False),
        "@NEW_HANDLES@": parameters(table, True),
        "@OLD_CALLBACKS@": attribute_callbacks(False),
        "@NEW_CALLBACKS@": attribute_callbacks(True),
        "@OLD_INTERFACES@": old_interfaces(found),
        "@NEW_INTERFACES@": new_interfaces(found),
    }
    texts = {"mpif.h": include_file(table)}
    for name in ("mpi.f90", "mpi_f08.f90"):
        text = (templates / f"{name}.in").read_text()
        for mark, replacement in filled.items():
            text = text.replace(mark, replacement)
        texts[name] = text
    return texts
