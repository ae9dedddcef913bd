// What was decided here, and why: docs/decisions/satellites.md
import { Module } from '@nestjs/common'
import { OriginPolicy } from './origin-policy.js'
import { Satellites } from './satellites.js'

@Module({ providers: [Satellites, OriginPolicy], exports: [Satellites, OriginPolicy] })
export class SatellitesModule {}
