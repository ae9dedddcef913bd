import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface MovableAddress {
  readonly port: number
  /** How many connections there have been. */
  readonly accepted: number
  /** New connections go to this port from now on; those that are open stay where they are. */
  moveTo(port: number): void
  /** Nothing passes while it is silent: connections stay open and new ones are made, but nobody hears anything. */
  beSilent(isSilent: boolean): void
  /** New connections lead nowhere for this long. */
  beSlow(milliseconds: number): void
  close(): void
}

/** An address that leads to a server which can change, as the name of a managed Redis does when it fails over. */
export async function startMovableAddress(firstPort: number): Promise<MovableAddress> {
  let target = firstPort
  let isSilent = false
  let delayMs = 0
  let accepted = 0
  const pairs = new Set<readonly [Socket, Socket]>()
  const letPass = ([client, upstream]: readonly [Socket, Socket]) => {
    if (isSilent) client.unpipe().pause()
    else client.pipe(upstream)
    if (isSilent) upstream.unpipe().pause()
    else upstream.pipe(client)
  }
  const server = createServer(async client => {
    accepted += 1
    client.on('error', () => {})
    if (delayMs > 0) await sleep(delayMs)
    if (client.destroyed) return
    const upstream = connect(target, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    client.once('close', () => pairs.delete(pair))
    letPass(pair)
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
    get accepted() {
      return accepted
    },
    moveTo: port => {
      target = port
    },
    beSilent: silent => {
      isSilent = silent
      pairs.forEach(letPass)
    },
    beSlow: milliseconds => {
      delayMs = milliseconds
    },
    close: () => {
      for (const [client] of pairs) client.destroy()
      server.close()
    },
  }
}
