import { type DynamicModule, Module } from '@nestjs/common'
import { Clock } from './clock.js'

/** Makes the clock injectable everywhere. */
@Module({})
export class ClockModule {
  static with(clock: Clock): DynamicModule {
    return {
      module: ClockModule,
      global: true,
      providers: [{ provide: Clock, useValue: clock }],
      exports: [Clock],
    }
  }
}
