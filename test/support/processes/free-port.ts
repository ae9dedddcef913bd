import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below Linux's and macOS's range for outgoing connections, so that no client's own port takes it
// between this answer and the server's start.
const LOWEST_PORT = 10_000
const HIGHEST_PORT = 32_000

const givenPorts = new Set<number>()

/** A TCP port that nothing listens on at 127.0.0.1. This process never gets the same one twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT)
    if (givenPorts.has(port) || !(await isFree(port))) continue
    givenPorts.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
