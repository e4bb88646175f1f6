#include <memory>

#include "frontends/cli/training.h"

namespace cutset::cli {

void add_train(CLI::App& app) {
  auto o = std::make_shared<TrainingOptions>();
  CLI::App* command = app.add_subcommand(
      "train", "train a built-in model on Fashion-MNIST; several --devices are compared in one table");
  o->common.add_to(*command);
  command->add_option("--epochs", o->epochs, "passes over the training set")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  command->add_option("--steps", o->steps, "stop after so many steps instead")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_option("--learning-rate", o->learning_rate, "of SGD")->capture_default_str();
  command->add_option("--momentum", o->momentum, "of SGD")->capture_default_str();
  command->add_option("--data", o->data, "folder of the four IDX files, plain or .gz")->envname("CUTSET_DATA");
  command->add_option("--init", o->init, "safetensors file of initial variables");
  command->add_option("--order", o->order, "file of sample numbers: the order of every epoch");
  command->add_option("--save", o->save, "write the variables there (safetensors) at the end, or when a step fails");
  command->add_option("--trace", o->trace, "write what ran when in steps 2 to 6 there, for ui.perfetto.dev");
  command->add_flag("!--no-evaluate", o->evaluate, "skip the test set");
  command->callback([o] {
    std::vector<TrainingResult> results;
    for (const std::string& devices : o->common.devices) results.push_back(train(*o, devices));
    if (o->common.json != "-") write_text("-", comparison(results, o->common.batch));
    if (o->common.json.empty()) return;
    nlohmann::json j = results.size() == 1 ? results[0].json(*o) : nlohmann::json::array();
    if (results.size() > 1)
      for (const TrainingResult& r : results) j.push_back(r.json(*o));
    write_text(o->common.json, j.dump(1) + "\n");
  });
}

}  // namespace cutset::cli
