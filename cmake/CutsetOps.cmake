# Every folder of ir/ops and ir/structural holds one op or one family of ops. From its .td, mlir-tblgen makes the MLIR classes, and
# ir/generate/generate.py makes all other generated code. No file lists the folders by hand.
file(GLOB td_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ir/ops/*/*.td ${CMAKE_SOURCE_DIR}/ir/structural/*/*.td)
set(MLIR_TABLEGEN_FLAGS -I ${CMAKE_SOURCE_DIR})
set(generated_targets)
set(op_arguments)
set(op_jsons)
set(CUTSET_OP_SOURCES ${CUTSET_GENERATED}/ir/core/op_list.cc)
set(CUTSET_REWRITE_SOURCES)

# cutset_tablegen(<.td> <output> <flag>...): the output lies under generated/, where includes find it.
function(cutset_tablegen td output)
  set(path ${CUTSET_GENERATED}/${output})
  get_filename_component(folder ${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${path}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${CMAKE_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS} ${CMAKE_SOURCE_DIR}/${td} --write-if-changed -o ${path}
    DEPENDS ${CMAKE_SOURCE_DIR}/${td} ${CMAKE_SOURCE_DIR}/ir/dialect/base.td ${CMAKE_SOURCE_DIR}/ir/dialect/interfaces.td
    COMMENT "tablegen ${output}")
  set(generated_targets ${generated_targets} ${path} PARENT_SCOPE)
endfunction()

cutset_tablegen(ir/dialect/base.td ir/dialect/dialect.h.inc -gen-dialect-decls -dialect=cutset)
cutset_tablegen(ir/dialect/base.td ir/dialect/dialect.cpp.inc -gen-dialect-defs -dialect=cutset)
cutset_tablegen(ir/dialect/interfaces.td ir/dialect/interfaces.h.inc -gen-op-interface-decls)
cutset_tablegen(ir/dialect/interfaces.td ir/dialect/interfaces.cpp.inc -gen-op-interface-defs)
cutset_tablegen(ir/dialect/attributes.td ir/dialect/attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=cutset)
cutset_tablegen(ir/dialect/attributes.td ir/dialect/attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=cutset)
cutset_tablegen(ir/structural/structural.td ir/structural/structural.h.inc -gen-op-decls)
cutset_tablegen(ir/structural/structural.td ir/structural/structural.cpp.inc -gen-op-defs)
cutset_tablegen(passes/passes.td passes/passes.h.inc -gen-pass-decls -name=Cutset)
cutset_tablegen(passes/passes.td docs/passes.md -gen-pass-doc)

set(generator ${CMAKE_SOURCE_DIR}/ir/generate/generate.py)
set(generator_files ${generator} ${CMAKE_SOURCE_DIR}/ir/generate/declarations.py)
foreach(td ${td_files})
  file(RELATIVE_PATH td ${CMAKE_SOURCE_DIR} ${td})
  get_filename_component(folder ${td} DIRECTORY)
  get_filename_component(name ${td} NAME_WE)
  cutset_tablegen(${td} ${folder}/${name}.h.inc -gen-op-decls)
  cutset_tablegen(${td} ${folder}/${name}.cpp.inc -gen-op-defs)
  set(json ${CUTSET_GENERATED}/${folder}/${name}.json)
  set(glue ${CUTSET_GENERATED}/${folder}/${name})
  add_custom_command(OUTPUT ${json}
    COMMAND ${LLVM_TBLGEN_JSON} -dump-json -I ${CMAKE_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS} ${CMAKE_SOURCE_DIR}/${td} -o ${json}
    DEPENDS ${CMAKE_SOURCE_DIR}/${td} ${CMAKE_SOURCE_DIR}/ir/dialect/base.td ${CMAKE_SOURCE_DIR}/ir/dialect/interfaces.td
    COMMENT "read ${folder}")
  add_custom_command(OUTPUT ${glue}.stamp
    BYPRODUCTS ${glue}_attrs.h ${glue}_rules.h ${glue}_info.cc ${glue}_mlir.h ${glue}_mlir.cc
    COMMAND Python3::Interpreter ${generator} folder ${json} ${folder} ${CUTSET_GENERATED}
    COMMAND ${CMAKE_COMMAND} -E touch ${glue}.stamp
    DEPENDS ${json} ${generator_files} COMMENT "generate ${folder}")
  list(APPEND generated_targets ${glue}.stamp)
  list(APPEND op_jsons ${json})
  list(APPEND op_arguments ${json}:${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
  set(rewrites ${sources})
  list(FILTER rewrites INCLUDE REGEX "_rewrite\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_rewrite\\.cc$")
  list(APPEND CUTSET_OP_SOURCES ${sources} ${glue}_info.cc)
  if(NOT rewrites)  # the op has no rewrites of its own, so a generated file compiles its MLIR classes
    set(rewrites ${glue}_mlir.cc)
  endif()
  list(APPEND CUTSET_REWRITE_SOURCES ${rewrites})
endforeach()

add_custom_command(OUTPUT ${CUTSET_GENERATED}/all.stamp
  BYPRODUCTS ${CUTSET_GENERATED}/ir/dialect/op_folders.inc ${CUTSET_GENERATED}/ir/core/op_list.cc ${CUTSET_GENERATED}/include/cutset/ops.h
             ${CUTSET_GENERATED}/frontends/cpp/ops.cc ${CUTSET_GENERATED}/docs/ops.md
  COMMAND Python3::Interpreter ${generator} all ${op_arguments} ${CUTSET_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${CUTSET_GENERATED}/all.stamp
  DEPENDS ${op_jsons} ${generator_files} COMMENT "generate the list of ops")
add_custom_target(cutset_generate DEPENDS ${generated_targets} ${CUTSET_GENERATED}/all.stamp)
