import { type DynamicModule, Module } from '@nestjs/common'

/** Runs `work` in a span, within that of the request that it is done for. */
export type SpanMaker = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Shows where the time of a request goes; does nothing without a {@link SpanMaker}. */
export class Tracing {
  /** Whether spans are made. Code that runs for most requests asks first, which saves their names. */
  readonly isOn: boolean

  constructor(
    private readonly makeSpan: SpanMaker | null = null,
    private readonly end: () => Promise<void> = async () => {},
  ) {
    this.isOn = makeSpan !== null
  }

  /** Returns the result of `work`. Names must contain neither identifiers nor addresses. */
  span<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.makeSpan ? this.makeSpan(name, work) : work()
  }

  /** Sends what has not been sent yet. */
  onApplicationShutdown(): Promise<void> {
    return this.end()
  }
}

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
