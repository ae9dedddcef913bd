import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROUNDS, SECONDS } from '../load.mjs'
import { heading, markdownTable, median, medianRatio, verdict } from '../report.mjs'

const BAR = 3
const OURS = 'Mainstay'
/** It answers nothing that another server could check. */
const WITHOUT_TOKEN = 'express-session, no token'
const MEGABYTE = 1024 * 1024

/** The finished text, whether the bar holds, and what the picture shows. */
export function report({ refresh, login, resident, memory, seconds }) {
  const best = bestPeer(refresh)
  const ratio = ratioTo(refresh, best)
  const holds = ratio >= BAR
  const text = [
    `${heading(`${ROUNDS} rounds of ${SECONDS} s each in turn, medians`, seconds)} ${versions()}.`,
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
    `Bar: ${BAR} × the best of them that answers a token (${best}): ${ratio.toFixed(2)} ×, ${verdict(holds)}.`,
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
  return { text, bars, holds }
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

function versions() {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  const names = [
    'express',
    'express-session',
    'connect-redis',
    'jsonwebtoken',
    'oidc-provider',
    'better-auth',
  ]
  return names.map(name => `${name} ${dependencies[name]}`).join(', ')
}

const WIDTH = 720
const LABEL_WIDTH = 200
const VALUE_WIDTH = 80
const ROW = 26
const THICKNESS = 16
const TITLE = 40
/** Readable on white and on black; the page that shows the picture says which it is. */
const STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .bar { fill: #8c959f }
  .ours { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bar { fill: #6e7681 }
    .ours { fill: #4493f8 }
  }`

/** An SVG of horizontal bars: groups of `{ title, values: { name: number } }`, the first name of each in another colour. */
export function chart(groups) {
  let y = 0
  const parts = groups.flatMap(({ title, values }) => {
    const heading = text(0, y + TITLE - 14, title, 'title')
    y += TITLE
    const most = Math.max(...Object.values(values))
    const rows = Object.entries(values).map(([name, value], index) => {
      const row = bar({ name, value, share: value / most, y, kind: index === 0 ? 'bar ours' : 'bar' })
      y += ROW
      return row
    })
    return [heading, ...rows]
  })
  const label = groups.map(({ title }) => title).join('; ')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 8}" width="${WIDTH}" role="img" aria-label="${escaped(label)}">\n` +
    `<style>${STYLE}\n</style>\n${parts.join('\n')}\n</svg>\n`
  )
}

function bar({ name, value, share, y, kind }) {
  const width = Math.max(1, share * (WIDTH - LABEL_WIDTH - VALUE_WIDTH)).toFixed(1)
  const written = value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
  return [
    text(0, y + THICKNESS - 3, name),
    `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${THICKNESS}" rx="2"/>`,
    text(LABEL_WIDTH + Number(width) + 8, y + THICKNESS - 3, written),
  ].join('')
}

function text(x, y, content, kind) {
  return `<text${kind ? ` class="${kind}"` : ''} x="${x}" y="${y}">${escaped(content)}</text>`
}

function escaped(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
