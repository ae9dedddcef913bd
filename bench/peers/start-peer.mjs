import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { MEASURED_CORE } from '../machine/machine.mjs'

/** Those of one peer open what the others of it have sealed. */
const SECRETS = {
  SECRET: randomBytes(32).toString('base64'),
  CLIENT_SECRET: randomBytes(32).toString('base64url'),
}

/** One of the programs of `servers`, on a free port and on the core that is measured. */
export async function startPeer(program, { name = program, ...env }) {
  const port = await freePort()
  const child = await Child.start({
    name,
    command: process.execPath,
    args: [join(import.meta.dirname, 'servers', `${program}.mjs`)],
    env: { NODE_ENV: 'production', ...SECRETS, ...env, PORT: String(port) },
    cores: MEASURED_CORE,
    messages: true,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/`)).status < 500,
  })
  return { name, port, child }
}

/** As the confidential client says who it is. */
export function basicAuthorization(clientId) {
  return `Basic ${Buffer.from(`${clientId}:${SECRETS.CLIENT_SECRET}`).toString('base64')}`
}
