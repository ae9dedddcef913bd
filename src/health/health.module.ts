import { Module } from '@nestjs/common'
import { SessionsModule } from '../sessions/sessions.module.js'
import { HealthController, Readiness } from './health.controller.js'
import { PartsMonitor } from './parts-monitor.js'

@Module({
  imports: [SessionsModule],
  controllers: [HealthController],
  providers: [Readiness, PartsMonitor],
  exports: [Readiness, PartsMonitor],
})
export class HealthModule {}
