// SPDX-License-Identifier: Apache-2.0
// The builders of the models, one file per family.
#pragma once
#include "frontends/models/models.h"

namespace cutset::models {

Graph alexnet(const Settings&);
Graph bert(const Settings&);
Graph inception_v1(const Settings&);
Graph lenet(const Settings&);
Graph lenet_smooth(const Settings&);
Graph lstm(const Settings&);
Graph mlp(const Settings&);
Graph mobilenet_v2(const Settings&);
Graph resnet18(const Settings&);
Graph resnet50(const Settings&);
Graph transformer(const Settings&);
Graph vgg16(const Settings&);
Graph youtube(const Settings&);

}  // namespace cutset::models
