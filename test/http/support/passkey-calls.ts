import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
} from '@simplewebauthn/server'
import type { TestResponse } from '../../support/http-request.js'
import { SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import type { SignedIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { onMainSite } from './reauthenticate.js'

type Session = Pick<SignedIn, 'accessToken' | 'sessionId'>
export interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
}

export async function passkeyOptions(app: TestApp): Promise<RequestOptions> {
  const answer = await app.post('/api/login/passkey/options')
  if (answer.status !== 200) throw new Error(`options answered ${answer.status} ${answer.text}`)
  return answer.json
}

export async function creationOptions(
  app: TestApp,
  session: Session,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const answer = await onMainSite(app, session, 'POST', '/api/passkeys/options')
  if (answer.status !== 200) throw new Error(`options answered ${answer.status} ${answer.text}`)
  return answer.json
}

/** In a session that has re-authenticated. */
export async function addPasskey(
  app: TestApp,
  session: Session,
  authenticator = new SoftwareAuthenticator(),
  name?: string,
): Promise<TestResponse & { authenticator: SoftwareAuthenticator }> {
  const response = authenticator.create(await creationOptions(app, session))
  const answer = await onMainSite(app, session, 'POST', '/api/passkeys', { response, ...(name && { name }) })
  return { ...answer, authenticator }
}

export function logInWithPasskey(
  app: TestApp,
  response: AuthenticationResponseJSON,
  body: object = { source: 'main' },
  headers: Record<string, string> = { Origin: MAIN },
): Promise<TestResponse> {
  return app.post('/api/login/passkey', { response, ...body }, headers)
}

/** A main session of the passkey's user. */
export async function passkeySession(app: TestApp, authenticator: SoftwareAuthenticator): Promise<SignedIn> {
  const answer = await logInWithPasskey(app, authenticator.get(await passkeyOptions(app)))
  if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${answer.text}`)
  const sessionId = /^sessionId=([^;]*)/.exec(answer.setCookies[0] ?? '')?.[1] ?? ''
  return { accessToken: answer.json.accessToken, sessionId, answer }
}

/** One that has re-authenticated with it too. */
export async function provenPasskeySession(
  app: TestApp,
  authenticator: SoftwareAuthenticator,
): Promise<SignedIn> {
  const session = await passkeySession(app, authenticator)
  const passkey = authenticator.get(await passkeyOptions(app))
  const { status, text } = await onMainSite(app, session, 'POST', '/api/reauthenticate', { passkey })
  if (status !== 200) throw new Error(`re-authentication answered ${status} ${text}`)
  return session
}
