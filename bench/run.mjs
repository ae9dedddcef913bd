// npm run bench [-- webhooks | scale | capacity | satellites | second-factor | passkey | peers | first-page | soak | hops [list]]: prepares everything, measures, prints markdown. Exit code 1 when a bar is missed or a round
// had an answer that was not 2xx.
import { fileURLToPath } from 'node:url'
import { prepare } from '../dev/prepare.mjs'
import { installSystemPackages } from '../test/system-packages.mjs'
import { installWrk } from './machine/install-wrk.mjs'

prepare()
// The service reads its migrations from the folder that it is started in.
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
await installSystemPackages()
installWrk()
// Imports the packages and the built service, so only now.
if (process.argv[2] === 'webhooks') {
  const { measureWebhooks } = await import('./measure/measure-webhooks.mjs')
  await measureWebhooks()
} else if (process.argv[2] === 'satellites') {
  const { measureSatellites } = await import('./measure/measure-satellites.mjs')
  await measureSatellites()
} else if (process.argv[2] === 'second-factor') {
  const { measureSecondFactor } = await import('./measure/measure-second-factor.mjs')
  await measureSecondFactor()
} else if (process.argv[2] === 'passkey') {
  const { measurePasskeys } = await import('./measure/measure-passkeys.mjs')
  await measurePasskeys()
} else if (process.argv[2] === 'peers') {
  const { installPeers } = await import('./peers/install-peers.mjs')
  installPeers()
  const { measurePeers } = await import('./peers/measure-peers.mjs')
  await measurePeers()
} else if (process.argv[2] === 'first-page') {
  const { measureFirstPage } = await import('./measure/measure-first-page.mjs')
  await measureFirstPage()
} else if (process.argv[2] === 'soak') {
  const { measureSoak } = await import('./measure/measure-soak.mjs')
  await measureSoak(process.argv.slice(3))
} else if (process.argv[2] === 'scale') {
  const { measureScale } = await import('./scale/measure-scale.mjs')
  await measureScale(process.argv.slice(3))
} else if (process.argv[2] === 'capacity') {
  const { printCapacity } = await import('./scale/capacity.mjs')
  printCapacity()
} else if (process.argv[2] === 'hops') {
  const { measureHops } = await import('./measure/measure-hops.mjs')
  await measureHops({ isVerbose: process.argv[3] === 'list' })
} else {
  const { measureAll } = await import('./measure/measure-all.mjs')
  await measureAll()
}
