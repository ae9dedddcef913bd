import { type DynamicModule, Module } from '@nestjs/common'

/** The only source of the current time; tests replace it with a clock that they control. */
export class Clock {
  now(): Date {
    return new Date()
  }
}

/** Whole seconds since 1970, as JWT and Stripe count time. */
export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

export function secondsAfter(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}

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
