// SPDX-License-Identifier: Apache-2.0
// The options of a compilation that are a number or a flag, and that the compiler reads as the user gives
// them.
//
// Each option is a member of CompileOptions (<cutset/session.h>), which is copied unchanged to CompileConfig.
// passes/generate.py makes these from it: the member of CompileConfig, a check in configure(), an option of
// `cutset-opt` and of the commands of `cutset`, and an entry of docs/generated/options.md. The option has the
// name of the member, with "-" for "_". The option of a flag that is normally true begins with "no-".
#ifndef CUTSET_OPTIONS
#define CUTSET_OPTIONS

class Cutset_Option<string name> {
  string member = name;
  // The line of the option in --help.
  string summary;
  // What the option of a command does, for the page.
  string description;
}

class Cutset_Number<string name, int default, int least, int most> : Cutset_Option<name> {
  int initial = default;
  int smallest = least;
  int largest = most;
}

class Cutset_Flag<string name, bit default> : Cutset_Option<name> {
  bit initial = default;
  // Whether the commands of `cutset` have the option. `cutset-opt` has it in any case.
  bit inCommands = 1;
}

def BucketBytes : Cutset_Number<"bucket_bytes", !shl(1, 20), 0, !shl(1, 40)> {
  let summary = "bytes of gradients that are summed at once; 0: one";
  let description = "sums the gradients of replicas in buckets of this many bytes; 0: each gradient alone";
}

def MaxSpecialisations : Cutset_Number<"max_specialisations", 32, 1, !shl(1, 20)> {
  let summary = "programs that a session keeps for other shapes";
  let description = "the largest number of programs that a session keeps for shapes that differ from the "
                    "graph";
}

def Fuse : Cutset_Flag<"fuse", 1> {
  let summary = "a kernel per op";
  let description = "runs a kernel per op, also where a device computes several ops in one kernel";
}

def Gradients : Cutset_Flag<"gradients", 0> {
  let inCommands = 0;
  let summary = "@train also returns the gradient of each variable";
}

#endif
