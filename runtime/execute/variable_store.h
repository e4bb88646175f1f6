// SPDX-License-Identifier: Apache-2.0
// The variables of a session on its devices. They outlive the programs that use them.
//
// One host thread at a time may use a VariableStore, and not while a step runs.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/execute/health.h"
#include "runtime/files/host_tensor.h"
#include "runtime/program/program.h"

namespace cutset {

class VariableStore {
 public:
  VariableStore(Devices& devices, Health& health) : devices_(devices), health_(health) {}

  // Allocates memory for those variables that do not exist yet; their values are undefined until they are
  // written. `names` are the names of the devices that Variable::homes refers to. Fails if a variable exists
  // with another type or other homes.
  Status declare(const std::vector<Variable>& variables, const std::vector<std::string>& names);
  // mark() remembers which variables exist; take_back() removes all that were created since. They undo the
  // loading of a program that has failed.
  struct Mark {
    std::vector<Handles::Mark> devices;
    size_t variables;
  };
  Mark mark() const;
  void take_back(const Mark& mark);
  // Returns the memory of the variable, or of its piece, on a device. Fails if the device is not a home of
  // the variable.
  Result<cutset_slice> slice(const std::string& name, size_t device) const;
  // Writes all copies of a variable. If a device fails, the variables are unusable afterwards (Health::tear).
  Status write(const std::string& name, const HostTensor& value);
  // Reads one copy of a variable, in the order of Variable::homes, and joins its pieces.
  Result<HostTensor> read(const std::string& name, size_t copy = 0) const;
  // Returns the number of copies of a variable; 0 if it does not exist.
  size_t copies(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  struct Copy {
    size_t device;
    cutset_slice slice;
  };
  // A variable with what its homes hold.
  struct Held {
    Variable variable;
    std::vector<Copy> homes;
  };
  Failure unknown(const std::string& name) const;

  Devices& devices_;
  Health& health_;
  std::map<std::string, Held> variables_;
  std::vector<std::string> declared_;  // the names of the variables in the order of their declaration
};

}  // namespace cutset
