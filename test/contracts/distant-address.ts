import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface DistantAddress {
  readonly port: number
  /** How often a client has sent something after an answer, or for the first time. */
  readonly roundTrips: number
  close(): void
}

/** An address of the server at `port` that is so far away: everything takes `oneWayMs`, there and back. */
export async function startDistantAddress(port: number, oneWayMs: number): Promise<DistantAddress> {
  let roundTrips = 0
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    let isAnswered = true
    carry(client, upstream, oneWayMs, () => {
      if (isAnswered) roundTrips++
      isAnswered = false
    })
    carry(upstream, client, oneWayMs, () => {
      isAnswered = true
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get roundTrips() {
      return roundTrips
    },
    close: () => server.close(),
  }
}

function carry(from: Socket, to: Socket, milliseconds: number, onArrival: () => void): void {
  from.on('data', chunk =>
    setTimeout(() => {
      onArrival()
      if (!to.destroyed) to.write(chunk)
    }, milliseconds),
  )
  from.on('error', () => {})
  from.once('close', () => to.destroy())
}
