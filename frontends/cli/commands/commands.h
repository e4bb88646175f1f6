// SPDX-License-Identifier: Apache-2.0
// The commands of `cutset`. A new command is a file in this folder, with a declaration and a row here.
#pragma once
#include <CLI/CLI.hpp>

namespace cutset::cli {

// Each function adds its command to `app` and returns it. The callback of the command does the work and
// throws cutset::Error.
CLI::App* add_train(CLI::App& app);
CLI::App* add_verify(CLI::App& app);
CLI::App* add_compile(CLI::App& app);
CLI::App* add_export(CLI::App& app);
CLI::App* add_run(CLI::App& app);
CLI::App* add_benchmark(CLI::App& app);
CLI::App* add_explain(CLI::App& app);
CLI::App* add_plan(CLI::App& app);
CLI::App* add_solve(CLI::App& app);
CLI::App* add_dump(CLI::App& app);
CLI::App* add_devices(CLI::App& app);
CLI::App* add_ops(CLI::App& app);
// Add the commands of `cutset solve`.
void add_solve_memory(CLI::App& solve);
void add_solve_schedule(CLI::App& solve);

struct Command {
  CLI::App* (*add)(CLI::App& app);
  const char* group;  // the heading of the command in --help
};

// The commands in the order of --help.
inline constexpr Command kCommands[] = {
    {add_train, "Train and check"}, {add_verify, "Train and check"}, {add_compile, "Save and run"},
    {add_export, "Save and run"},   {add_run, "Save and run"},       {add_benchmark, "Save and run"},
    {add_explain, "Look inside"},   {add_plan, "Look inside"},       {add_solve, "Look inside"},
    {add_dump, "Look inside"},      {add_devices, "This machine"},   {add_ops, "This machine"},
};

}  // namespace cutset::cli
