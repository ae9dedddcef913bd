import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

export interface MovableAddress {
  readonly port: number
  /** New connections go to this port from now on; those that are open stay where they are. */
  moveTo(port: number): void
  close(): void
}

/** An address that leads to a server which can change, as the name of a managed Redis does when it fails over. */
export async function startMovableAddress(firstPort: number): Promise<MovableAddress> {
  let target = firstPort
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {})
      socket.once('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    moveTo: port => {
      target = port
    },
    close: () => server.close(),
  }
}
