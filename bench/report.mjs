import { cpus } from 'node:os'
import { markdownTable } from './markdown-table.mjs'
import { median, medianRatio, ROUNDS, SECONDS } from './measure/rounds.mjs'
import { GROUPS } from './profile/profile-groups.mjs'

/** The bars: least shares of the bare limit, and most of what should be small. */
const BARS = {
  refresh: 0.95,
  dataUnbatched: 0.8,
  login: 0.85,
  sessionBytes: 400,
  compactSessionBytes: 350,
  newFolderSeconds: 5,
  existingFolderSeconds: 1.5,
  residentMegabytes: 380,
  productionSeconds: 1,
  productionMegabytes: 160,
  /** p99 at half load, as a multiple of p50. */
  tail: 3,
  timingShare: 0.05,
  changeMilliseconds: 20,
  importMegabytes: 300,
}
const MEGABYTE = 1024 * 1024

/** The finished text, and how many bars are missed. */
export function report(measured) {
  const shares = shareRows(measured)
  const others = otherRows(measured)
  const verdicts = [...shares, ...others].map(row => row.holds)
  const missed = verdicts.filter(holds => holds === false).length
  const text = [
    heading(measured),
    markdownTable(
      ['figure', 'service', 'bare limit', 'share of it', 'bar', 'verdict'],
      shares.map(row => [row.what, row.service, row.bare, row.share, row.bar, verdict(row.holds)]),
    ),
    markdownTable(
      ['figure', 'measured', 'bar', 'verdict'],
      others.map(row => [row.what, row.value, row.bar, verdict(row.holds)]),
    ),
    ...Object.entries(measured.profiles).map(profileTable),
    missed === 0 ? 'Every bar holds.' : `${missed} of the bars missed.`,
  ].join('\n\n')
  return { text, missed }
}

function heading({ seconds }) {
  const [{ model }] = cpus()
  return (
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores ` +
    `(${model.trim()}), ${ROUNDS} rounds of ${SECONDS} s each in turn, medians; ${Math.round(seconds)} s in all.`
  )
}

function shareRows({ refresh, refreshBesideLogins, data, dataUnbatched, login, loginOnBothCores }) {
  const withLog = { service: refresh.talkative, bare: refresh.bare }
  return [
    rateRow('refresh, requests/s', refresh, BARS.refresh),
    ...detailRows('refresh', refresh),
    rateRow('refresh with a log line each (LOG_LEVEL=info), requests/s', withLog),
    rateRow(
      'refresh while one user logs in, one login at a time (beside: nobody does), requests/s',
      refreshBesideLogins,
    ),
    rateRow('data, requests/s', data),
    ...detailRows('data', data),
    rateRow("data, the load generator's core kept awake, requests/s", dataUnbatched, BARS.dataUnbatched),
    ...detailRows('… kept awake', dataUnbatched).slice(2, 3),
    rateRow('login, logins/s', login, BARS.login),
    rateRow('login on both cores, logins/s', loginOnBothCores),
  ]
}

function rateRow(what, { service, bare }, bar) {
  const column = name => name.map(round => round.perSecond)
  const share = medianRatio(column(service), column(bare))
  return {
    what,
    service: whole(median(column(service))),
    bare: whole(median(column(bare))),
    share: share.toFixed(2),
    bar: bar ? `≥ ${bar.toFixed(2)}` : '',
    holds: bar ? share >= bar : null,
  }
}

// Of times the ratio says how many times as long.
function detailRows(name, { service, bare }) {
  return [
    [`${name}, half of the answers within, ms`, 'p50', 2],
    [`${name}, 99 of 100 answers within, ms`, 'p99', 1],
    [`${name}, processor time a request, µs`, 'cpuMicroseconds', 1],
    [`${name}, share of the core in use`, 'busy', 2],
  ].map(([what, field, digits]) => {
    const [ours, theirs] = [service, bare].map(rounds => rounds.map(round => round[field]))
    return {
      what,
      service: median(ours).toFixed(digits),
      bare: median(theirs).toFixed(digits),
      share: `× ${medianRatio(ours, theirs).toFixed(2)}`,
      bar: '',
      holds: null,
    }
  })
}

function otherRows({ memory, manySessions, userImport, start, production, halfLoad, timing, forgotTiming }) {
  return [
    ...Object.entries(halfLoad).flatMap(tailRows),
    mostRow('Redis memory of a session, bytes', memory.session, BARS.sessionBytes, 0),
    mostRow('… in the compact form', memory.compactSession, BARS.compactSessionBytes, 0),
    mostRow('first 200 on a new data folder, s', start.newFolder, BARS.newFolderSeconds, 2),
    mostRow('first 200 on an existing data folder, s', start.existingFolder, BARS.existingFolderSeconds, 2),
    mostRow('resident memory there, MB', start.resident / MEGABYTE, BARS.residentMegabytes, 0),
    mostRow('first 200 in production, s', production.seconds, BARS.productionSeconds, 2),
    mostRow('resident memory there, MB', production.resident / MEGABYTE, BARS.productionMegabytes, 0),
    mostRow('refused login, known e-mail, ms', timing.known, null, 2),
    mostRow('refused login, unknown e-mail, ms', timing.unknown, null, 2),
    mostRow('… difference, as a share', shareApart(timing), BARS.timingShare, 3),
    mostRow('… half of the answers of one kind lie within, ms', timing.spread, null, 2),
    mostRow('forgotten password, known e-mail, ms', forgotTiming.known, null, 2),
    mostRow('forgotten password, unknown e-mail, ms', forgotTiming.unknown, null, 2),
    mostRow('… difference, as a share', shareApart(forgotTiming), BARS.timingShare, 3),
    mostRow('one round trip to Redis, ms', manySessions.roundTrip, null, 2),
    mostRow('listing the 50 sessions of a user, ms', manySessions.list, null, 2),
    mostRow('changing the permissions of these, ms', manySessions.change, BARS.changeMilliseconds, 2),
    mostRow('import of 100,000 users, s', userImport.seconds, null, 1),
    mostRow('… memory at most, MB', userImport.peakBytes / MEGABYTE, BARS.importMegabytes, 0),
  ]
}

// The bare limit says how much of the tail is the machine's.
function tailRows([name, { service, bare }]) {
  return [
    mostRow(`${name} at half load, half of the answers within, ms`, medianOf('p50', service), null, 2),
    mostRow('… 99 of 100 within, as a multiple', tailOf(service), BARS.tail, 2),
    ...(bare ? [mostRow('… as a multiple, of the bare limit at half its own', tailOf(bare), null, 2)] : []),
  ]
}

function tailOf(rounds) {
  return medianOf('p99', rounds) / medianOf('p50', rounds)
}

function medianOf(field, rounds) {
  return median(rounds.map(round => round[field]))
}

function shareApart({ known, unknown }) {
  return Math.abs(known - unknown) / unknown
}

function mostRow(what, value, bar, digits) {
  return {
    what,
    value: value.toFixed(digits),
    bar: bar === null ? '' : `≤ ${bar}`,
    holds: bar === null ? null : value <= bar,
  }
}

function profileTable([kind, { service, bare }]) {
  const rows = GROUPS.map(group => profileRow(group, service[group], bare[group]))
  const total = name => GROUPS.reduce((sum, group) => sum + name[group], 0)
  return markdownTable(
    [`${kind}, µs a request`, 'service', 'bare', 'difference'],
    [...rows, profileRow('all', total(service), total(bare))],
  )
}

function profileRow(what, ours, theirs) {
  return [what, ours.toFixed(1), theirs.toFixed(1), (ours - theirs).toFixed(1)]
}

function verdict(holds) {
  if (holds === null) return ''
  return holds ? 'holds' : '**missed**'
}

function whole(number) {
  return Math.round(number).toLocaleString('en')
}
