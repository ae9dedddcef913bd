/** Servers of pages, by the origin that they stand for. */
export interface Pages {
  readonly ports: Readonly<Record<string, number>>
  stop(): Promise<void>
}
