"""What Fortran's procedures are: their arguments' kinds, from the types and names in C's table and the facts below."""
import importlib.util
import pathlib

HERE = pathlib.Path(__file__).parent


def load_standard():
    spec = importlib.util.spec_from_file_location("standard", HERE.parent.parent / "table" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


standard = load_standard()

HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
# Names that differ from C's.
RENAMED = {"indx": "index"}
LOGICALS = {"flag", "periods", "remain_dims", "reorder", "high", "commute", "weighted", "is_set"}
ARRAYS = {"coords", "dims", "ranks2", "edges", "neighbors", "sources", "destinations", "sourceweights",
          "destweights", "array_of_indices", "array_of_integers", "array_of_addresses", "array_of_large_counts",
          "array_of_datatypes", "array_of_requests", "array_of_statuses", "array_of_errcodes", "periods"}
# Arguments of these names that a call reads and writes, besides handles that it frees.
BOTH = {("Dims_create", "dims"), ("Pack", "position"), ("Unpack", "position"), ("Pack_external", "position"),
        ("Unpack_external", "position"), ("Info_get_string", "buflen"), ("Session_get_nth_pset", "pset_len")}
WEIGHTS = {"weights", "sourceweights", "destweights"}
BUFFERS = {"buf", "buffer", "sendbuf", "recvbuf", "inbuf", "inoutbuf", "outbuf", "origin_addr", "result_addr",
           "compare_addr", "base", "location"}
# Of these buffers the whole content is (count, datatype), named here; of "*", in any call that has such arguments.
WHOLES = {
    ("*", "buf"): ("count", "datatype"),
    ("Bcast", "buffer"): ("count", "datatype"),
    ("*", "origin_addr"): ("origin_count", "origin_datatype"),
    ("*", "result_addr"): ("result_count", "result_datatype"),
    ("Pack", "inbuf"): ("incount", "datatype"),
    ("Pack_external", "inbuf"): ("incount", "datatype"),
    ("Unpack", "outbuf"): ("outcount", "datatype"),
    ("Unpack_external", "outbuf"): ("outcount", "datatype"),
    ("Gather", "sendbuf"): ("sendcount", "sendtype"),
    ("Gatherv", "sendbuf"): ("sendcount", "sendtype"),
    ("Allgather", "sendbuf"): ("sendcount", "sendtype"),
    ("Allgatherv", "sendbuf"): ("sendcount", "sendtype"),
    ("Neighbor_allgather", "sendbuf"): ("sendcount", "sendtype"),
    ("Neighbor_allgatherv", "sendbuf"): ("sendcount", "sendtype"),
    ("Scatter", "recvbuf"): ("recvcount", "recvtype"),
    ("Scatterv", "recvbuf"): ("recvcount", "recvtype"),
    ("Sendrecv", "sendbuf"): ("sendcount", "sendtype"),
    ("Sendrecv", "recvbuf"): ("recvcount", "recvtype"),
    ("Isendrecv", "sendbuf"): ("sendcount", "sendtype"),
    ("Isendrecv", "recvbuf"): ("recvcount", "recvtype"),
}
# Buffers without a count, and calls with one element.
ADDRESSES = {"base", "location", "buffer"}
ONE_ELEMENT = {"Fetch_and_op", "Compare_and_swap"}
PARTITIONED = {"Psend_init", "Precv_init"}
# Lengths of arrays of handles and logicals.
LENGTHS = {"array_of_requests": ("count", "incount"), "array_of_types": ("count",),
           "array_of_datatypes": ("max_datatypes",), "array_of_info": ("count",), "periods": ("ndims",)}
# Words of an info, whose blanks do not count at either end.
WORDS = {("Info_set", "value"), ("Info_get", "key"), ("Info_get_string", "key"), ("Info_get_valuelen", "key"),
         ("Info_set", "key"), ("Info_delete", "key")}
STRING_SIZES = {"comm_name": "MPI_MAX_OBJECT_NAME", "type_name": "MPI_MAX_OBJECT_NAME", "win_name": "MPI_MAX_OBJECT_NAME",
                "version": "MPI_MAX_LIBRARY_VERSION_STRING", "name": "MPI_MAX_PROCESSOR_NAME",
                "string": "MPI_MAX_ERROR_STRING", "datarep": "MPI_MAX_DATAREP_STRING", "key": "MPI_MAX_INFO_KEY",
                "port_name": "MPI_MAX_PORT_NAME"}

# What is not in Fortran, or has other arguments there: texts in the templates, bodies in C++.
ABSENT = {"Init", "Init_thread", "Info_create_env", "Pcontrol", "Wtick", "Wtime", "Aint_add", "Aint_diff",
          "Abi_get_fortran_booleans", "Abi_set_fortran_booleans", "Comm_spawn", "Comm_spawn_multiple"}
# The body, of the same name, gets Fortran's arguments as they are.
OWN = {"Info_get", "Info_get_string", "Attr_get", "Attr_put", "Comm_get_attr", "Comm_set_attr", "Type_get_attr",
       "Type_set_attr", "Win_get_attr", "Win_set_attr", "Keyval_create", "Comm_create_keyval", "Type_create_keyval",
       "Win_create_keyval", "Comm_create_errhandler", "File_create_errhandler", "Win_create_errhandler",
       "Session_create_errhandler", "Op_create", "Grequest_start", "Register_datarep", "Session_get_nth_pset"}
DETACHES = {"Buffer_detach", "Comm_detach_buffer", "Session_detach_buffer"}
FREES = ("_free", "_close", "_disconnect", "_commit", "_finalize", "_free_keyval")


class Argument:
    def __init__(self, function, parameter):
        self.function = function.name
        self.kind, self.name, self.word = parameter.kind, parameter.name, parameter.word
        self.fortran_name = RENAMED.get(self.name, self.name)
        self.parameter = parameter
        self.is_const = self.kind.startswith("const ")
        self.is_pointer = self.kind.endswith("*")

    def is_handle(self):
        return self.word in HANDLES

    def is_status(self):
        return self.word == "Status"

    def is_string(self):
        return self.kind in ("char*", "const char*")

    def is_function(self):
        return self.word.endswith("function") or self.word in ("Copy_function", "Delete_function")

    def is_buffer(self):
        return self.word == "void" and self.name in BUFFERS

    def is_address(self):
        """An integer as wide as an address, which C passes as one."""
        return self.word == "void" and self.name in ("extra_state", "attribute_val")

    def is_old_address(self):
        """Likewise in MPI 1, where it is a plain integer."""
        return self.is_address() and self.function in ("Attr_get", "Attr_put", "Keyval_create")

    def is_pointer_result(self):
        return self.word == "void" and self.name in ("baseptr", "buffer_addr")

    def is_logical(self):
        return self.word == "int" and self.name in LOGICALS

    def is_array(self):
        if not self.is_pointer:
            return False
        if self.is_const:
            return not (self.is_status() or self.is_string() or self.word == "void")
        return self.kind == "int[3]*" or self.name in ARRAYS or (self.function, self.name) == ("Graph_get", "indx")

    def is_both(self):
        if (self.function, self.name) in BOTH:
            return True
        if not self.is_pointer or self.is_const:
            return False
        if self.is_handle():
            return self.function.endswith(FREES) or self.function.startswith(("Start", "Wait", "Test")) or (
                self.word == "Message" and self.function in ("Mrecv", "Imrecv"))
        if self.is_status():
            return self.function.startswith("Status_set")
        return self.word == "int" and self.function.endswith(("_free_keyval", "Keyval_free"))

    def is_in(self):
        if self.function == "Cancel":
            return True
        return not self.is_pointer or self.is_const or self.kind == "int[3]*" or (
            self.name == "extra_state" or self.name == "attribute_val" and "set" in self.function
            or self.function == "Attr_put")

    def integer_kind(self, large):
        """None: the default kind."""
        c_type = self.parameter.c_type(large)
        for word, kind in (("MPI_Aint", "MPI_ADDRESS_KIND"), ("MPI_Count", "MPI_COUNT_KIND"),
                           ("MPI_Offset", "MPI_OFFSET_KIND")):
            if word in c_type:
                return kind
        return "MPI_ADDRESS_KIND" if self.is_address() and not self.is_old_address() else None


class Procedure:
    def __init__(self, function):
        self.function, self.name = function, function.name
        self.arguments = [Argument(function, p) for p in function.parameters]
        self.is_own = self.name in OWN
        # Fortran's Type_get_contents has both forms under one name.
        self.generic = self.name.removesuffix("_c")
        self.buffers = [a for a in self.arguments if a.is_buffer()]

    def forms(self):
        return self.function.forms

    def is_blocking(self):
        """Whether a copy of a buffer may end with the call."""
        return not any(a.word == "Request" and a.is_pointer for a in self.arguments) and not self.name.endswith("_begin")

    def way_of(self, buffer):
        """How mpi_f08 passes it on: "address", "section" (one of WHOLES), "copy", or "whole": without gaps only."""
        if self.whole_of(buffer):
            return "section"
        if buffer.name in ADDRESSES or self.name in ONE_ELEMENT or self.name.endswith("_end"):
            return "address"
        return "copy" if self.is_blocking() else "whole"

    def whole_of(self, buffer):
        """(count, datatype) by name, if these describe it."""
        body = self.function.body
        found = WHOLES.get((body[0].upper() + body[1:], buffer.name)) or WHOLES.get(("*", buffer.name))
        names = {a.name for a in self.arguments}
        return found if found and set(found) <= names and self.name not in ONE_ELEMENT | PARTITIONED else None

    def argument(self, name):
        return next(a for a in self.arguments if a.name == name)

    def length_of(self, array):
        return next(name for name in LENGTHS[array.name] if any(a.name == name for a in self.arguments))


def has_second_form(procedure):
    """Whether Fortran can tell the form for large counts from the other one: addresses are as wide as counts."""
    return any(a.integer_kind(True) != a.integer_kind(False) and
               {a.integer_kind(True), a.integer_kind(False)} != {"MPI_ADDRESS_KIND", "MPI_COUNT_KIND"}
               for a in procedure.arguments) or any(a.word in ("user_function", "conversion_function")
                                                    for a in procedure.arguments)


def read_procedures(table):
    found = []
    for function in standard.read_functions(table):
        name = function.name
        if name in ABSENT or name.startswith("T_") or function.converts_handle():
            continue
        found.append(Procedure(function))
    return found
