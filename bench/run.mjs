// npm run bench [-- <name of a measurement>]: prepares everything, measures, prints markdown. Exit code 1 when a bar is
// missed or a round had an answer that was not 2xx.
import { fileURLToPath } from 'node:url'
import { prepare } from '../dev/prepare.mjs'
import { installSystemPackages } from '../test/system-packages.mjs'
import { installWrk } from './machine/install-wrk.mjs'

/** By the first argument. They import the packages and the built service, so they are loaded when those are there. */
const MEASUREMENTS = {
  all: async () => (await import('./measure/measure-all.mjs')).measureAll(),
  webhooks: async () => (await import('./measure/measure-webhooks.mjs')).measureWebhooks(),
  satellites: async () => (await import('./measure/measure-satellites.mjs')).measureSatellites(),
  'second-factor': async () => (await import('./measure/measure-second-factor.mjs')).measureSecondFactor(),
  passkey: async () => (await import('./measure/measure-passkeys.mjs')).measurePasskeys(),
  peers: async () => {
    ;(await import('./peers/install-peers.mjs')).installPeers()
    await (await import('./peers/measure-peers.mjs')).measurePeers()
  },
  'first-page': async () => (await import('./measure/measure-first-page.mjs')).measureFirstPage(),
  soak: async options => (await import('./measure/measure-soak.mjs')).measureSoak(options),
  scale: async parts => (await import('./scale/measure-scale.mjs')).measureScale(parts),
  capacity: async () => (await import('./scale/capacity.mjs')).printCapacity(),
  hops: async ([list]) =>
    (await import('./measure/measure-hops.mjs')).measureHops({ isVerbose: list === 'list' }),
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
