# SPDX-License-Identifier: Apache-2.0
set(CUTSET_DEVICE_KIND sim)
