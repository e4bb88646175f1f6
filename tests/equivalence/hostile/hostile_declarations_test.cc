// SPDX-License-Identifier: Apache-2.0
// Tests programs whose declarations are wrong: the names of devices, the lists of variables and functions,
// the views, and the inputs that the session feeds. check_program refuses them before it looks at an
// instruction.
#include "tests/equivalence/hostile/lies.h"

namespace cutset::testing {
namespace {

// Returns the refusal of a program whose only device has this name.
std::string with_device(const std::string& name) {
  return refusal(compiled({}), [&](Program& p) {
    p.devices[0] = name;
    for (Function& f : p.functions) f.devices[0].device = name;
  });
}

TEST(HostileProgram, NamesOfDevicesHaveFewCharacters) {
  for (const std::string& name : {std::string("Aa_Zz-09:0"), std::string("b:7"), std::string(64, 'a') + ":0"})
    EXPECT_EQ(with_device(name), "accepted") << name;
  // These characters are next to the allowed ranges.
  for (const std::string name : {"a/:0", "a;:0", "a@:0", "a[:0", "a`:0", "a{:0", "a\xff:0"})
    EXPECT_THAT(with_device(name),
                HasSubstr("device 0 has the name '" + name + "', which is not of the form KIND:"));
  EXPECT_THAT(with_device(std::string(65, 'a') + ":0"), HasSubstr("which is not of the form KIND:NUMBER"));
}

TEST(HostileProgram, ListsThatRepeatOrLackAnEntry) {
  expect_refused(
      compiled({}),
      {{"no device", [](Program& p) { p.devices.clear(); },
        "the program has 0 devices; it must have 1 to 1024"},
       {"1025 devices", [](Program& p) { p.devices.resize(1025, "cpu:0"); },
        "the program has 1025 devices; it must have 1 to 1024"},
       {"a variable twice", [](Program& p) { p.variables.push_back(Variable(p.variables[0])); },
        "variable '.*' is listed twice"},
       {"a variable without a home", [](Program& p) { p.variables[0].homes.clear(); },
        "variable '.*' has no home"},
       {"a variable with the same home twice", [](Program& p) { p.variables[0].homes = {0, 0}; },
        "variable '.*' has two homes on one device"},
       {"pieces along a dimension that does not exist", [](Program& p) { p.variables[0].axis = 7; },
        "variable '.*' is divided into pieces that do not fit its type"},
       {"pieces without a dimension", [](Program& p) { p.variables[0].pieces = 2; },
        "variable '.*' is divided into pieces that do not fit its type"},
       {"2 pieces on one home",
        [](Program& p) {
          p.variables[0].axis = 0;
          p.variables[0].pieces = 2;
        },
        "variable '.*' is divided into pieces that do not fit its type"},
       {"no pieces",
        [](Program& p) {
          p.variables[0].axis = 0;
          p.variables[0].pieces = 0;
        },
        "variable '.*' is divided into pieces that do not fit its type"},
       {"pieces of 1000 rows",
        [](Program& p) {
          p.variables[0].axis = 0;
          p.variables[0].piece_unit = 1000;
        },
        "variable '.*' is divided into pieces that do not fit its type"},
       {"pieces of 0 rows",
        [](Program& p) {
          p.variables[0].axis = 0;
          p.variables[0].piece_unit = 0;
        },
        "variable '.*' is divided into pieces that do not fit its type"},
       {"a function twice", [](Program& p) { p.functions.push_back(Function(p.functions[0])); },
        "function '.*' is listed twice"}});
}

TEST(HostileProgram, ViewsThatDifferFromTheirBuffer) {
  auto view = [](Program& p) -> Buffer& {
    for (Buffer& b : train(p).buffers)
      if (b.view_of.is_set() && b.storage == Storage::kArena) return b;
    throw std::runtime_error("no view");
  };
  const char* const differs =
      "buffer [0-9]+: it is a view of buffer [0-9]+ and differs from it in place, size or element type";
  expect_refused(compiled({}),
                 {{"another offset", [&](Program& p) { view(p).offset += 16; }, differs},
                  {"another variable", [&](Program& p) { view(p).variable = VariableId(0); }, differs},
                  {"another constant", [&](Program& p) { view(p).constant = ConstantId(0); }, differs},
                  {"another storage", [&](Program& p) { view(p).storage = Storage::kTypeOnly; }, differs},
                  {"another size", [&](Program& p) { view(p).type.shape = {1}; }, differs},
                  {"another element type", [&](Program& p) { view(p).type.dtype = i32; }, differs}});
  expect_refused(compiled(kReplicas),
                 {{"another device", [&](Program& p) { view(p).device = 1 - view(p).device; }, differs}});
}

TEST(HostileProgram, AConstantOfAnotherDevice) {
  expect_refused(compiled(kReplicas),
                 {{"a constant of another device",
                   [](Program& p) {
                     const Buffer& b = stored(p, Storage::kConstant);
                     p.constants[b.constant].device = 1 - b.device;
                   },
                   "buffer [0-9]+: it is .* on .*:0, and constant [0-9]+ is .* on .*:0"}});
}

TEST(HostileProgram, InputsThatTheSessionCannotFeed) {
  auto fed = [](const TensorType& type, Feed feed) {
    return refusal(compiled({}), [&](Program& p) { train(p).inputs.push_back({"new", type, feed}); });
  };
  EXPECT_EQ(fed({DType::i64, {}}, Feed::kStep), "accepted");
  EXPECT_EQ(fed({f32, {}}, Feed::kHyperParameter), "accepted");
  EXPECT_EQ(fed({f64, {}}, Feed::kHyperParameter), "accepted");
  const char *const step = "and the session feeds the step number as a scalar of i64",
                    *const rate =
                        "and the session feeds hyper-parameters as scalars of a floating-point type";
  EXPECT_THAT(fed({i32, {}}, Feed::kStep), HasSubstr(std::string("input 'new' is i32, ") + step));
  EXPECT_THAT(fed({DType::i64, {2}}, Feed::kStep), HasSubstr(std::string("input 'new' is 2xi64, ") + step));
  EXPECT_THAT(fed({i32, {}}, Feed::kHyperParameter), HasSubstr(std::string("input 'new' is i32, ") + rate));
  EXPECT_THAT(fed({f32, {2}}, Feed::kHyperParameter),
              HasSubstr(std::string("input 'new' is 2xf32, ") + rate));
}

}  // namespace
}  // namespace cutset::testing
