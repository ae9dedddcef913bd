// npm run example -- <name>: one of the examples beside the service, which runs embedded as with npm start.
// PORT, EXAMPLE_PORT and DATA_DIR let several run side by side.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { prepare } from '../dev/prepare.mjs'
import { requireSupportedNode } from '../dev/supported-node.mjs'

const here = new URL('.', import.meta.url)
const examples = readdirSync(here, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(entry => entry.name)
const [name, ...rest] = process.argv.slice(2)
if (!examples.includes(name) || rest.length > 0) {
  console.error(`Usage: npm run example -- <name>, where <name> is one of ${examples.join(', ')}`)
  process.exit(2)
}

const { PORT = '3000', EXAMPLE_PORT = '4000' } = process.env
// Otherwise it fails at the first of the ports that follow from it, which nobody has heard of.
if (await isTaken(Number(PORT))) {
  console.error(
    `A service is already running at port ${PORT}, and examples start their own: stop it, or set PORT to a free port ` +
      'and DATA_DIR to another folder.',
  )
  process.exit(1)
}

await requireSupportedNode()
prepare()
// Before anything is built: Vite would set it to production.
process.env.NODE_ENV ??= 'development'

const { ALLOWED_ORIGINS = `http://127.0.0.1:${Number(PORT) + 1}` } = process.env
const { PUBLIC_URL = `http://localhost:${PORT}`, MAIN_ORIGIN = `http://localhost:${PORT}` } = process.env
// Not the main site's host: a satellite is on another domain.
const origin = `http://127.0.0.1:${EXAMPLE_PORT}`
const { start } = await import(new URL(`${name}/start.mjs`, here))
try {
  const whatToTry = await start({
    apiUrl: PUBLIC_URL,
    mainUrl: MAIN_ORIGIN,
    origin,
    port: Number(EXAMPLE_PORT),
  })
  process.env.ALLOWED_ORIGINS = `${ALLOWED_ORIGINS},${origin}`
  await import(new URL('../dist/joined/development.js', here))
  console.log(whatToTry)
} catch (error) {
  if (error.code !== 'EADDRINUSE') throw error
  console.error(`Port ${EXAMPLE_PORT} is taken: set EXAMPLE_PORT to a free one.`)
  process.exit(1)
}

async function isTaken(port) {
  const socket = connect(port, 'localhost')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
