# SPDX-License-Identifier: Apache-2.0
# cutset_add_op_library(NAME FOLDER...) builds an op library from op folders, which lie below the calling
# CMakeLists.txt (docs/howto/add-op-library.md). It makes the targets
#   cutset_ops_NAME            libcutset_ops_NAME.so, to which programs are linked; its header is <NAME/ops.h>
#   cutset_ops_NAME_compiler   libcutset_ops_NAME_compiler.so, which the compiler loads from the same folder
# and NAME_ops.md, the documentation of the ops, in the build folder. It needs the CMake packages of LLVM and
# MLIR.
include(${CMAKE_CURRENT_LIST_DIR}/CutsetOpFolders.cmake)
set(CUTSET_PACKAGE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# A macro, because find_package must define the variables and targets for the caller.
macro(cutset_find_mlir)
  if(NOT TARGET cutset::cutset_compiler)
    enable_language(C)  # LLVM's package tests the C compiler
    find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    find_program(LLVM_TBLGEN_JSON llvm-tblgen-22 HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
    include(${CUTSET_PACKAGE_FOLDER}/cutset-compiler-targets.cmake)
  endif()
endmacro()

function(cutset_add_op_library name)
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$" OR name STREQUAL "cutset")
    message(FATAL_ERROR
      "cutset_add_op_library: '${name}' is the name of a folder of headers and of a namespace, so it must consist of small letters, digits and '_', and not be 'cutset'")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "cutset_add_op_library(${name}): no op folder is named")
  endif()
  cutset_find_mlir()
  get_target_property(core cutset::cutset_runtime INTERFACE_INCLUDE_DIRECTORIES)
  list(FILTER core INCLUDE REGEX "cutset-core$")
  set(CUTSET_TD_INCLUDES ${core} ${MLIR_INCLUDE_DIRS})
  set(CUTSET_GENERATOR ${core}/ir/generate/generate.py)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/cutset_ops_${name}.generated)
  foreach(list generated_targets op_arguments op_jsons op_sources op_tables op_rewrites)
    set(${list})
  endforeach()
  foreach(folder ${ARGN})
    file(GLOB td CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
      ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.td)
    list(LENGTH td count)
    if(NOT count EQUAL 1)
      message(FATAL_ERROR
        "cutset_add_op_library(${name}): the folder '${folder}' has ${count} .td files instead of one")
    endif()
    cutset_op_folder(${CMAKE_CURRENT_SOURCE_DIR} ${td} ${generated})
  endforeach()
  set(list_files ${generated}/library.cc ${generated}/compiler.cc ${generated}/ops.cc
    ${generated}/include/${name}/ops.h)
  add_custom_command(OUTPUT ${generated}/all.stamp
    BYPRODUCTS ${list_files} ${generated}/ops.md
    COMMAND Python3::Interpreter ${CUTSET_GENERATOR} library ${name} ${op_arguments} ${generated}
    COMMAND ${CMAKE_COMMAND} -E copy ${generated}/ops.md ${CMAKE_CURRENT_BINARY_DIR}/${name}_ops.md
    COMMAND ${CMAKE_COMMAND} -E touch ${generated}/all.stamp
    DEPENDS ${op_jsons} ${CUTSET_GENERATOR} COMMENT "generate the list of ops of ${name}")
  add_custom_target(cutset_ops_${name}_generate DEPENDS ${generated_targets} ${generated}/all.stamp)

  # library.cc includes the tables of the ops.
  add_library(cutset_ops_${name} SHARED ${op_sources} ${generated}/library.cc ${generated}/ops.cc)
  # As in Cutset itself, a reference kernel must not contract its operations to fused multiply-adds.
  set_source_files_properties(${op_sources} PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off")
  target_include_directories(cutset_ops_${name} PRIVATE ${generated} ${CMAKE_CURRENT_SOURCE_DIR} PUBLIC
    ${generated}/include)
  target_link_libraries(cutset_ops_${name} PUBLIC cutset::cutset)
  target_compile_definitions(cutset_ops_${name} PRIVATE CUTSET_VERSION="${cutset_VERSION}")
  # Another library may have an op with the same name. That library is refused when it registers. Until then,
  # it must not share objects with this library.
  target_link_options(cutset_ops_${name} PRIVATE -Wl,-Bsymbolic)
  # A program may need the ops without calling a function of the library by name.
  target_link_options(cutset_ops_${name} INTERFACE -Wl,--no-as-needed)
  add_dependencies(cutset_ops_${name} cutset_ops_${name}_generate)

  add_library(cutset_ops_${name}_compiler MODULE ${op_rewrites} ${generated}/compiler.cc)
  target_include_directories(cutset_ops_${name}_compiler PRIVATE ${generated} ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(cutset_ops_${name}_compiler SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS}
    ${LLVM_INCLUDE_DIRS})
  target_link_libraries(cutset_ops_${name}_compiler PRIVATE cutset_ops_${name} cutset::cutset_compiler)
  add_dependencies(cutset_ops_${name}_compiler cutset_ops_${name}_generate)
  # The compiler's part is in the folder of the library, and an installation must put both into one folder.
  set_target_properties(cutset_ops_${name} cutset_ops_${name}_compiler PROPERTIES CXX_STANDARD 20
    CXX_STANDARD_REQUIRED ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
