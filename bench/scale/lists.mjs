import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { AppModule } from '../../dist/src/app.js'
import { AuditRetention } from '../../dist/src/audit/retention.js'
import { AuditTrail } from '../../dist/src/audit/trail.js'
import { WaitingEvents } from '../../dist/src/billing/customer-sync.js'
import { BillingQueue } from '../../dist/src/billing/inbox.js'
import { healthOf } from '../../dist/src/billing/operations.js'
import { readSettings } from '../../dist/src/platform/config/read-settings.js'
import { Database } from '../../dist/src/platform/database/database.js'
import { Clock } from '../../dist/src/platform/time.js'
import { MemberList } from '../../dist/src/team/member-list.js'
import { canonicalEmail } from '../../dist/src/users/email.js'
import { UserAdministration } from '../../dist/src/users/user-changes.js'
import { query, startRedis } from '../machine.mjs'
import { median } from '../report.mjs'
import { PASSWORD } from '../seed.mjs'
import { environmentOf, makeKeys } from '../service.mjs'

const TIMES = 20
const PAGE_MS = 50
const MEMBER = '00000000-0000-4000-8000-000000000006'

/** Pages and jobs on large tables, by the service's own classes, without HTTP: the median of 20, after one that is not counted. */
export async function measureLists(databaseUrl, { rows, members, events }) {
  const environment = {
    ...(await environmentOf('lists', databaseUrl, await startRedis('redis-of-lists'))),
    // Nobody answers there: the events wait.
    STRIPE_API_URL: 'http://127.0.0.1:1',
  }
  const url = environment.DATABASE_URL
  await makeKeys(environment)
  const app = await NestFactory.createApplicationContext(
    AppModule.with(readSettings(environment), new Clock()),
    {
      logger: ['error', 'warn'],
      abortOnError: false,
    },
  )
  try {
    const owner = await app
      .get(UserAdministration)
      .createAccount(canonicalEmail('owner@customer.example'), PASSWORD)
    await addMembers(url, members, owner.accountId)
    await fillAuditLog(url, rows, owner.accountId)
    await query(url, 'vacuum analyze')
    const found = [
      ...(await ofAuditLog(app, rows, owner.accountId)),
      ...(await ofTeam(app, members, owner.accountId)),
      ...(await ofRetention(app, url, rows)),
    ]
    // Last, because its worker is busy with them from then on.
    await addEvents(url, events)
    await query(url, 'vacuum analyze')
    return [...found, ...(await ofEvents(app, events))]
  } finally {
    await app.close()
  }
}

async function ofAuditLog(app, rows, accountId) {
  const trail = app.get(AuditTrail)
  const ago = days => new Date(Date.now() - days * 24 * 60 * 60 * 1000)
  const queries = {
    'first page': {},
    'a page half way': { after: Math.floor(rows / 2) },
    'an action': { action: 'permissions.change' },
    'an action that nobody has done': { action: 'user.remove' },
    'action and outcome': { action: 'login', outcome: 'refused' },
    'a user': { user: MEMBER },
    'a person whom nobody knows': { q: 'nobody' },
    'a user, action and outcome': { user: MEMBER, action: 'webhook', outcome: 'failed' },
    'before a time in the middle of a month': { to: ago(500) },
    'one day of the year before': { from: ago(501), to: ago(500) },
    'failures of the last hour': { from: ago(1 / 24), outcome: 'failed' },
  }
  const found = []
  for (const [name, given] of Object.entries(queries))
    found.push(
      await pageRow(`audit log of ${inWords(rows)} rows: ${name}, ms`, () => trail.list(accountId, given)),
    )
  return found
}

async function ofTeam(app, members, accountId) {
  const list = app.get(MemberList)
  const halfWay = { key: String(Date.now() - (members / 2) * 60_000), id: MEMBER }
  const queries = {
    'first page': {},
    'a page half way': { after: { sort: 'joined', last: halfWay } },
    'first page by name': { sort: 'name' },
    'first page by last login': { sort: '-lastLogin' },
    'a search that finds nobody': { q: 'nobody' },
    'a search by name that finds nobody': { sort: 'name', q: 'nobody' },
  }
  const found = []
  for (const [name, given] of Object.entries(queries))
    found.push(
      await pageRow(`team of ${inWords(members)}: ${name}, ms`, () =>
        list.list(accountId, { limit: 50, sort: 'joined', ...given }),
      ),
    )
  return found
}

async function ofEvents(app, events) {
  const queue = app.get(BillingQueue)
  const database = app.get(Database)
  const waiting = app.get(WaitingEvents)
  const what = `${inWords(events)} events wait`
  return [
    await pageRow(`${what}: ten customers claimed, ms`, () => queue.claim(10, 5)),
    await pageRow(`${what}: those of one customer, ms`, () =>
      database.run(db => waiting.of(db, 'cus_0000004711')),
    ),
    await timedRow(`${what}: what metrics and billing:status read, ms`, 5_000, () =>
      database.report(db => healthOf(db)),
    ),
    await timedRow(`${what}: search for unqueued customers, ms`, 2_000, () => queue.addUnqueued()),
  ]
}

/** One run of the job's work. */
async function ofRetention(app, url, rows) {
  const retention = app.get(AuditRetention)
  const before = new Date(Date.now() - 550 * 24 * 60 * 60 * 1000)
  const startedAt = performance.now()
  const { partitions: dropped, rows: removed } = await retention.expire(before)
  const seconds = (performance.now() - startedAt) / 1000
  const { rows: left } = await query(url, 'select count(*)::int as count from audit_log')
  const prepared = await milliseconds(() => retention.prepare(new Date()))
  return [
    {
      what: `retention of ${inWords(rows)} rows, s`,
      value: `${seconds.toFixed(1)}: ${dropped} partitions and ${inWords(removed)} other rows, ${inWords(left[0].count)} left`,
      bar: '≤ 60',
      holds: seconds <= 60,
    },
    {
      what: 'the hourly look whether partitions are there, ms',
      value: prepared.toFixed(1),
      bar: '',
      holds: null,
    },
  ]
}

function pageRow(what, work) {
  return timedRow(what, PAGE_MS, work)
}

async function timedRow(what, mostMs, work) {
  await work()
  const times = []
  for (let time = 0; time < TIMES; time++) times.push(await milliseconds(work))
  const slowest = Math.max(...times)
  const typical = median(times)
  return {
    what,
    value: `${typical.toFixed(1)}, at most ${slowest.toFixed(1)}`,
    bar: `≤ ${mostMs}`,
    holds: typical <= mostMs,
  }
}

async function milliseconds(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function inWords(count) {
  return count.toLocaleString('en')
}

/** The months that the rows of the audit log are spread over. */
const MONTHS = 24

/**
 * So many rows over two years, half of them of this account and the rest of 5,000 others. Indexes are made afterwards,
 * which is several times as fast.
 */
async function fillAuditLog(url, rows, accountId) {
  const { rows: indexes } = await query(url, `select indexdef from pg_indexes where tablename = 'audit_log'`)
  const { rows: names } = await query(url, `select indexname from pg_indexes where tablename = 'audit_log'`)
  await query(
    url,
    `select create_audit_partition(now() - make_interval(months => n)) from generate_series(1, ${MONTHS}) n`,
  )
  await query(url, `drop index ${names.map(({ indexname }) => indexname).join(', ')}`)
  await query(
    url,
    `set synchronous_commit = off;
     insert into audit_log (at, action, outcome, user_id, account_id, sid, ip, user_agent, origin, request_id, detail)
     select now() - interval '2 years' + n * interval '2 years' / ${rows},
       (array['login', 'login', 'login', 'login', 'logout', 'session.revoke', 'webhook', 'permissions.change', 'refresh',
         'profile.change'])[1 + n % 10],
       case when n % 23 = 0 then 'failed' when n % 31 = 0 then 'refused' else 'ok' end,
       ('00000000-0000-4000-8000-' || lpad((n % 20000)::text, 12, '0'))::uuid,
       case when n % 2 = 0 then '${accountId}'::uuid
         else ('00000000-0000-4000-9000-' || lpad((n % 5000)::text, 12, '0'))::uuid end,
       md5(n::text), '203.0.113.' || n % 255, '(X11; Linux x86_64; rv:140.0) Firefox/140.0', 'https://www.main-site.example',
       md5(n::text), '{"source": "main", "methods": ["pwd"]}'
     from generate_series(1, ${rows}) n`,
  )
  for (const { indexdef } of indexes) await query(url, indexdef.replace(' ON ONLY ', ' ON '))
  await query(url, 'analyze audit_log')
}

/** Members of the account, besides its owner. */
async function addMembers(url, members, accountId) {
  await query(
    url,
    `insert into users (id, account_id, email, role, granted, created_at)
     select gen_random_uuid(), '${accountId}', 'member-' || n || '@customer.example', 'member',
       '{"payments": false, "accountSettings": false, "teamManagement": false, "dataEntry": true, "viewReports": true}',
       now() - n * interval '1 minute'
     from generate_series(1, ${members}) n;
     analyze users`,
  )
}

/** Events that wait, ten of each customer, all of whom are due. */
async function addEvents(url, events) {
  const customer = `'cus_' || lpad((n / 10)::text, 10, '0')`
  await query(
    url,
    `set synchronous_commit = off;
     insert into provider_events (id, type, customer_id, event, created_at, received_at)
     select 'evt_' || n, 'customer.subscription.updated', ${customer},
       jsonb_build_object('id', 'evt_' || n, 'type', 'customer.subscription.updated', 'data', jsonb_build_object('object',
         jsonb_build_object('id', 'sub_' || n / 10, 'object', 'subscription', 'customer', ${customer}, 'status', 'active'))),
       now() - interval '1 hour' + n * interval '1 ms', now()
     from generate_series(1, ${events}) n;
     insert into billing_work (customer_id, due_at)
     select distinct ${customer}, now() - interval '1 hour' + (n / 10) * interval '1 ms' from generate_series(1, ${events}) n;
     analyze provider_events, billing_work`,
  )
}
