// The number of sub-groups in a work-group of the enqueued size.

#include "common.h"

// Passes define these.
#define PURE __attribute__((overloadable, const))
PURE size_t get_enqueued_local_size(uint dimension);
PURE uint get_max_sub_group_size(void);

OVERLOAD uint get_enqueued_num_sub_groups(void) {
  size_t items = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
  uint most = get_max_sub_group_size();
  return (uint)((items + most - 1) / most);
}
