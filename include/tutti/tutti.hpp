// All of Tutti's public interface.
#pragma once

#include "tutti/allocate.hpp"
#include "tutti/block_collectives.hpp"
#include "tutti/blocks.hpp"
#include "tutti/buffer.hpp"
#include "tutti/communicator.hpp"
#include "tutti/environment.hpp"
#include "tutti/error.hpp"
#include "tutti/layout.hpp"
#include "tutti/reduce_collectives.hpp"
#include "tutti/reduction.hpp"
#include "tutti/request.hpp"
#include "tutti/root_options.hpp"
#include "tutti/serialize.hpp"
#include "tutti/serialized_messages.hpp"
#include "tutti/status.hpp"
#include "tutti/values.hpp"
