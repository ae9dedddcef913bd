/** Servers of pages, by the origin that they stand for. */
export interface Pages {
  readonly ports: Readonly<Record<string, number>>
  stop(): Promise<void>
}

/** Several as one; where two have an origin, the later. */
export async function together(...starting: readonly Promise<Pages>[]): Promise<Pages> {
  const all = await Promise.all(starting)
  return {
    ports: Object.assign({}, ...all.map(({ ports }) => ports)),
    stop: async () => void (await Promise.all(all.map(pages => pages.stop()))),
  }
}
