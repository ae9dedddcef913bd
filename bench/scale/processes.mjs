import { execFileSync } from 'node:child_process'
import { Requests } from '../load.mjs'
import { freeClusterPort, startRedis } from '../machine.mjs'
import { median } from '../report.mjs'
import { refreshRequests, seed } from '../seed.mjs'
import { environmentOf, startService } from '../service.mjs'

const NODES = 3
const PROCESSES = [1, 2, 4]
/** Of all processes together. */
const CONNECTIONS = 48
const ROUNDS = 3
const SECONDS = 3
/** Of one process's processor time a request. */
const MOST = 1.1

/** Refreshes a processor second of 1, 2 and 4 processes on one core, with a Redis Cluster. */
export async function measureProcesses(databaseUrl) {
  const environment = {
    ...(await environmentOf('processes', databaseUrl, await startCluster())),
    // Four processes take turns on one core.
    SESSION_STORE_TIMEOUT_MS: '3000',
    DATABASE_TIMEOUT_MS: '3000',
  }
  const { opened } = await seed(environment)
  const rows = []
  let ofOne
  for (const count of PROCESSES) {
    const services = await Promise.all(
      Array.from({ length: count }, (_, index) => startService(`service-${count}-${index}`, environment)),
    )
    const perSecond = median(await rounds(services, opened))
    for (const { child } of services) await child.stop()
    ofOne ??= perSecond
    rows.push({
      what: `refreshes a processor second, ${count} process${count > 1 ? 'es' : ''} on a cluster of ${NODES}`,
      value: `${Math.round(perSecond).toLocaleString('en')}; × ${(perSecond / ofOne).toFixed(2)}`,
      bar: count === 1 ? '' : `≥ × ${(1 / MOST).toFixed(2)}`,
      holds: count === 1 ? null : perSecond >= ofOne / MOST,
    })
  }
  return rows
}

async function startCluster() {
  const urls = []
  for (let node = 0; node < NODES; node++) {
    const port = await freeClusterPort()
    const settings = { port, 'cluster-enabled': 'yes', 'cluster-config-file': `cluster-${node}.conf` }
    urls.push(await startRedis(`cluster-${node}`, settings))
  }
  const hosts = urls.map(url => new URL(url).host)
  execFileSync('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-yes'], { stdio: 'pipe' })
  return `redis+cluster://${hosts.join(',')}`
}

async function rounds(services, opened) {
  const results = []
  for (let round = 0; round <= ROUNDS; round++) {
    const requests = services.map(() => {
      const { name, requests } = refreshRequests(opened)
      return new Requests(name, requests, { connections: CONNECTIONS / services.length })
    })
    const loads = await Promise.all(services.map((service, index) => requests[index].load(service, SECONDS)))
    const count = loads.reduce((sum, load) => sum + load.requests, 0)
    const cpuSeconds = loads.reduce((sum, load) => sum + (load.requests * load.cpuMicroseconds) / 1e6, 0)
    // The first warms up.
    if (round > 0) results.push(count / cpuSeconds)
  }
  return results
}
