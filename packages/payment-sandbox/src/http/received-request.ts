import type { IncomingMessage } from 'node:http'

/** A request with its whole body. */
export interface ReceivedRequest {
  method: string
  path: string
  /** The part after the `?`, still encoded. */
  query: string
  body: string
  headers: IncomingMessage['headers']
}

// Far more than any form needs; stops runaway bodies.
const MAX_BODY_BYTES = 1_000_000

/** Reads the whole request; rejects when it is cut off or is over 1 MB. */
export async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('The request body is over 1 MB')
    chunks.push(chunk)
  }
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  const body = Buffer.concat(chunks).toString('utf8')
  return { method: request.method ?? 'GET', path, query, body, headers: request.headers }
}
