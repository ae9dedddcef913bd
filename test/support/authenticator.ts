import { eq } from 'drizzle-orm'
import { generateSecret, generateSync } from 'otplib'
import {
  type Clock,
  RecoveryCodes,
  recoveryCodes,
  SessionChanges,
  TotpFactors,
  type User,
  UserFactors,
  Users,
} from '../sources.js'
import type { TestResponse } from './http-request.js'
import { sendLogin } from './people.js'
import { MAIN, type TestApp } from './test-app.js'

/** The app on somebody's phone. */
export class Authenticator {
  constructor(
    private readonly app: { readonly clock: Clock },
    readonly secret = generateSecret(),
  ) {}

  /** The code of now, or of so many steps of 30 s later. */
  code(steps = 0): string {
    const epoch = Math.floor(this.app.clock.now().getTime() / 1000) + 30 * steps
    return generateSync({ secret: this.secret, epoch })
  }

  /** Six digits that are none of the codes that count now. */
  wrongCode(): string {
    const right = [-2, -1, 0, 1, 2].map(steps => this.code(steps))
    return ['000000', '000001', '000002', '000003', '000004', '000005'].find(code => !right.includes(code))!
  }
}

/** Sets up an authenticator app that is confirmed, as if long ago. */
export async function giveAuthenticator(app: TestApp, { id }: Pick<User, 'id'>): Promise<Authenticator> {
  const authenticator = new Authenticator(app)
  await app.get(SessionChanges).commit(async transaction => {
    await app.get(Users).lock(transaction, id)
    await app.get(TotpFactors).add(transaction, id, authenticator.secret)
    return app.get(UserFactors).reassess(transaction, id)
  })
  return authenticator
}

export function giveRecoveryCodes(app: TestApp, { id }: Pick<User, 'id'>): Promise<string[]> {
  return app.database.transaction(transaction => app.get(RecoveryCodes).replace(transaction, id))
}

type Headers = Record<string, string>

/** The second step of a login, with what `body` has. */
export function secondStep(app: TestApp, body: object, headers: Headers = {}): Promise<TestResponse> {
  return app.post('/api/login/second-factor', body, { Origin: MAIN, ...headers })
}

/** The challenge that the right password leads to. */
export async function aChallenge(app: TestApp, user: Pick<User, 'email'>, headers: Headers = {}) {
  const { json } = await sendLogin(app, user, headers)
  if (json?.code !== 'SECOND_FACTOR_REQUIRED') throw new Error(`The first step answered ${json?.code}`)
  return json.challenge as string
}

/** As if the user had used all their recovery codes. */
export async function spendCodes(app: TestApp, userId: string): Promise<void> {
  await app.database.run(db => db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)))
}
