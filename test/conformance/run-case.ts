import { request } from '../support/http-request.js'
import type { Case } from './case.js'
import { type CaseRequest, requestsOf } from './case-requests.js'
import { Cast } from './cast.js'
import { checkFor } from './checks.js'
import { expectAnswer, expectProblemIfRefused } from './expectations.js'
import { rawRequest } from './raw-request.js'
import type { Answer, Scene } from './scene.js'
import type { Service } from './service/service.js'
import { filledIn } from './values/fill-in.js'
import { sessionIdOf } from './values/session-cookie.js'
import { meaningOf } from './values/values.js'

/** How often instead of `repeat`: 200 pairs are for their times, which are a benchmark's work. */
const REPEAT_HERE: Readonly<Record<string, number>> = { 'ENUM-01': 3 }

/** Cases that ask what the audit log says of a refusal. Of what one network is refused in an hour it keeps only the first. */
const OF_ITS_OWN_ADDRESS = 'proxy-host-header-spoofing'

/** Everything that one case asks: people and sessions of its own, its requests, its expectations. Throws where one is not met. */
export async function runCase(template: Case, service: Service): Promise<void> {
  const cast = new Cast(service)
  const theCase = await filledIn(template, name => meaningOf(name, template, cast))
  const requests = theCase.steps ? [] : await requestsOf(theCase, cast)
  if (theCase.class === OF_ITS_OWN_ADDRESS) sendFromAnAddressOfItsOwn(requests)
  const [first] = requests
  const scene: Scene = { case: theCase, cast, service, request: first && 'http' in first ? first.http : {} }

  const { invariant, sideEffect, ...expectations } = theCase.expect
  const sentences = [invariant, sideEffect].filter(sentence => sentence !== undefined)
  const checks = await Promise.all(sentences.map(sentence => checkFor(sentence)(scene)))

  const answers = await sendAll(requests, theCase, service)
  for (const answer of answers) expectAnswer(answer, expectations, service)
  for (const answer of answers) expectProblemIfRefused(answer)
  for (const answer of answers) learn(answer, service)
  for (const check of checks) await check(answers)
}

let addresses = 1

function sendFromAnAddressOfItsOwn(requests: readonly CaseRequest[]): void {
  const localAddress = `127.0.0.${++addresses}`
  for (const one of requests) if ('http' in one) one.http.localAddress = localAddress
}

async function sendAll(
  requests: readonly CaseRequest[],
  { id, repeat = 1, parallel = 1 }: Case,
  service: Service,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const one of requests) {
    for (let count = 0; count < (REPEAT_HERE[id] ?? repeat); count++) {
      const numbered = withNumber(one, count)
      answers.push(...(await Promise.all(Array.from({ length: parallel }, () => send(numbered, service)))))
    }
  }
  return answers
}

/** `{{i}}` in a header is the number of the repetition. */
function withNumber(one: CaseRequest, count: number): CaseRequest {
  if ('raw' in one || !one.http.headers) return one
  const headers = Object.entries(one.http.headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace('{{i}}', String(count)) : value,
  ])
  return { http: { ...one.http, headers: Object.fromEntries(headers) } }
}

async function send(one: CaseRequest, { url, port }: Service): Promise<Answer> {
  return 'raw' in one ? rawRequest(port, one.raw) : request(url, one.http)
}

/** What it hands out may stand in no later answer. */
function learn(answer: Answer, { secrets }: Service): void {
  secrets.add(answer.json?.accessToken, sessionIdOf(answer) ?? undefined)
}
