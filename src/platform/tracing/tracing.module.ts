import { type DynamicModule, Module } from '@nestjs/common'
import { Tracing } from './tracing.js'

/** Makes the tracing of one service injectable everywhere in it. */
@Module({})
export class TracingModule {
  static with(tracing: Tracing): DynamicModule {
    return {
      module: TracingModule,
      global: true,
      providers: [{ provide: Tracing, useValue: tracing }],
      exports: [Tracing],
    }
  }
}
