# SPDX-License-Identifier: Apache-2.0
# The tests of GoogleTest that take long: suites of equality, gradients, losses, models, optimizers, other
# sizes and 16 bits.
set(CUTSET_SLOW_TESTS
  */Equality.* *Gradient* *TwoRuns* *TwentyShuffles* *SpecialValues* *MissingWaits* *Mutants* *UserModel*
  */Losses.* Losses/* LossesInDouble.* SplitLosses.* *BuiltInModels* */Models.* Models.* *DeadDevice*
  *ExportedOps* *Spectra* *GridSampling* *RoiAligning* *DeformableConvolution* *Optimizers*
  EditedSchedules.* ExactPacking.EndsByALimit* *SixteenBits* *OtherSizes* *LastBatches*)
