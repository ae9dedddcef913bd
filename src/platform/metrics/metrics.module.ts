// What was decided here, and why: docs/decisions/operations.md
import { type DynamicModule, Module } from '@nestjs/common'
import { Metrics } from './metrics.js'
import { MetricsServer } from './metrics-server.js'

/** Makes the metrics of one service injectable everywhere in it. */
@Module({})
export class MetricsModule {
  static with(metrics: Metrics): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      providers: [{ provide: Metrics, useValue: metrics }, MetricsServer],
      exports: [Metrics],
    }
  }
}
