# SPDX-License-Identifier: Apache-2.0
# Every folder of ir/ops and ir/structural holds one op or one family of ops. From its .td, mlir-tblgen makes
# the MLIR classes, and ir/generate/generate.py makes all other generated code. No file lists the folders by
# hand. This file also generates the code of the dialect and of the passes, and the pages of docs/generated.
include(CutsetOpFolders)
set(CUTSET_TD_INCLUDES ${CMAKE_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
set(CUTSET_GENERATOR ${CMAKE_SOURCE_DIR}/ir/generate/generate.py)
set(generated_targets)
set(op_arguments)
set(op_jsons)
set(op_sources)
set(op_tables)
set(op_rewrites)

foreach(made
    "ir/dialect/base.td ir/dialect/dialect.h.inc -gen-dialect-decls -dialect=cutset"
    "ir/dialect/base.td ir/dialect/dialect.cpp.inc -gen-dialect-defs -dialect=cutset"
    "ir/dialect/interfaces.td ir/dialect/interfaces.h.inc -gen-op-interface-decls"
    "ir/dialect/interfaces.td ir/dialect/interfaces.cpp.inc -gen-op-interface-defs"
    "ir/dialect/attributes.td ir/dialect/attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=cutset"
    "ir/dialect/attributes.td ir/dialect/attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=cutset"
    "ir/structural/structural.td ir/structural/structural.h.inc -gen-op-decls"
    "ir/structural/structural.td ir/structural/structural.cpp.inc -gen-op-defs"
    "passes/passes.td passes/passes.h.inc -gen-pass-decls -name=Cutset"
    "passes/passes.td docs/passes.md -gen-pass-doc")
  separate_arguments(made UNIX_COMMAND "${made}")
  list(POP_FRONT made td output)
  cutset_tablegen(${CMAKE_SOURCE_DIR} ${td} ${CUTSET_GENERATED} ${output} ${made})
endforeach()

# The declarations of the passes, and the options of the compilation.
set(pass_jsons)
foreach(name passes options)
  list(TRANSFORM CUTSET_TD_INCLUDES PREPEND -I OUTPUT_VARIABLE includes)
  set(json ${CUTSET_GENERATED}/passes/${name}.json)
  add_custom_command(OUTPUT ${json}
    COMMAND ${LLVM_TBLGEN_JSON} -dump-json ${includes} ${CMAKE_SOURCE_DIR}/passes/${name}.td -o ${json}
    DEPENDS ${CMAKE_SOURCE_DIR}/passes/${name}.td COMMENT "read passes/${name}.td")
  list(APPEND pass_jsons ${json})
endforeach()
add_custom_command(OUTPUT ${CUTSET_GENERATED}/passes.stamp
  BYPRODUCTS ${CUTSET_GENERATED}/passes/create_passes.inc ${CUTSET_GENERATED}/passes/copied_options.inc
             ${CUTSET_GENERATED}/docs/options.md
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/passes/generate.py ${pass_jsons} ${CUTSET_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${CUTSET_GENERATED}/passes.stamp
  DEPENDS ${pass_jsons} ${CMAKE_SOURCE_DIR}/passes/generate.py COMMENT "generate passes and options")

file(GLOB td_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ir/ops/*/*.td ir/structural/*/*.td)
foreach(td ${td_files})
  cutset_op_folder(${CMAKE_SOURCE_DIR} ${td} ${CUTSET_GENERATED})
endforeach()
set(CUTSET_OP_SOURCES ${CUTSET_GENERATED}/ir/core/op_list.cc ${op_sources} ${op_tables})
set(CUTSET_REWRITE_SOURCES ${op_rewrites})

add_custom_command(OUTPUT ${CUTSET_GENERATED}/all.stamp
  BYPRODUCTS ${CUTSET_GENERATED}/ir/dialect/op_folders.inc ${CUTSET_GENERATED}/ir/core/op_list.cc
  ${CUTSET_GENERATED}/include/cutset/ops.h ${CUTSET_GENERATED}/include/cutset/optimizer_structs.h
  ${CUTSET_GENERATED}/frontends/cpp/ops.cc ${CUTSET_GENERATED}/frontends/cpp/graph/optimizer_conversions.cc
  ${CUTSET_GENERATED}/docs/ops.md
  COMMAND Python3::Interpreter ${CUTSET_GENERATOR} all ${op_arguments} ${CUTSET_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${CUTSET_GENERATED}/all.stamp
  DEPENDS ${op_jsons} ${CUTSET_GENERATOR} ${CMAKE_SOURCE_DIR}/ir/generate/builders.py
  ${CMAKE_SOURCE_DIR}/ir/generate/declarations.py ${CMAKE_SOURCE_DIR}/ir/generate/optimizers.py COMMENT
  "generate the list of ops")

# The build also writes the generated pages to docs/generated, where they are read without a build. They are
# written only if they differ.
set(pages)
foreach(page ops options passes)
  list(APPEND pages ${CUTSET_GENERATED}/docs/${page}.md)
endforeach()
add_custom_command(OUTPUT ${CUTSET_GENERATED}/pages.stamp
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_SOURCE_DIR}/docs/generated
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${pages} ${CMAKE_SOURCE_DIR}/docs/generated
  COMMAND ${CMAKE_COMMAND} -E touch ${CUTSET_GENERATED}/pages.stamp
  DEPENDS ${generated_targets} ${CUTSET_GENERATED}/all.stamp ${CUTSET_GENERATED}/passes.stamp
  COMMENT "write docs/generated")
add_custom_target(cutset_generate DEPENDS ${generated_targets} ${CUTSET_GENERATED}/all.stamp
  ${CUTSET_GENERATED}/passes.stamp ${CUTSET_GENERATED}/pages.stamp)
