import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError } from '../../errors/api-error.js'
import type { ErrorCode } from '../../errors/error-codes.js'
import { PROBLEM_CONTENT_TYPE, problemOf } from '../../errors/problem.js'
import { SECURITY_HEADERS } from './response-headers.js'

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what Node's parser refused before there was a request, and closes the connection. */
export function answerFramingError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = new ApiError(CODES[error.code ?? ''] ?? 'INVALID_REQUEST')
  const body = JSON.stringify(problemOf(refusal, randomUUID()))
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': PROBLEM_CONTENT_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${headers.join('')}\r\n${body}`)
}
