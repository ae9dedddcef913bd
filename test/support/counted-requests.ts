import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of a server that counts requests. */
export class CountedRequests {
  private readonly sockets = new Set<Socket>()
  private count = 0

  private constructor(
    readonly url: string,
    private readonly close: () => void,
  ) {}

  /** Before the server of this URL. */
  static async before(address: string): Promise<CountedRequests> {
    const url = new URL(address)
    const target = Number(url.port)
    const counterOf = url.protocol === 'redis:' ? redisCommands : postgresStatements
    const server = createServer(client => {
      const upstream = connect(target, '127.0.0.1')
      const requestsIn = counterOf()
      client.on('data', chunk => {
        counted.count += requestsIn(chunk as Buffer)
      })
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        counted.sockets.add(socket)
        socket.pipe(other)
        socket.on('error', () => {})
        socket.once('close', () => other.destroy())
      }
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url.port = String((server.address() as AddressInfo).port)
    const counted = new CountedRequests(url.href, () => server.close())
    return counted
  }

  /** How many there have been so far. */
  get soFar(): number {
    return this.count
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy()
    this.close()
  }
}

/** Statements of one connection: each ends with a Sync, or is a Query (PostgreSQL §55.7). */
function postgresStatements(): (chunk: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0)
  // The first message has no type.
  let typeBytes = 0
  return chunk => {
    rest = Buffer.concat([rest, chunk])
    let count = 0
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) break
      if (typeBytes > 0 && 'SQ'.includes(String.fromCharCode(rest[0] as number))) count++
      rest = rest.subarray(end)
      typeBytes = 1
    }
    return count
  }
}

/** Commands of one connection, each an array of strings (RESP). */
function redisCommands(): (chunk: Buffer) => number {
  let rest = ''
  return chunk => {
    rest += chunk.toString('latin1')
    let count = 0
    for (;;) {
      const end = endOfCommand(rest)
      if (end === null) return count
      rest = rest.slice(end)
      count++
    }
  }
}

function endOfCommand(text: string): number | null {
  const [head, strings] = /^\*(\d+)\r\n/.exec(text) ?? []
  if (head === undefined) return null
  let end = head.length
  for (let read = 0; read < Number(strings); read++) {
    const [length, bytes] = /^\$(\d+)\r\n/.exec(text.slice(end)) ?? []
    if (length === undefined) return null
    end += length.length + Number(bytes) + 2
  }
  return end <= text.length ? end : null
}
