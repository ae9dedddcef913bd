// What was decided here, and why: docs/decisions/satellites.md
import { Module } from '@nestjs/common'
import { RegisteredSatellites } from './registered-satellites.js'

@Module({ providers: [RegisteredSatellites], exports: [RegisteredSatellites] })
export class SatelliteRegistryModule {}
