// SPDX-License-Identifier: Apache-2.0
// The driver of all fuzzers: it parses the arguments, runs cases in child processes with limits of time and
// memory, and reports counts.
//
//   PROGRAM [--seconds N | --executions N] [--seed S] [--case SEED] [--work DIRECTORY]
//
// A case is a pure function of its seed. Each child process runs 100 cases. A crash, a hang or too much
// memory ends one child and is reported with the seed of the case. `--case SEED` runs one case in the calling
// process, for example under a debugger. The exit code is 0 without a finding, 1 with one, and 2 for wrong
// arguments.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/sanitized/sanitizers.h"

namespace cutset::fuzz {

struct Fuzzer {
  const char* name;
  // Creates the inputs that cases mutate, as files in the directory. It runs once, in a process of its own,
  // so that its threads do not exist when child processes are forked. May be empty.
  std::function<void(const std::string& directory)> prepare;
  // Reads the files of `prepare`. It runs once, in the process that forks the children, and must not start a
  // thread.
  std::function<void(const std::string& directory)> open;
  // Runs one case. Returns its outcome in a few words ("refused", "ran"), which the report counts. An
  // exception is a finding. With `verbose` it prints to standard error what it does.
  std::function<std::string(uint64_t seed, const std::string& directory, bool verbose)> run;
  unsigned seconds_per_case = 10;             // a case that takes longer counts as a hang
  uint64_t memory_bytes = uint64_t{2} << 30;  // the address space of a child; not used with AddressSanitizer
};

namespace internal {

constexpr size_t kOutcomes = 32;
// Memory that the children write and the parent reads, also after a child has crashed.
struct Shared {
  volatile uint64_t seed, done;
  struct {
    char name[56];
    uint64_t count;
  } outcomes[kOutcomes];
  char thrown[256];

  void count(const std::string& outcome) {
    for (auto& o : outcomes) {
      if (!o.name[0]) std::snprintf(o.name, sizeof o.name, "%s", outcome.c_str());
      if (std::strncmp(o.name, outcome.c_str(), sizeof o.name - 1) != 0) continue;
      ++o.count;
      return;
    }
  }
};

inline std::string why_ended(int status, const Shared& shared) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "hang" : "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 99 ? std::string("exception: ") + shared.thrown
                                   : "exit " + std::to_string(WEXITSTATUS(status));
}

}  // namespace internal

// The main function of a fuzzer.
inline int drive(int argc, char** argv, const Fuzzer& fuzzer) {
  using namespace internal;
  uint64_t seconds = 60, executions = 0, seed = 1, one = 0;
  bool alone = false;
  std::string work;
  for (int a = 1; a < argc; ++a) {
    const std::string option = argv[a];
    const char* value = a + 1 < argc ? argv[++a] : nullptr;
    char* end = nullptr;
    const uint64_t number = value ? std::strtoull(value, &end, 10) : 0;
    const bool is_number = value && *value && !*end;
    if (option == "--work" && value)
      work = value;
    else if (option == "--seconds" && is_number) {
      seconds = number;
      executions = 0;
    } else if (option == "--executions" && is_number)
      executions = number;
    else if (option == "--seed" && is_number)
      seed = number;
    else if (option == "--case" && is_number) {
      one = number;
      alone = true;
    } else {
      std::fprintf(
          stderr,
          "usage: %s [--seconds N | --executions N] [--seed S] [--case SEED] [--work DIRECTORY]\n"
          "Runs cases SEED, SEED + 1, ... and reports those that crash, hang or take too much memory.\n",
          argv[0]);
      return 2;
    }
  }
  const bool own = work.empty();
  if (own)
    work = (std::filesystem::temp_directory_path() / ("cutset-fuzz-" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(work);
  if (fuzzer.prepare) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        fuzzer.prepare(work);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: cannot create the inputs of the cases: %s\n", fuzzer.name, e.what());
        _exit(1);
      }
      std::_Exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  if (fuzzer.open) fuzzer.open(work);
  if (alone) {
    std::printf("case %llu: %s\n", static_cast<unsigned long long>(one), fuzzer.run(one, work, true).c_str());
    if (own) std::filesystem::remove_all(work);
    return 0;
  }
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return 1;
  std::map<std::string, std::vector<uint64_t>> findings;
  // The time to make the inputs of the cases does not count.
  const auto started = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  const uint64_t limit = executions ? seed + executions : UINT64_MAX;
  for (uint64_t at = seed; at < limit && (executions || elapsed() < static_cast<double>(seconds));) {
    const uint64_t end = limit - at < 100 ? limit : at + 100;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      if (!testing::has_address_sanitizer()) {  // it maps more memory than that, and its report is on
                                                // standard error
        const rlimit memory{fuzzer.memory_bytes, fuzzer.memory_bytes};
        setrlimit(RLIMIT_AS, &memory);
        if (!std::freopen("/dev/null", "w", stderr)) _exit(98);
      }
      for (uint64_t s = at; s < end; ++s) {
        shared->seed = s;
        alarm(fuzzer.seconds_per_case);
        try {
          shared->count(fuzzer.run(s, work, false));
        } catch (const std::exception& e) {
          std::snprintf(shared->thrown, sizeof shared->thrown, "%s", e.what());
          _exit(99);
        }
        shared->done = shared->done + 1;
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) {
      at = end;
      continue;
    }
    findings[why_ended(status, *shared)].push_back(uint64_t{shared->seed});
    shared->done = shared->done + 1;
    at = shared->seed + 1;
  }
  std::printf("%s: %llu executions from seed %llu in %.0f s\n", fuzzer.name,
              static_cast<unsigned long long>(shared->done), static_cast<unsigned long long>(seed),
              elapsed());
  for (const auto& o : shared->outcomes)
    if (o.name[0]) std::printf("  %s: %llu\n", o.name, static_cast<unsigned long long>(o.count));
  for (const auto& [kind, seeds] : findings) {
    std::printf("FINDING %s, %zu times; run one again with --case and a seed of:", kind.c_str(),
                seeds.size());
    for (size_t i = 0; i < seeds.size() && i < 20; ++i)
      std::printf(" %llu", static_cast<unsigned long long>(seeds[i]));
    std::printf("\n");
  }
  if (own) std::filesystem::remove_all(work);
  return findings.empty() ? 0 : 1;
}

}  // namespace cutset::fuzz
