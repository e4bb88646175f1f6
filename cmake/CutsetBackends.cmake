# SPDX-License-Identifier: Apache-2.0
# Every folder of backends/ with a file backend.cc is a backend: a shared library that is loaded at run time.
# The folder may contain a file backend.cmake, which finds the vendor's library and sets these variables:
# - CUTSET_DEVICE_KIND is the kind of the devices.
# - CUTSET_BACKEND_MISSING is the reason if the vendor's library is missing.
# - CUTSET_BACKEND_SOURCES holds source files of subfolders.
# - CUTSET_BACKEND_PORTABLE_KERNELS adds the kernels of backends/portable to the backend.
#
# The kind is part of the backend's file name, so the runtime finds the backend of a kind without loading any
# vendor library.

# Writes generated/FOLDER/kernel_list.inc, which lists the kernel files of the folder, so that a new kernel
# file is registered without another edit.
function(cutset_kernel_list folder)
  file(GLOB kernel_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/kernels/*.cc)
  set(kernel_list "")
  foreach(file ${kernel_files})
    get_filename_component(name ${file} NAME_WE)
    string(APPEND kernel_list "KERNELS(${name})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CUTSET_GENERATED}/${folder}/kernel_list.inc CONTENT "${kernel_list}" @ONLY)
endfunction()

file(GLOB portable_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/backends/portable/*.cc
  ${CMAKE_SOURCE_DIR}/backends/portable/kernels/*.cc)
list(FILTER portable_sources EXCLUDE REGEX "_test\\.cc$")
cutset_kernel_list(backends/portable)
add_library(cutset_portable_kernels OBJECT ${portable_sources})
target_link_libraries(cutset_portable_kernels PRIVATE cutset_runtime)
cutset_precompile_headers(cutset_portable_kernels)
cutset_unity(cutset_portable_kernels)
set_target_properties(cutset_portable_kernels PROPERTIES CXX_VISIBILITY_PRESET hidden)
add_dependencies(cutset_portable_kernels cutset_generate)

file(GLOB backend_folders CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/backends backends/*)
foreach(backend ${backend_folders})
  set(folder ${CMAKE_SOURCE_DIR}/backends/${backend})
  if(NOT EXISTS ${folder}/backend.cc)
    continue()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc ${folder}/kernels/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set(CUTSET_BACKEND_MISSING "")
  set(CUTSET_BACKEND_LIBRARIES "")
  set(CUTSET_BACKEND_OPTIONS "")
  set(CUTSET_BACKEND_PORTABLE_KERNELS OFF)
  set(CUTSET_BACKEND_SOURCES "")
  set(CUTSET_DEVICE_KIND ${backend})
  include(${folder}/backend.cmake OPTIONAL)
  if(CUTSET_BACKEND_MISSING)
    message(STATUS "backend ${backend}: not built, ${CUTSET_BACKEND_MISSING}")
    continue()
  endif()
  cutset_kernel_list(backends/${backend})
  add_library(cutset_backend_${backend} MODULE ${sources} ${CUTSET_BACKEND_SOURCES})
  target_compile_options(cutset_backend_${backend} PRIVATE ${CUTSET_BACKEND_OPTIONS})
  cutset_precompile_headers(cutset_backend_${backend})
  cutset_unity(cutset_backend_${backend})
  target_link_libraries(cutset_backend_${backend} PRIVATE cutset_runtime ${CUTSET_BACKEND_LIBRARIES})
  if(CUTSET_BACKEND_PORTABLE_KERNELS)
    target_link_libraries(cutset_backend_${backend} PRIVATE cutset_portable_kernels)
  endif()
  set_target_properties(cutset_backend_${backend} PROPERTIES CXX_VISIBILITY_PRESET hidden OUTPUT_NAME
    cutset_device_${CUTSET_DEVICE_KIND})
  add_dependencies(cutset_backend_${backend} cutset_generate)
  list(APPEND CUTSET_BACKENDS cutset_backend_${backend})
endforeach()
add_custom_target(cutset_backends DEPENDS ${CUTSET_BACKENDS})
