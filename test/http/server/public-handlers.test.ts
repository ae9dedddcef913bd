import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from '@jest/globals'
import {
  type Client,
  documentationOf,
  type Handler,
  handlersOf,
  isPublic,
  openApiDocument,
  permissionsOf,
  type Source,
} from '../../sources.js'
import { openSession } from '../../support/open-session.js'
import { aMember, anOwner } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie } from '../support/api-calls.js'

/** Who adds one here says why everybody in the world may call it. */
const PUBLIC_HANDLERS = [
  'AcceptInvitationController.accept',
  'EmailChangeController.confirm',
  'EmailChangeController.undo',
  'FactorResetLinksController.confirm',
  'FactorResetLinksController.stop',
  'HandoffController.redeem',
  'HandoffController.requireSatellite',
  'HealthController.live',
  'HealthController.ready',
  'HealthController.status',
  'JwksController.list',
  'JwksController.metadata',
  'JwksController.openIdMetadata',
  'LoginController.login',
  'MailedLinksController.preview',
  'PasskeyLoginController.login',
  'PasskeyLoginController.options',
  'PasswordController.forgot',
  'PasswordController.reset',
  'RefreshController.refresh',
  'RelatedOriginsController.list',
  'SecondFactorController.complete',
  'SignUpController.signUp',
  'SignUpController.verify',
  'SiteController.describe',
  'TransferController.accept',
  'TransferController.stop',
  'UnrecognizedLoginController.report',
  'WebhookController.receive',
]

const app = anApp()

it('these handlers are public and no others', () => {
  const handlers = handlersOf(app.app)
  expect(handlers.length).toBeGreaterThan(PUBLIC_HANDLERS.length)
  const names = handlers.filter(({ target }) => isPublic(target)).map(({ name }) => name)
  expect(names.sort()).toEqual(PUBLIC_HANDLERS)
})

it('every other handler asks for an access token', async () => {
  const closed = handlersOf(app.app).filter(({ target }) => !isPublic(target))
  const answers = await Promise.all(
    closed.map(async ({ name, method, path }) => {
      const { status, json } = await app.request({ method, path })
      return `${name}: ${status} ${json?.code}`
    }),
  )
  expect(answers).toEqual(closed.map(({ name }) => `${name}: 401 ACCESS_TOKEN_REQUIRED`))
})

describe('The API reference has what a handler answers', () => {
  let codesOf: (handler: Handler) => readonly string[]
  let open: (source: Source) => ReturnType<typeof openSession>
  beforeAll(async () => {
    const { paths } = openApiDocument(app.app, app.url)
    codesOf = ({ method, path }) => {
      const item = (paths[path.replace(/:(\w+)/g, '{$1}')] ?? {}) as Record<string, Operation>
      const { responses } = item[method.toLowerCase()] as Operation
      return Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/problem+json']?.examples ?? {}),
      )
    }
    // A member without permissions: with all credentials right, it is refused or changes its own alone.
    const member = { ...(await aMember(app, await anOwner(app))), granted: permissionsOf([]) }
    const client: Client = { requestId: 'none', ip: '127.0.0.1', userAgent: null, origin: null }
    open = source => openSession(app, member, source, client)
  })

  it('every refusal of the guards that it runs', () => {
    const missing = handlersOf(app.app).flatMap(handler => {
      const refusals = handler.guards.flatMap(guard => documentationOf(guard).refusals)
      return refusals.filter(code => !codesOf(handler).includes(code)).map(code => `${handler.name}: ${code}`)
    })
    expect(missing).toEqual([])
  })

  slow.each([
    ['a token that is none', 'INVALID_ACCESS_TOKEN', async () => bearer('none')],
    [
      'a token of the main site alone',
      'SESSION_COOKIE_REQUIRED',
      async () => bearer((await open('main')).accessToken),
    ],
    [
      'a token of a satellite alone',
      'SESSION_COOKIE_REQUIRED',
      async () => bearer((await open('satellite')).accessToken),
    ],
    [
      "another session's cookie",
      'SESSION_MISMATCH',
      async () => ({
        ...bearer((await open('main')).accessToken),
        ...cookie((await open('main')).sessionId),
      }),
    ],
    [
      'the identifier of a satellite as the cookie',
      'MAIN_SOURCE_REQUIRED',
      async () => ({
        ...bearer((await open('main')).accessToken),
        ...cookie((await open('satellite')).sessionId),
      }),
    ],
    [
      'the cookie of no session',
      'SESSION_NOT_FOUND',
      async () => ({ ...bearer((await open('main')).accessToken), ...cookie(randomUUID()) }),
    ],
    [
      'a request from another site',
      'CROSS_SITE_REFUSED',
      async () => ({ ...(await ownCredentials()), 'Sec-Fetch-Site': 'cross-site' }),
    ],
    ['a member without permissions', 'PERMISSION_REQUIRED', ownCredentials],
  ])('each answer to %s', async (_, expected, headersOf) => {
    const answered = new Set<unknown>()
    const undocumented: string[] = []
    let given = await headersOf()
    for (const handler of handlersOf(app.app)) {
      const { method, path, name } = handler
      const headers = { Origin: MAIN, ...given }
      const { status, json } = await app.request({ method, path, headers })
      // What is refused changes nothing; anything else may end the session.
      if (status < 400) given = await headersOf()
      answered.add(json?.code)
      if (status >= 400 && !codesOf(handler).includes(json?.code as string))
        undocumented.push(`${name}: ${status} ${json?.code}`)
    }
    expect(undocumented).toEqual([])
    expect(answered).toContain(expected)
  })

  async function ownCredentials() {
    const { accessToken, sessionId } = await open('main')
    return { ...bearer(accessToken), ...cookie(sessionId) }
  }
})

interface Operation {
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>
}
