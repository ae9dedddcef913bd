import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface DistantAddress {
  readonly port: number
  close(): void
}

/** An address of the server at `port` that is so far away: everything takes `oneWayMs`, there and back. */
export async function startDistantAddress(port: number, oneWayMs: number): Promise<DistantAddress> {
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    carry(client, upstream, oneWayMs)
    carry(upstream, client, oneWayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

function carry(from: Socket, to: Socket, milliseconds: number): void {
  from.on('data', chunk => setTimeout(() => to.destroyed || to.write(chunk), milliseconds))
  from.on('error', () => {})
  from.once('close', () => to.destroy())
}
