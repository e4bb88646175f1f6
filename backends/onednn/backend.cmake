# SPDX-License-Identifier: Apache-2.0
# The backend needs oneDNN 3.2 or newer. oneDNN comes from the wheel that third_party/setup.sh unpacks, or
# from the build that -Ddnnl_DIR names.
set(CUTSET_DEVICE_KIND cpu)
find_package(dnnl 3.2 CONFIG QUIET HINTS ${CUTSET_DEPS}/onednn/lib/cmake/dnnl)
find_library(CUTSET_GOMP NAMES libgomp.so.1 gomp)
if(NOT dnnl_FOUND)
  set(CUTSET_BACKEND_MISSING "oneDNN 3.2 was not found; run third_party/setup.sh")
elseif(NOT CUTSET_GOMP)
  set(CUTSET_BACKEND_MISSING "libgomp was not found; run third_party/setup.sh")
else()
  set(CUTSET_BACKEND_LIBRARIES DNNL::dnnl ${CUTSET_GOMP})
  # The folder of the built backend gets symbolic links to oneDNN's library in the wheel. As in an
  # installation, both are then in the same folder, and RUNPATH names no folder of the source tree.
  file(GLOB dnnl_files ${CUTSET_DEPS}/onednn/lib/libdnnl.so.*)
  file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  foreach(file ${dnnl_files})
    get_filename_component(name ${file} NAME)
    file(CREATE_LINK ${file} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${name} SYMBOLIC)
  endforeach()
endif()
set(CUTSET_BACKEND_OPTIONS ${CUTSET_LOOP_OPTIMIZATION})
