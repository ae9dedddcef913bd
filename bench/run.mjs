// npm run bench [-- <name of a measurement>]: prepares everything, measures, prints markdown. Exit code 1 when a bar is
// missed or a round had an answer that was not 2xx.
import { fileURLToPath } from 'node:url'
import { prepare } from '../dev/prepare.mjs'
import { installSystemPackages } from '../test/system-packages.mjs'
import { installWrk } from './machine.mjs'

/** By the first argument. They import the packages and the built service, so they are loaded when those are there. */
const MEASUREMENTS = {
  all: () => serving('refresh', 'data', 'login'),
  refresh: () => serving('refresh'),
  data: () => serving('data'),
  login: () => serving('login'),
  webhooks: async () => (await import('./webhooks.mjs')).measureWebhooks(),
  hops: async ([list]) => (await import('./hops.mjs')).measureHops({ isVerbose: list === 'list' }),
  peers: async () => {
    ;(await import('./peers/install-peers.mjs')).installPeers()
    await (await import('./peers/measure-peers.mjs')).measurePeers()
  },
  scale: async parts => (await import('./scale/scale.mjs')).measureScale(parts),
  capacity: async () => (await import('./scale/capacity.mjs')).printCapacity(),
}

async function serving(...names) {
  await (await import('./serving.mjs')).measureServing(names)
}

const [name = 'all', ...options] = process.argv.slice(2)
if (!Object.hasOwn(MEASUREMENTS, name)) {
  console.error(`There is no measurement "${name}", only: ${Object.keys(MEASUREMENTS).join(', ')}.`)
  process.exit(2)
}
prepare()
// The service reads its migrations from the folder that it is started in.
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
await installSystemPackages()
installWrk()
await MEASUREMENTS[name](options)
