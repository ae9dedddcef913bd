import { expect } from '@jest/globals'
import type { TestResponse } from '../../support/http-request.js'
import { type Answer, afterwards, type Check, type Scene } from '../scene.js'
import { sessionCookieOf } from '../values/session-cookie.js'

/** Sentences that hold an answer against the answer to a similar request. */
export const answerChecks: Readonly<Record<string, Check>> = {
  'outcome, cookie attributes (Secure, Domain) and audit IP equal those without the header': afterwards(
    async (scene, [answer]) => {
      const plain = await scene.service.request({ ...scene.request, headers: withoutSpoofing(scene) })
      expect(await outcomeOf(scene, answer!)).toEqual(await outcomeOf(scene, plain))
    },
  ),

  // The times are measured by a benchmark: on a busy machine they tell nothing.
  'identical status, body, headers, length; median time difference < 5 % and Mann-Whitney p > 0.01 (dummy argon2 verify)':
    afterwards(async (scene, answers) => {
      for (const answer of answers) expect(likeness(answer)).toEqual(likeness(await wrongPassword(scene)))
    }),

  'same body as wrong password': afterwards(async (scene, [answer]) => {
    expect(likeness(answer!)).toEqual(likeness(await wrongPassword(scene)))
  }),
}

function withoutSpoofing({ request }: Scene) {
  const { 'Content-Type': type, Origin: origin } = request.headers!
  return { 'Content-Type': type!, ...(origin && { Origin: origin }) }
}

async function outcomeOf({ service }: Scene, answer: TestResponse) {
  const { value: _, ...cookie } = sessionCookieOf(answer) ?? {}
  const { ip, action, outcome } = await service.auditRowOf(answer)
  return { status: answer.status, cookie, ip, action, outcome }
}

async function wrongPassword({ cast, service }: Scene): Promise<TestResponse> {
  const { email } = await cast.owner('U1')
  const body = { email, password: 'x'.repeat(20), source: 'satellite' }
  return service.request({ method: 'POST', path: '/api/login', body })
}

/** Everything about an answer but the moment and the id of its request. */
function likeness({ status, headers, text }: Answer) {
  const { date: _, 'x-request-id': requestId, ...others } = headers
  return { status, headers: others, length: text.length, body: text.replace(requestId!, '') }
}
