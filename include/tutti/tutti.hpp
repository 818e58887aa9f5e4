// All of Tutti's public interface.
#pragma once

#if __cplusplus < 202002L
#error "Tutti's headers are C++20: compile with -std=c++20"
#endif

#include "tutti/allocate.hpp"
#include "tutti/block_collectives.hpp"
#include "tutti/blocks.hpp"
#include "tutti/bootstrap.hpp"
#include "tutti/buffer.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/collective_options.hpp"
#include "tutti/communicator.hpp"
#include "tutti/environment.hpp"
#include "tutti/error.hpp"
#include "tutti/layout.hpp"
#include "tutti/neighbor_communicator.hpp"
#include "tutti/reduce_collectives.hpp"
#include "tutti/reduce_local.hpp"
#include "tutti/reduction.hpp"
#include "tutti/request.hpp"
#include "tutti/serialize.hpp"
#include "tutti/serialized_messages.hpp"
#include "tutti/status.hpp"
#include "tutti/table.hpp"
#include "tutti/topologies.hpp"
#include "tutti/typed_buffer.hpp"
#include "tutti/values.hpp"
#include "tutti/window.hpp"
#include "tutti/window_access.hpp"
