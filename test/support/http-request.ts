import { type IncomingMessage, request as startRequest } from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'

export interface TestRequest {
  method?: string
  path?: string
  /** Sent as they are. A list sends one line for each; an empty list leaves out a header we would add. */
  headers?: Record<string, string | string[]>
  /** An object goes as JSON; text and bytes go as they are, without a Content-Type. */
  body?: object | string | Buffer
  /** An answer that takes longer rejects. 10 s unless told. */
  timeoutMs?: number
  /** The address of ours that the request comes from; every 127.0.0.0/8 address is. */
  localAddress?: string
}

export interface TestResponse {
  status: number
  /** Names in lower case; lines of the same name joined by ", ", so that a header sent twice shows. */
  headers: Record<string, string>
  setCookies: string[]
  text: string
  /** The parsed body, or undefined when its Content-Type is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: every test looks into another shape, and fails if it is not that.
  json: any
}

/** One HTTP request on a connection of its own. Redirects are not followed; any status resolves. */
export async function request(baseUrl: string, options: TestRequest = {}): Promise<TestResponse> {
  const { method = 'GET', path = '/', body, timeoutMs = 10_000, localAddress } = options
  const { hostname, port, host } = new URL(baseUrl)
  const bytes = body === undefined ? undefined : encode(body)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const message = startRequest({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port || 80,
      method,
      path,
      headers: headerLines(host, body, bytes, options.headers ?? {}),
      agent: false,
      timeout: timeoutMs,
      ...(localAddress && { localAddress }),
    })
    message.once('timeout', () =>
      message.destroy(new Error(`${method} ${path}: no answer in ${timeoutMs} ms`)),
    )
    message.once('error', reject)
    message.once('response', resolve)
    message.end(bytes)
  })
  return read(response)
}

/**
 * Sends these bytes on a plain socket and gives back what came until the server closed it, or until
 * `timeoutMs` passed. Rejects only when nothing listens.
 */
export function sendRaw(port: number, data: string | Buffer, timeoutMs = 2_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(data))
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', error => {
      if ('code' in error && error.code === 'ECONNREFUSED') reject(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString())
    })
  })
}

function encode(body: object | string | Buffer): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

// The flat list is the one form that Node sends as it is: it would join two Cookie lines of an object.
function headerLines(
  host: string,
  body: TestRequest['body'],
  bytes: Buffer | undefined,
  headers: Record<string, string | string[]>,
): string[] {
  const given = new Set(Object.keys(headers).map(name => name.toLowerCase()))
  const lines: string[] = []
  const add = (name: string, value: string) => {
    if (!given.has(name.toLowerCase())) lines.push(name, value)
  }
  add('Host', host)
  add('Connection', 'close')
  if (typeof body === 'object' && !Buffer.isBuffer(body)) add('Content-Type', 'application/json')
  if (bytes && !given.has('transfer-encoding')) add('Content-Length', String(bytes.length))
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) lines.push(name, value)
  }
  return lines
}

async function read(response: IncomingMessage): Promise<TestResponse> {
  const text = await readText(response)
  const lines = response.headersDistinct
  const headers = Object.fromEntries(
    Object.entries(lines).map(([name, values]) => [name, (values ?? []).join(', ')]),
  )
  const isJson = /^application\/([\w.-]+\+)?json\b/.test(headers['content-type'] ?? '')
  return {
    status: response.statusCode!,
    headers,
    setCookies: lines['set-cookie'] ?? [],
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  }
}
