/** As long as the client waits for an answer, and then for each part of its body. */
export const PATIENCE_MS = 20_000

/**
 * The whole body, however long it takes; empty where there is none. Fails with a `TimeoutError` when it stalls for as
 * long as `patienceMs`.
 */
export async function bodyOf({ body, headers }: Response, patienceMs = PATIENCE_MS): Promise<Blob> {
  const reader = body?.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (;;) {
    const part = reader && (await inTime(reader.read(), patienceMs, () => reader.cancel().catch(() => {})))
    if (!part || part.done) return new Blob(parts, { type: headers.get('Content-Type') ?? '' })
    parts.push(part.value)
  }
}

/** The JSON of a body, or null where there is none. Throws like {@link bodyOf}. */
export async function jsonIn<T>(answer: Response): Promise<T> {
  const text = await (await bodyOf(answer)).text()
  return (text ? JSON.parse(text) : null) as T
}

function inTime<T>(work: Promise<T>, patienceMs: number, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DOMException('Stalled', 'TimeoutError'))
      giveUp()
    }, patienceMs)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
