import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens; port 0 takes a free one. Rejects when the port is taken. */
export async function listen(port: number, host: string): Promise<Server> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

/** `http://host:port` as others reach it. */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Stops listening and drops the connections that are open; safe to repeat. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
