#include "tutti/reduce_local.hpp"

#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/foundation/reduction/kernels.hpp"

namespace tutti {

void detail::reduce_local(const ConstElements& in, const Elements& inout, const Operator& op)
{
    check_equal_size("reduce_local", in, inout);
    if (in.data != inout.data)
        check_apart("reduce_local", in, inout);
    const UserKernel& user = op.user;
    if (user.context != nullptr)
        return user.with_context(user.context, inout.data, in.data, inout.data, inout.count);
    const reduction::Kernel kernel = user.plain != nullptr ? user.plain : reduction::kernel(op.op, op.type);
    kernel(inout.data, in.data, inout.data, inout.count);
}

}  // namespace tutti
