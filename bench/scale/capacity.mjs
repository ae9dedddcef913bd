// npm run bench -- capacity: the tables of docs/capacity.md, worked out from the constants below. Measures nothing.
import { markdownTable } from '../report.mjs'

const MEBIBYTE = 1024 ** 2
const GIBIBYTE = 1024 ** 3
const SECONDS_A_DAY = 86_400

/** Measured; docs/capacity.md has the command and the date of each. */
const MEASURED = {
  refreshMicroseconds: 78.4,
  dataMicroseconds: 29.0,
  /** One core does 79 logins a second, nearly all of it argon2id. */
  loginMicroseconds: 1e6 / 79,
  sessionBytes: 331,
  /** With its indexes, of 10 million rows. */
  auditRowBytes: 660,
  processMegabytes: 155,
}

/** Assumed of a user on a day on which they come. Change these first. */
const ASSUMED = {
  sessions: 2,
  refreshes: 8,
  dataRequests: 60,
  logins: 0.3,
  webhooks: 0.02,
  auditRows: 0.6,
  auditDays: 400,
  /** Of the day's average. */
  peak: 4,
  /** How much of its processors a service should use at the peak. */
  load: 0.5,
}

/** Of one login: the session and its audit row, its seal three seconds later with all others. */
const COMMITS_A_LOGIN = 1
const CONNECTIONS_A_PROCESS = 14
/** Request and answer with their headers, both ways. */
const KILOBYTES_A_REQUEST = 2
const PROCESSES_OF_A_NODE = 4

function model(users) {
  const perSecond = perDay => (users * perDay * ASSUMED.peak) / SECONDS_A_DAY
  const refreshes = perSecond(ASSUMED.refreshes)
  const data = perSecond(ASSUMED.dataRequests)
  const logins = perSecond(ASSUMED.logins)
  const cores =
    (refreshes * MEASURED.refreshMicroseconds +
      data * MEASURED.dataMicroseconds +
      logins * MEASURED.loginMicroseconds) /
    1e6 /
    ASSUMED.load
  const processes = Math.max(2, Math.ceil(cores))
  return {
    'refreshes a second': refreshes,
    'data requests a second': data,
    'logins a second': logins,
    'webhooks a second': perSecond(ASSUMED.webhooks),
    'cores of the service': cores,
    '… of them for passwords': (logins * MEASURED.loginMicroseconds) / 1e6 / ASSUMED.load,
    'processes, one a core': processes,
    'memory of these, GiB': (processes * MEASURED.processMegabytes * MEBIBYTE) / GIBIBYTE,
    'sessions, millions': (users * ASSUMED.sessions) / 1e6,
    'Redis memory of their copies at most, GiB':
      (users * ASSUMED.sessions * MEASURED.sessionBytes) / GIBIBYTE,
    'Redis scripts a second': refreshes + logins,
    'audit rows a day, millions': (users * ASSUMED.auditRows) / 1e6,
    'audit log with indexes, GiB':
      (users * ASSUMED.auditRows * ASSUMED.auditDays * MEASURED.auditRowBytes) / GIBIBYTE,
    'commits a second': logins * COMMITS_A_LOGIN + perSecond(ASSUMED.webhooks) * 2,
    'connections to PostgreSQL at most': processes * CONNECTIONS_A_PROCESS,
    'network, Mbit/s': ((refreshes + data + logins) * KILOBYTES_A_REQUEST * 8) / 1000,
    'machines of four cores': Math.ceil(processes / PROCESSES_OF_A_NODE),
  }
}

const SIZES = [1e6, 10e6, 100e6]

/** Prints what the service takes for so many users a day. */
export function printCapacity() {
  const columns = SIZES.map(model)
  const rows = Object.keys(columns[0]).map(name => [name, ...columns.map(column => inWords(column[name]))])
  console.log(markdownTable(['daily users', ...SIZES.map(size => size.toLocaleString('en'))], rows))
}

function inWords(number) {
  const digits = number >= 100 ? 0 : 1
  return number.toLocaleString('en', { maximumFractionDigits: digits })
}
