import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { median } from './rounds.mjs'

const PAIRS = 200
const WARM_UP_PAIRS = 20

/**
 * Median milliseconds of a refused login for e-mails that have a user (with a wrong password) and that have
 * none, one after the other on one connection, in turns.
 */
export async function measureLoginTiming({ port }, users) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = { known: [], unknown: [] }
  try {
    for (let pair = -WARM_UP_PAIRS; pair < PAIRS; pair++) {
      const emails = {
        known: users[(pair + WARM_UP_PAIRS) % users.length].email,
        unknown: `nobody-${pair + WARM_UP_PAIRS}@customer.example`,
      }
      const order = pair % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known']
      for (const kind of order) {
        const milliseconds = await refusedLogin(agent, port, emails[kind])
        if (pair >= 0) times[kind].push(milliseconds)
      }
    }
  } finally {
    agent.destroy()
  }
  return {
    known: median(times.known),
    unknown: median(times.unknown),
    // Half of the answers of one kind lie within this; a difference far below it cannot be seen in one try.
    spread: quartileDistance(times.known),
  }
}

async function refusedLogin(agent, port, email) {
  const body = JSON.stringify({ email, password: 'not the password', source: 'satellite' })
  const startedAt = performance.now()
  const answer = await post(agent, port, body)
  const { code } = await json(answer)
  const milliseconds = performance.now() - startedAt
  if (code !== 'INVALID_CREDENTIALS') throw new Error(`login answered ${answer.statusCode} ${code}`)
  return milliseconds
}

function post(agent, port, body) {
  return new Promise((resolve, reject) => {
    request({
      agent,
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/login',
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
    })
      .once('response', resolve)
      .once('error', reject)
      .end(body)
  })
}

function quartileDistance(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.75)] - sorted[Math.floor(sorted.length * 0.25)]
}
