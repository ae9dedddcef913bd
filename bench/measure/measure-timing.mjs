import { Agent } from 'node:http'
import { text } from 'node:stream/consumers'
import { post } from './post-json.mjs'
import { median } from './rounds.mjs'

const PAIRS = 200
const WARM_UP_PAIRS = 20

/** Refused logins, with a wrong password where there is such a user. */
export const REFUSED_LOGIN = {
  path: '/api/login',
  bodyFor: email => ({ email, password: 'not the password', source: 'satellite' }),
  isAnswer: ({ code }) => code === 'INVALID_CREDENTIALS',
}
/** A link for a new password, which goes to whoever there is. */
export const FORGOTTEN_PASSWORD = {
  path: '/api/password/forgot',
  bodyFor: email => ({ email }),
  isAnswer: answer => answer === null,
}

/**
 * Median milliseconds of a question for e-mails that have a user and that have none, one after the other on one
 * connection, in turns.
 */
export async function measureTiming(question, { port }, users) {
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
        const milliseconds = await ask(question, agent, port, emails[kind])
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

async function ask({ path, bodyFor, isAnswer }, agent, port, email) {
  const body = JSON.stringify(bodyFor(email))
  const startedAt = performance.now()
  const answer = await post({ agent, port, path, text: body })
  const content = await text(answer)
  const milliseconds = performance.now() - startedAt
  if (!isAnswer(content === '' ? null : JSON.parse(content)))
    throw new Error(`${path} answered ${answer.statusCode} ${content}`)
  return milliseconds
}

function quartileDistance(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.75)] - sorted[Math.floor(sorted.length * 0.25)]
}
