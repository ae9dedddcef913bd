// npm run bench [-- refresh | data | login]: the service beside the bare limits, each of both on the same core.
import { inTurn, ROUNDS, SECONDS } from './load.mjs'
import { startPostgres, startRedis, stopAll } from './machine.mjs'
import { heading, markdownTable, median, medianRatio, print, step, verdict } from './report.mjs'
import {
  dataRequests,
  loginRequests,
  PASSWORD,
  passwordHashes,
  refreshRequests,
  seed,
  USER_AGENT,
} from './seed.mjs'
import { requireSameAnswers, serviceEnvironment, startArgon2, startBare, startService } from './service.mjs'

/** Processor time a request at most, as a multiple of the bare handler's; logins at least, as a share of what argon2id alone does. */
const BARS = { refresh: 1.4, data: 1.8, login: 0.85 }

/** Measures these of refresh, data and login, and prints the report. Rejects when an answer was wrong. */
export async function measureServing(names) {
  const startedAt = performance.now()
  try {
    const [databaseUrl, redisUrl] = await step('stores', () =>
      Promise.all([startPostgres(), startRedis('redis')]),
    )
    const environment = serviceEnvironment({ databaseUrl, redisUrl })
    const { users, opened } = await step('users, sessions, tokens', () => seed(environment))
    const [service, bare] = await Promise.all([startService('service', environment), startBare(environment)])
    await requireSameAnswers(service, bare, opened[0], USER_AGENT)
    const beside = requests =>
      inTurn({
        service: seconds => requests.load(service, seconds),
        bare: seconds => requests.load(bare, seconds),
      })
    const measurements = {
      refresh: async () => handlerRows('refresh', await beside(refreshRequests(opened)), BARS.refresh),
      data: async () => handlerRows('data', await beside(dataRequests(opened)), BARS.data),
      login: async () => {
        const argon2 = await startArgon2(await passwordHashes(databaseUrl), PASSWORD)
        const requests = loginRequests(users)
        return loginRows(
          await inTurn({
            service: seconds => requests.load(service, seconds),
            bare: async seconds => ({ perSecond: await argon2.ask({ seconds }) }),
          }),
        )
      },
    }
    const rows = []
    for (const name of names) rows.push(...(await step(name, measurements[name])))
    report(rows, (performance.now() - startedAt) / 1000)
  } finally {
    await stopAll()
  }
}

function handlerRows(name, measured, bar) {
  const cpu = row(`${name}, processor time a request, µs`, measured, 'cpuMicroseconds', 1)
  return [
    row(`${name}, requests/s`, measured, 'perSecond', 0),
    row(`${name}, half of the answers within, ms`, measured, 'p50', 2),
    row(`${name}, 99 of 100 answers within, ms`, measured, 'p99', 1),
    { ...cpu, bar: `≤ ${bar.toFixed(2)}`, holds: cpu.ratio <= bar },
  ]
}

function loginRows(measured) {
  const rate = row('login, logins/s', measured, 'perSecond', 1)
  return [{ ...rate, bar: `≥ ${BARS.login.toFixed(2)}`, holds: rate.ratio >= BARS.login }]
}

function row(what, { service, bare }, field, digits) {
  const [ours, theirs] = [service, bare].map(rounds => rounds.map(round => round[field]))
  return {
    what,
    service: median(ours).toFixed(digits),
    bare: median(theirs).toFixed(digits),
    ratio: medianRatio(ours, theirs),
    bar: '',
    holds: null,
  }
}

function report(rows, seconds) {
  const table = markdownTable(
    ['figure', 'service', 'bare limit', 'ratio', 'bar', 'verdict'],
    rows.map(({ what, service, bare, ratio, bar, holds }) => [
      what,
      service,
      bare,
      ratio.toFixed(2),
      bar,
      verdict(holds),
    ]),
  )
  const how = `${ROUNDS} rounds of ${SECONDS} s each in turn, medians`
  print(
    `${heading(how, seconds)}\n\n${table}`,
    rows.map(({ holds }) => holds),
  )
}
