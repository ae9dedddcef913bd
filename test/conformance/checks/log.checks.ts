import { expect } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { rawRequest } from '../raw-request.js'
import { type Answer, afterwards, type Check, type Scene } from '../scene.js'
import { secretsKeptBy } from '../service/leaked-secrets.js'
import type { Service } from '../service/service.js'
import { sessionOf } from '../values/stored-session.js'

type LogLine = Record<string, unknown> & { readonly req?: { readonly id: string } }

/** Sentences about what the service writes down. */
export const logChecks: Readonly<Record<string, Check>> = {
  // Every line is read as JSON, so a line break that went through unescaped would show as a line that is none.
  'one JSON log line, value escaped': afterwards(async ({ service }, [answer]) => {
    expect(await linesOf(service, answer!)).toMatchObject([{ msg: 'request' }])
  }),

  'grep logs, audit table, traces and error reports: no password, no JWT, no raw sessionId, no Stripe-Signature':
    afterwards(async (scene, [answer]) => {
      const { password } = scene.case.body as { password: string }
      await scene.service.auditRowOf(answer!)
      scene.service.secrets.add(password)
      expect(await secretsKeptBy(scene.service)).toEqual([])
    }),

  'stored user agent <= 256 chars, printable': async ({ case: { headers }, service }) => {
    const head = `GET /api/data HTTP/1.1\r\nHost: a\r\nUser-Agent: ${headers['User-Agent']}\r\n\r\n`
    expect(await rawRequest(service.port, head)).toMatchObject({ status: 400, isClosed: true })
    return async ([answer]) => {
      const { userAgent } = (await sessionOf(service, answer!))!
      const row = await service.auditRowOf(answer!)
      for (const stored of [userAgent, row.userAgent]) expect(stored).toMatch(/^[\x20-\x7e]{1,256}$/)
    }
  },

  'failure logged with reason code; response does not name the reason beyond invalid_token':
    afterwards(namesNoReason),
}

async function namesNoReason({ service }: Scene, [answer]: readonly Answer[]): Promise<void> {
  expect(await linesOf(service, answer!)).toContainEqual(
    expect.objectContaining({ code: 'INVALID_ACCESS_TOKEN' }),
  )
  expect(answer!.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
  expect(answer!.text).not.toMatch(/signature|expired|algorithm|key|claim|kid/i)
}

/** The log lines of a request; waits for the one that ends it. */
async function linesOf(service: Service, { headers }: Answer): Promise<LogLine[]> {
  return eventually(
    async () => {
      const lines = (await service.logLines()).map(line => JSON.parse(line) as LogLine)
      const ofRequest = lines.filter(({ req }) => req?.id === headers['x-request-id'])
      return ofRequest.some(({ msg }) => msg === 'request') && ofRequest
    },
    { what: 'the log line' },
  ) as Promise<LogLine[]>
}
