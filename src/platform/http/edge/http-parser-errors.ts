import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode } from '../../errors/api-error.js'
import { PROBLEM_CONTENT_TYPE, problemOf } from '../../errors/problem.filter.js'
import { LINGER_MS } from './limits.js'
import { HEADERS_OF_ANY_HOST, type ResponseObserver } from './responses.js'

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what Node's parser refused before there was a request, and closes the connection. */
export function answerParserError(
  error: Error & { code?: string },
  socket: Socket,
  observer: ResponseObserver,
): void {
  // Further bytes of a refused request are dropped: closing now could lose the response while the client is still
  // sending.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = new ApiError(CODES[error.code ?? ''] ?? 'INVALID_REQUEST')
  observer.refused(refusal.code)
  const body = JSON.stringify(problemOf(refusal, randomUUID()))
  const headers = Object.entries({
    ...HEADERS_OF_ANY_HOST,
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${headers.join('')}\r\n${body}`)
  const end = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(end))
}
