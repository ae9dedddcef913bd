import 'reflect-metadata'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { NestFactory } from '@nestjs/core'
import { AppModule } from '../../dist/src/app.js'
import { Satellites } from '../../dist/src/cors/satellites.js'
import { readSettings } from '../../dist/src/platform/config/read-settings.js'
import { Clock } from '../../dist/src/platform/time.js'
import { serviceEnvironment, startService } from '../contestants/service.mjs'
import { stopAll } from '../machine/stop-all.mjs'
import { query, startPostgres, startRedis } from '../machine/stores.mjs'
import { markdownTable } from '../markdown-table.mjs'
import { seed } from '../seed.mjs'
import { refreshRequests } from './requests.mjs'
import { inTurn, median, medianRatio } from './rounds.mjs'

const SATELLITES = 100_000
const BARS = { megabytes: 40, seconds: 1, liveMs: 2_000, refresh: 0.95 }
const STARTS = 3
const SUSPENSIONS = 20

/**
 * What 100,000 registered satellites cost, beside the same service without: memory, start, refresh; and how soon every replica
 * knows of a suspension. Exit code 1 when a bar is missed.
 */
export async function measureSatellites() {
  try {
    const [databaseUrl, redisUrl] = await Promise.all([startPostgres(), startRedis('redis')])
    const without = serviceEnvironment({ databaseUrl, redisUrl })
    const { opened } = await seed(without)
    await query(databaseUrl.replace(/postgres$/, 'template1'), 'create database many template postgres')
    const withMany = { ...without, DATABASE_URL: databaseUrl.replace(/postgres$/, 'many') }
    await addSatellites(withMany.DATABASE_URL)
    // The first fills caches that stay.
    await heapOf(without)
    const megabytes = (await heapOf(withMany)) - (await heapOf(without))
    const starts = await measureStarts({ without, withMany })
    const [service, many, replica] = [
      await startService('without', without),
      await startService('with', withMany),
      await startService('replica', withMany),
    ]
    const refresh = refreshRequests(opened)
    const { few: ofFew, lots } = await inTurn({
      few: seconds => refresh.load(service, seconds),
      lots: seconds => refresh.load(many, seconds),
    })
    const live = await suspend(withMany.DATABASE_URL, [many, replica])
    report({
      megabytes,
      starts,
      live,
      ratio: medianRatio(
        lots.map(({ perSecond }) => perSecond),
        ofFew.map(({ perSecond }) => perSecond),
      ),
      cpu: [median(ofFew.map(cpuOf)), median(lots.map(cpuOf))],
    })
  } finally {
    await stopAll()
  }
}

const cpuOf = ({ cpuMicroseconds }) => cpuMicroseconds

/** Active ones of one account. The trigger that numbers changes is for changes one by one. */
export async function addSatellites(url) {
  await query(url, 'alter table satellites disable trigger satellites_addition')
  await query(
    url,
    `insert into satellites (id, account_id, origin, name, kind, state, ceiling, login_mode, created_at, active_since, version)
     select gen_random_uuid(), (select id from accounts limit 1), 'https://shop-' || n || '.customers.example', 'Shop ' || n,
       'production', 'active', '{"payments":false,"accountSettings":false,"teamManagement":false,"dataEntry":true,"viewReports":true}',
       'both', now(), now(), n
     from generate_series(1, ${SATELLITES}) n`,
  )
  await query(url, `update satellite_registry set version = ${SATELLITES}, rebuilt = ${SATELLITES}`)
  await query(url, 'alter table satellites enable trigger satellites_addition')
}

/** What is left of the heap after a collection, in MB, with the satellites read. */
async function heapOf(environment) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const app = await NestFactory.createApplicationContext(
    AppModule.with(readSettings(environment), new Clock()),
    { logger: ['error', 'warn'], abortOnError: false },
  )
  try {
    app.get(Satellites)
    collect()
    return process.memoryUsage().heapUsed / 1e6
  } finally {
    await app.close()
  }
}

/** Seconds from the start of the process to ready, and its resident megabytes then; medians. */
async function measureStarts(environments) {
  const measured = { without: [], withMany: [] }
  for (let time = 0; time < STARTS; time++)
    for (const name of ['without', 'withMany']) {
      const { child } = await startService(`${name}-${time}`, environments[name])
      const seconds = (performance.now() - child.startedAt) / 1000
      await sleep(500)
      measured[name].push({ seconds, resident: child.residentBytes() / 1e6 })
      await child.stop()
    }
  const medianOf = (name, what) => median(measured[name].map(one => one[what]))
  return Object.fromEntries(
    ['without', 'withMany'].map(name => [
      name,
      { seconds: medianOf(name, 'seconds'), resident: medianOf(name, 'resident') },
    ]),
  )
}

/** Milliseconds from each commit until both replicas refuse the origin. */
async function suspend(url, replicas) {
  const times = []
  for (let n = 1; n <= SUSPENSIONS; n++) {
    const origin = `https://shop-${n * 1_000}.customers.example`
    await query(url, `update satellites set state = 'suspended' where origin = '${origin}'`)
    const startedAt = performance.now()
    await Promise.all(replicas.map(replica => refused(replica, origin)))
    times.push(performance.now() - startedAt)
  }
  return times
}

async function refused({ port }, origin) {
  for (;;) {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/live`, { headers: { Origin: origin } })
    if (status === 403) return
    await sleep(10)
  }
}

function report({ megabytes, starts: { without, withMany }, live, ratio, cpu }) {
  const slower = withMany.seconds - without.seconds
  const slowest = Math.max(...live)
  const rows = [
    [
      'memory (heap after a collection)',
      `${megabytes.toFixed(1)} MB`,
      `≤ ${BARS.megabytes} MB`,
      megabytes <= BARS.megabytes,
    ],
    [
      'memory (resident at start)',
      `${withMany.resident.toFixed(0)} MB beside ${without.resident.toFixed(0)} MB`,
      '',
      null,
    ],
    [
      'start',
      `${withMany.seconds.toFixed(2)} s beside ${without.seconds.toFixed(2)} s`,
      `+ ${BARS.seconds} s`,
      slower <= BARS.seconds,
    ],
    [
      'a suspension on two replicas',
      `median ${median(live).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`,
      `≤ ${BARS.liveMs} ms`,
      slowest <= BARS.liveMs,
    ],
    [
      'refresh, requests a second',
      `${ratio.toFixed(2)} of those without`,
      `≥ ${BARS.refresh}`,
      ratio >= BARS.refresh,
    ],
    ['refresh, processor time', `${cpu[1].toFixed(0)} µs beside ${cpu[0].toFixed(0)} µs`, '', null],
  ]
  console.log(
    markdownTable(
      ['100,000 satellites', 'measured', 'bar', 'kept'],
      rows.map(([name, value, bar, isKept]) => [
        name,
        value,
        bar,
        isKept === null ? '' : isKept ? 'yes' : '**no**',
      ]),
    ),
  )
  if (rows.some(([, , , isKept]) => isKept === false)) process.exitCode = 1
}
