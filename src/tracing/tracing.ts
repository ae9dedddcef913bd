/** Makes a span of `work`, within that of the request that it is done for. */
export type SpanMaker = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Shows where the time of a request goes; without a {@link SpanMaker} it does nothing. */
export class Tracing {
  constructor(
    private readonly makeSpan: SpanMaker | null = null,
    private readonly end: () => Promise<void> = async () => {},
  ) {}

  /** For code that even a call is too much for. */
  get isOn(): boolean {
    return this.makeSpan !== null
  }

  /** The result of `work`. Names have neither identifiers nor addresses. */
  span<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.makeSpan ? this.makeSpan(name, work) : work()
  }

  /** Sends what has not been sent yet. */
  onApplicationShutdown(): Promise<void> {
    return this.end()
  }
}
