// npm run example -- <name>: one of the examples, beside the service that runs already, or else with one of its own, which
// runs embedded as with npm start. PORT, EXAMPLE_PORT and DATA_DIR say where; without them what is free is taken.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { prepare } from '../dev/prepare.mjs'
import { requireSupportedNode } from '../dev/supported-node.mjs'

/** Of what a service needs beside its own port: the payment sandbox and the mail outbox, unless settings say where. */
const STEPS = { STRIPE_API_URL: 10, SMTP_URL: 25 }
/** How far apart the ports of two services are. */
const APART = 100
const MOST_SERVICES = 20
/** Development lets in pages at each of them. */
const EXAMPLE_PORTS = [4000, 8080, 5173, 4200]
const PATIENCE_MS = 3_000

const here = new URL('.', import.meta.url)
const examples = readdirSync(here, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(entry => entry.name)
const [name, ...rest] = process.argv.slice(2)
if (!examples.includes(name) || rest.length > 0) {
  console.error(`Usage: npm run example -- <name>, where <name> is one of ${examples.join(', ')}`)
  process.exit(2)
}

await requireSupportedNode()
prepare()
// Before anything is built: Vite would set it to production.
process.env.NODE_ENV ??= 'development'

const port = await portOfExample()
// Not the main site's host: a satellite is on another domain.
const origin = `http://127.0.0.1:${port}`
const { start } = await import(new URL(`${name}/start.mjs`, here))
const { apiUrl, mainUrl } = placesOn(process.env.PORT ?? '3000')
if (await takesPagesOf(origin, apiUrl)) {
  const whatToTry = await start({ apiUrl, mainUrl, origin, port })
  console.log(`
  Beside the service that is running at ${apiUrl}, with its users: owner@example.com and
  member@example.com, password "correct horse battery staple"
${whatToTry}`)
} else await startBoth()

/** The example with a service of its own. */
async function startBoth() {
  const wanted = process.env.PORT ?? '3000'
  const free = await portOfService(Number(wanted))
  process.env.PORT = String(free)
  if (free !== Number(wanted)) {
    process.env.DATA_DIR ??= `data/example-${free}`
    console.log(
      `Port ${wanted} is taken: the service of this example is at ${free}, with its data in ${process.env.DATA_DIR}`,
    )
  }
  const { ALLOWED_ORIGINS = `http://127.0.0.1:${free + 1}` } = process.env
  process.env.ALLOWED_ORIGINS = `${ALLOWED_ORIGINS},${origin}`
  const whatToTry = await start({ ...placesOn(free), origin, port })
  await import(new URL('../dist/joined/development.js', here))
  console.log(whatToTry)
}

function placesOn(port) {
  const { PUBLIC_URL = `http://localhost:${port}`, MAIN_ORIGIN = `http://localhost:${port}` } = process.env
  return { apiUrl: PUBLIC_URL, mainUrl: MAIN_ORIGIN }
}

/** Whether a Mainstay is there, and lets in pages of this origin; false for whatever else may be there. */
async function takesPagesOf(origin, apiUrl) {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-session-id',
  }
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const answer = await fetch(`${apiUrl}/api/refresh`, { method: 'OPTIONS', headers, signal })
    const allowed = name => answer.headers.get(`access-control-allow-${name}`)
    return allowed('origin') === origin && /\bx-session-id\b/i.test(allowed('headers') ?? '')
  } catch {
    return false
  }
}

async function portOfExample() {
  const { EXAMPLE_PORT } = process.env
  for (const port of EXAMPLE_PORT ? [Number(EXAMPLE_PORT)] : EXAMPLE_PORTS)
    if (!(await isTaken(port))) return port
  console.error(
    EXAMPLE_PORT
      ? `Port ${EXAMPLE_PORT} is taken: set EXAMPLE_PORT to a free one.`
      : `Ports ${EXAMPLE_PORTS.join(', ')} are taken: set EXAMPLE_PORT to a free one.`,
  )
  process.exit(1)
}

/** The first that is free together with those that follow from it. */
async function portOfService(first) {
  const steps = [0, ...Object.keys(STEPS).flatMap(name => (process.env[name] ? [] : [STEPS[name]]))]
  for (let port = first; port < first + MOST_SERVICES * APART; port += APART) {
    const taken = await Promise.all(steps.map(step => isTaken(port + step)))
    if (!taken.includes(true)) return port
  }
  return first
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
