set(CUTSET_DEVICE_KIND reference)
