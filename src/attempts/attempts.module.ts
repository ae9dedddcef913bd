import { Module } from '@nestjs/common'
import { AttemptLimits } from './attempt-limits.js'

@Module({ providers: [AttemptLimits], exports: [AttemptLimits] })
export class AttemptsModule {}
