import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of which the one 10,000 above is free too, which nodes of a Redis Cluster talk to each other at. */
export async function freeClusterPort() {
  for (;;) {
    const port = await freePort()
    if (port + 10_000 < 65_536 && (await isFree(port + 10_000))) return port
  }
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false)
  server.close()
  return isListening
}

/** A TCP port that nothing listens on at 127.0.0.1. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
