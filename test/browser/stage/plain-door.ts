import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Another, unencrypted way into the same service, for programs of this process that do not trust our certificate. */
export async function openPlainDoor(service: Server): Promise<{ url: string; close(): void }> {
  const [answer] = service.listeners('request') as [RequestListener]
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
