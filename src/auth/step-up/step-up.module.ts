// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { FactorsModule } from '../../factors/factors.module.js'
import { StepUp } from './step-up.js'

@Module({ imports: [FactorsModule], providers: [StepUp], exports: [StepUp] })
export class StepUpModule {}
