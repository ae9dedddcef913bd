import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { markdownTable } from '../markdown-table.mjs'
import { median, medianRatio, ROUNDS, SECONDS } from '../measure/rounds.mjs'

const BAR = 3
const OURS = 'Mainstay'
/** It answers nothing that another server could check. */
const WITHOUT_TOKEN = 'express-session, no token'
const MEGABYTE = 1024 * 1024

/** The finished text, how many bars are missed, and what the picture shows. */
export function report({ refresh, login, resident, memory, seconds }) {
  const best = bestPeer(refresh)
  const ratio = ratioTo(refresh, best)
  const verdict = ratio >= BAR ? 'holds' : '**missed**'
  const text = [
    heading(seconds),
    markdownTable(
      [
        'a new access token',
        'requests/s',
        'Mainstay is',
        'p50, ms',
        'p99, ms',
        'processor, µs',
        'resident, MB',
      ],
      Object.keys(refresh).map(name => [
        name,
        ...rates(refresh, name, 0),
        middle(refresh, name, 'cpuMicroseconds').toFixed(0),
        (resident[name] / MEGABYTE).toFixed(0),
      ]),
    ),
    `Bar: ${BAR} × the best of them that answers a token (${best}): ${ratio.toFixed(2)} ×, ${verdict}.`,
    markdownTable(
      ['login', 'logins/s', 'Mainstay is', 'p50, ms', 'p99, ms', 'processor, ms'],
      Object.keys(login).map(name => [
        name,
        ...rates(login, name, 1),
        (middle(login, name, 'cpuMicroseconds') / 1000).toFixed(1),
      ]),
    ),
    markdownTable(
      ['a session in Redis', 'bytes', 'of Mainstay'],
      Object.entries(memory).map(([name, bytes]) => [
        name,
        bytes.toFixed(0),
        `× ${(bytes / memory[OURS]).toFixed(2)}`,
      ]),
    ),
  ].join('\n\n')
  const bars = [
    { title: 'New access tokens a second, one core', values: medians(refresh) },
    { title: 'Logins a second, one core', values: medians(login) },
  ]
  return { text, bars, missed: Number(ratio < BAR) }
}

function bestPeer(measured) {
  const peers = Object.keys(measured).filter(name => name !== OURS && name !== WITHOUT_TOKEN)
  return peers.toSorted((a, b) => middle(measured, b, 'perSecond') - middle(measured, a, 'perSecond'))[0]
}

function rates(measured, name, digits) {
  return [
    middle(measured, name, 'perSecond').toLocaleString('en', { maximumFractionDigits: digits }),
    name === OURS ? '' : `× ${ratioTo(measured, name).toFixed(2)}`,
    middle(measured, name, 'p50').toFixed(1),
    middle(measured, name, 'p99').toFixed(1),
  ]
}

function ratioTo(measured, name) {
  const column = rounds => rounds.map(({ perSecond }) => perSecond)
  return medianRatio(column(measured[OURS]), column(measured[name]))
}

function middle(measured, name, field) {
  return median(measured[name].map(round => round[field]))
}

function medians(measured) {
  return Object.fromEntries(Object.keys(measured).map(name => [name, middle(measured, name, 'perSecond')]))
}

function heading(seconds) {
  const [{ model }] = cpus()
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  const versions = [
    'express',
    'express-session',
    'connect-redis',
    'jsonwebtoken',
    'oidc-provider',
    'better-auth',
  ]
    .map(name => `${name} ${dependencies[name]}`)
    .join(', ')
  return (
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores ` +
    `(${model.trim()}), ${ROUNDS} rounds of ${SECONDS} s each in turn, medians; ${Math.round(seconds)} s in all. ${versions}.`
  )
}
