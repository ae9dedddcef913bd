import { connect } from 'node:net'
import type { TestResponse } from '../support/http-request.js'

/** Longer than the service lets a request take to arrive. */
const PATIENCE_MS = 20_000

/** What came back on a connection, and whether the other side ended it. */
export interface RawResponse extends TestResponse {
  isClosed: boolean
}

/** Sends these bytes on a plain socket and reads until the service closes it, or `PATIENCE_MS` have passed. */
export function rawRequest(port: number, bytes: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let isClosed = true
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const timer = setTimeout(() => {
      isClosed = false
      socket.destroy()
    }, PATIENCE_MS)
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve({ ...parsed(Buffer.concat(chunks).toString()), isClosed })
    })
  })
}

function parsed(response: string): TestResponse {
  const [head = '', text = ''] = response.split(/\r\n\r\n(.*)/s)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const pairs = lines.map(line => /^([^:]+):\s*(.*)$/.exec(line)!.slice(1) as [string, string])
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
  const isJson = headers['content-type']?.includes('json') ?? false
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0),
    headers,
    setCookies: pairs.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value),
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}
