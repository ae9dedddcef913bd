import { isLoopback } from '../../../platform/config/origin.js'
import { causeMessage } from '../../../platform/errors/api-error.js'
import { certificateFinding } from '../certificate.js'
import { compareClocks } from '../clock-difference.js'
import { type Finding, fault, ok, warning } from '../finding.js'
import { ask, type HttpAnswer } from './http-probe.js'
import type { Outside } from './outside.js'

const LIVE = { path: '/health/live' }
/** What the service itself sends, and what browsers' preload lists ask for. */
const HSTS_SECONDS = 31_536_000
/** Error codes of node:tls and OpenSSL for certificates that a browser would refuse too. */
const CERTIFICATE_CODES = /CERT|SIGNED|SIGNATURE|ISSUER|ALTNAME|HOSTNAME|UNABLE_TO_/

/** Whether anything answers, and with which certificate. Rejects when nothing does. */
export async function checkHttps(outside: Outside): Promise<Finding[]> {
  const { origin, clock } = outside
  const { answer, refusal } = await askOnce(outside)
  return [
    addressFinding(outside),
    ...(refusal ? [refusal] : protocolFindings(origin, answer, clock.now())),
    ...(origin.protocol === 'https:' ? [hstsFinding(answer), ...(await checkPlainHttp(outside))] : []),
    answer.status === 200
      ? ok('service.answer', `${origin.href} answers`)
      : fault(
          'service.answer',
          `${origin.href} answers ${answer.status} to ${LIVE.path}`,
          'Look at the proxy: it must send every path to the service',
        ),
    clockFinding(answer),
  ]
}

/** A certificate that is not valid is a finding, and the rest is checked all the same. */
async function askOnce(outside: Outside): Promise<{ answer: HttpAnswer; refusal?: Finding }> {
  try {
    return { answer: await outside.ask(LIVE) }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!CERTIFICATE_CODES.test(code)) throw error
    outside.isUnverified = true
    const saw = `The certificate of ${outside.origin.host} is not valid: ${causeMessage(error)}`
    const refusal = fault('https.certificate', saw, 'Serve a valid certificate for this name, with its chain')
    return { answer: await outside.ask(LIVE), refusal }
  }
}

function addressFinding({ origin, isPublicUrl, settings: { publicUrl } }: Outside): Finding {
  const check = 'service.address'
  if (isPublicUrl) return ok(check, `${publicUrl} is PUBLIC_URL`)
  return warning(
    check,
    `${origin.href} is not PUBLIC_URL (${publicUrl})`,
    'Run doctor with PUBLIC_URL too: clients and the provider use that',
  )
}

function protocolFindings(origin: URL, { certificate }: HttpAnswer, now: Date): Finding[] {
  if (certificate) return [certificateFinding('https.certificate', certificate, origin.href, now)]
  if (origin.protocol === 'https:') return [ok('https.certificate', 'asked without TLS where --at leads')]
  if (isLoopback(origin.hostname)) return [ok('https.certificate', 'this machine needs no https')]
  return [
    fault(
      'https.certificate',
      `${origin.host} is served without TLS: browsers do not keep the cookie, and tokens can be read`,
      'Serve it over https alone',
    ),
  ]
}

function hstsFinding({ headers }: HttpAnswer): Finding {
  const check = 'https.hsts'
  const header = headers['strict-transport-security']
  if (header === undefined)
    return fault(
      check,
      'The answers have no Strict-Transport-Security',
      'Let the proxy pass the header of the service on',
    )
  const maxAge = Number(/max-age="?(\d+)/i.exec(header)?.[1] ?? 0)
  if (maxAge >= HSTS_SECONDS) return ok(check, header)
  return warning(check, `Strict-Transport-Security is ${header}`, `Make max-age at least ${HSTS_SECONDS}`)
}

/** Somebody who types the name without https must not get an answer from the API. */
async function checkPlainHttp({ target, origin }: Outside): Promise<Finding[]> {
  const check = 'https.only'
  if (origin.port !== '' || target.at) return []
  const plain = new URL(origin)
  plain.protocol = 'http:'
  const answer = await ask({ ...target, origin: plain }, LIVE).catch(() => null)
  if (answer === null) return [ok(check, 'nothing answers over http')]
  const isSentOn = answer.status >= 300 && /^https:/i.test(answer.headers.location ?? '')
  if (isSentOn || answer.status >= 400) return [ok(check, `http is answered ${answer.status}`)]
  const saw = `${plain.href} is answered ${answer.status} without TLS`
  return [fault(check, saw, 'Let the proxy send http on to https, or refuse it')]
}

function clockFinding({ headers, sentAt, answeredAt }: HttpAnswer): Finding {
  const there = new Date(headers.date ?? Number.NaN)
  if (Number.isNaN(there.getTime()))
    return warning('clock.service', 'The answers have no Date', 'Let the proxy pass it on')
  return compareClocks('clock.service', 'The service', {
    before: sentAt,
    there,
    after: answeredAt,
    resolutionSeconds: 1,
  })
}
