import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { makeCertificate } from '../../browser/stage/certificate.js'
import { createApp, MetricsServer, PACKAGE_ROOT, readSettings, startFailure } from '../../sources.js'
import { request, sendRaw } from '../../support/http-request.js'
import { type Scrape, scrape } from '../../support/metrics.js'
import { anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { freePort } from '../../support/processes/free-port.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'
import { bearer, outcome, readData, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { alerts, boundsAskedFor, dashboardNames, promtool, ruleNames } from './support/monitoring-files.js'

const app = anApp({ METRICS_PORT: '0' })
let fresh: Scrape
beforeAll(async () => {
  fresh = await scrape(app)
})

/** By how much a series has grown during `work`. */
async function growth(series: string, work: () => Promise<unknown>): Promise<number> {
  const before = (await scrape(app)).values.get(series)
  await work()
  const after = (await scrape(app)).values.get(series)
  if (before === undefined || after === undefined) throw new Error(`there is no ${series}`)
  return after - before
}

const REQUESTS = (operation: string, status: string) =>
  `mainstay_request_duration_seconds_count{operation="${operation}",status="${status}"}`

describe('Metrics count', () => {
  it('a login, by its way in and by how long it took', async () => {
    const owner = await anOwner(app)
    const login = () => signIn(app, owner, 'main')
    expect(await growth('mainstay_logins_total{way="password"}', login)).toBe(1)
    expect(await growth(REQUESTS('login', '2xx'), login)).toBe(1)
    expect(await growth('mainstay_database_duration_seconds_count{kind="statement"}', login)).toBeGreaterThan(
      0,
    )
  })

  it('a wrong password as a refusal, and not as a login', async () => {
    const { email } = await anOwner(app)
    const guess = () => sendLogin(app, { email }, { password: `not ${PASSWORD}` })
    expect(await growth('mainstay_logins_total{way="password"}', guess)).toBe(0)
    expect(await growth('mainstay_refusals_total{code="INVALID_CREDENTIALS"}', guess)).toBe(1)
    expect(await growth(REQUESTS('login', '4xx'), guess)).toBe(1)
  })

  onServers('refreshes, by where the session is used', async () => {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const shop = await signIn(app, owner, 'satellite')
    const refreshBoth = async () => {
      expect(outcome(await refreshByCookie(app, main.sessionId))).toMatch(/^200/)
      expect(outcome(await refreshByHeader(app, shop.sessionId))).toMatch(/^200/)
    }
    expect(await growth('mainstay_refreshes_total{source="main"}', refreshBoth)).toBe(1)
    expect(await growth('mainstay_refreshes_total{source="satellite"}', refreshBoth)).toBe(1)
    expect(await growth(REQUESTS('refresh', '2xx'), refreshBoth)).toBe(2)
    expect(await growth('mainstay_store_duration_seconds_count', refreshBoth)).toBeGreaterThanOrEqual(2)
  })

  it('refused refreshes, by the reason that clients are not told', async () => {
    const shop = await signIn(app, await anOwner(app), 'satellite')
    const asMain = () => refreshByCookie(app, shop.sessionId)
    expect(await growth('mainstay_refresh_refusals_total{reason="other source"}', asMain)).toBe(1)
    expect(await growth(REQUESTS('refresh', '4xx'), asMain)).toBe(1)
  })

  it('requests for data, and no preflight among them', async () => {
    const { accessToken } = await signIn(app, await anOwner(app), 'main')
    expect(await growth(REQUESTS('data', '2xx'), () => readData(app, accessToken))).toBe(1)
    const headers = { Origin: MAIN, 'Access-Control-Request-Method': 'GET' }
    const preflight = () => app.request({ method: 'OPTIONS', path: '/api/data', headers })
    expect(await growth(REQUESTS('data', '2xx'), preflight)).toBe(0)
    expect(await growth(REQUESTS('other', '2xx'), preflight)).toBe(1)
  })

  it('refusals of the router and of the parser', async () => {
    const { port } = new URL(app.url)
    const tooLong = () => sendRaw(Number(port), `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)
    expect(await growth('mainstay_refusals_total{code="HEADERS_TOO_LARGE"}', tooLong)).toBe(1)
    const nowhere = () => app.request({ path: '/%zz' })
    expect(await growth('mainstay_refusals_total{code="INVALID_REQUEST"}', nowhere)).toBe(1)
    expect(await growth(REQUESTS('other', '4xx'), nowhere)).toBe(1)
  })

  it('guesses over their limit', async () => {
    const { email } = await anOwner(app)
    const guess = () => sendLogin(app, { email }, { password: 'wrong' })
    const tooMany = async () => {
      for (let n = 0; n < 20; n++) if ((await guess()).status === 429) return
    }
    expect(await growth('mainstay_rate_limit_refusals_total{kind="password"}', tooMany)).toBe(1)
  })
})

describe('A scrape', () => {
  onServers('shows what is up, with the ages of keys', async () => {
    const { values } = await scrape(app)
    expect(values.get('mainstay_part_up{part="database"}')).toBe(1)
    expect(values.get('mainstay_session_changes_age_seconds')).toBeLessThan(60)
    for (const name of [
      'session_copies_total{outcome="unavailable"}',
      'session_copy_write_failures_total',
      'hash_queue_jobs{state="waiting"}',
      'mails_waiting',
      'billing_events_waiting',
      'billing_customers_parked',
      'billing_oldest_event_age_seconds',
      'billing_second_subscriptions',
      'billing_subscriptions_of_unknown_price',
      'satellites_failing',
      'collect_errors_total{part="billing"}',
    ])
      expect([name, values.get(`mainstay_${name}`)]).toEqual([name, 0])
    for (const name of ['signing_key_created', 'secret_key_created'])
      expect(values.get(`mainstay_${name}_timestamp_seconds{state="current"}`)).toBeGreaterThan(1.5e9)
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      expect(values.get(`mainstay_${name}`)).toBeGreaterThanOrEqual(0)
  })

  it('has as many series after hostile requests as before, and tells of nobody', async () => {
    const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'satellite')
    for (let n = 0; n < 40; n++) {
      const origin = n % 2 ? SHOP_ONE : `https://evil-${n}.test`
      await app.request({
        method: n % 3 ? 'POST' : 'DELETE',
        path: `/api/${['login', 'refresh', randomUUID(), `a@b-${n}.test`][n % 4]}?n=${n}`,
        headers: { Origin: origin, ...bearer(n % 5 ? accessToken : `x${n}`), 'X-Session-ID': sessionId },
        body: { email: `user-${n}@example.com`, password: PASSWORD, source: 'satellite' },
      })
    }
    const after = await scrape(app)
    expect([...after.values.keys()]).toEqual([...fresh.values.keys()])
    expect(after.values.size).toBeLessThan(410)
    for (const series of after.values.keys())
      expect(series).not.toMatch(/@|:\/\/|\.test|[0-9a-f]{8}-[0-9a-f]{4}-|127\.0/)
  })

  it('is the only thing that the port serves', async () => {
    const url = app.get(MetricsServer).url as string
    const statuses = async (path: string, method = 'GET') =>
      (await fetch(new URL(path, url), { method })).status
    expect(await statuses('/')).toBe(404)
    expect(await statuses('/api/data')).toBe(404)
    expect(await statuses('/health/live')).toBe(404)
    expect(await statuses('/metrics', 'POST')).toBe(405)
    expect((await app.request({ path: '/metrics' })).status).toBe(404)
    expect(new URL(url).hostname).toBe('127.0.0.1')
  })

  it('is refused at a name that somebody else may have made lead here (S11)', async () => {
    const { origin } = new URL(app.get(MetricsServer).url as string)
    const at = (host: string) => request(origin, { path: '/metrics', headers: { Host: host } })
    expect(await at('mainstay:9464')).toMatchObject({ status: 200 })
    const refused = await at('rebind.evil.com:9464')
    expect(refused.status).toBe(421)
    expect(refused.text).not.toContain('mainstay_')
  })

  slow('shows until when the certificate is valid', async () => {
    const until = (await scrapeOverTls()).values.get('mainstay_certificate_not_after_timestamp_seconds')
    expect(until).toBeGreaterThan(Date.now() / 1000)
    expect(fresh.text).not.toContain('certificate')
  })

  slowOnServers('passes the check of promtool', async () => {
    expect(await promtool(['check', 'metrics'], fresh.text)).toBe('')
  })

  slowOnServers('has every name and bound that the dashboard and the alert rules ask for', async () => {
    const { values } = await scrapeOverTls()
    const served = new Set([...values.keys()].flatMap(series => namesOf(series)))
    const names = [...dashboardNames(), ...ruleNames()]
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter(name => !served.has(name))).toEqual([])
    const bounds = boundsAskedFor()
    expect(bounds.length).toBeGreaterThan(1)
    expect(bounds.filter(bound => !new RegExp(`le="${bound}"`).test(fresh.text))).toEqual([])
  })
})

/** The name of a series, and that of the histogram which it is part of. */
function namesOf(series: string): string[] {
  const name = series.replace(/\{.*/, '')
  return [name, name.replace(/_(bucket|sum|count)$/, '')]
}

/** Of a service that has a certificate. */
async function scrapeOverTls(): Promise<Scrape> {
  const { certFile, keyFile } = await makeCertificate(app.settings.dataDir, ['https://localhost'])
  const other = await createApp(settings('0', { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }))
  try {
    return await scrape({ app: other })
  } finally {
    await other.close()
  }
}

/** Of another service on the same stores. */
function settings(port: string, others: Readonly<Record<string, string>> = {}) {
  return readSettings({
    NODE_ENV: 'test',
    DATA_DIR: app.settings.dataDir,
    ...app.stores,
    METRICS_PORT: port,
    ...others,
  })
}

describe('Rules of alerts', () => {
  slow(
    'are in order, and alert as they should',
    async () => {
      expect(await promtool(['check', 'rules', 'alert-rules.yml'])).toContain('SUCCESS')
      expect(await promtool(['test', 'rules', 'alert-rules.test.yml'])).toContain('SUCCESS')
    },
    30_000,
  )

  it('are explained, each with the one thing to do', () => {
    const page = readFileSync(join(PACKAGE_ROOT, 'docs/operations/watching.md'), 'utf8')
    const rows = alerts().map(({ alert, summary, todo }) => [
      alert,
      page.includes(`| ${summary} | ${todo} |`),
    ])
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter(([, isThere]) => !isThere)).toEqual([])
  })
})

describe('METRICS_PORT', () => {
  onServers('unset opens no port', async () => {
    const other = await createApp(settings(''))
    try {
      expect(other.get(MetricsServer).url).toBeNull()
    } finally {
      await other.close()
    }
  })

  slowOnServers('fails the start with a sentence when it is taken', async () => {
    const port = await freePort()
    const occupant = createServer().listen(port, '127.0.0.1')
    try {
      const failure = await createApp(settings(String(port))).then(
        () => null,
        error => startFailure(error),
      )
      expect(failure).toMatch(`Port ${port} at 127.0.0.1 is in use: stop whatever listens there`)
    } finally {
      occupant.close()
    }
  })

  slow('is free again after the service has ended', async () => {
    const port = await freePort()
    const first = await createApp(settings(String(port)))
    await first.close()
    const second = await createApp(settings(String(port)))
    expect(second.get(MetricsServer).url).toBe(`http://127.0.0.1:${port}/metrics`)
    await second.close()
  })
})
