import { randomUUID } from 'node:crypto'
import {
  canonicalEmail,
  type Email,
  initialGrant,
  type NewUser,
  type Source,
  type User,
  UserAdministration,
  Users,
} from '../sources.js'
import type { TestResponse } from './http-request.js'
import { MAIN, SHOP_ONE, type TestApp } from './test-app.js'

export const PASSWORD = 'a password nobody else has'

/** A new owner in a new account. */
export function anOwner(app: TestApp, password = PASSWORD): Promise<User> {
  return app.get(UserAdministration).createAccount(anEmail(), password)
}

/** A new member of the owner's account. */
export function aMember(app: TestApp, owner: User, password = PASSWORD): Promise<User> {
  return app.get(UserAdministration).createMember(owner.accountId, anEmail(), password)
}

/** Members as an import makes them: many, of one moment, none of whom has logged in. */
export async function importMembers(
  app: TestApp,
  { accountId }: User,
  count: number,
  granted = initialGrant('member'),
): Promise<User[]> {
  const createdAt = app.clock.now()
  const members = Array.from({ length: count }, (): NewUser => {
    const rest = { name: null, satellites: null, passwordHash: null }
    return { id: randomUUID(), accountId, email: anEmail(), role: 'member', granted, ...rest }
  })
  return app.database.transaction(async transaction => {
    const added: User[] = []
    for (const member of members) added.push(await app.get(Users).add(transaction, member, createdAt))
    return added
  })
}

export function anEmail(): Email {
  return canonicalEmail(`user-${randomUUID()}@example.com`) as Email
}

/** What a client holds after logging in. */
export interface SignedIn {
  readonly accessToken: string
  /** From the cookie on the main site, from the body elsewhere. */
  readonly sessionId: string
  readonly answer: TestResponse
}

/** What a login may have of its own; what is not named here is a header, of which an empty list is none. */
interface Login {
  readonly source?: Source
  readonly password?: string
  readonly [header: string]: string | string[] | undefined
}

/** Sends a login as a page of that kind of site would; resolves whatever the answer. */
export function sendLogin(
  app: TestApp,
  { email }: { readonly email: string },
  { source = 'main', password = PASSWORD, ...headers }: Login = {},
): Promise<TestResponse> {
  const body = { email, password, source }
  const Origin = source === 'main' ? MAIN : SHOP_ONE
  return app.post('/api/login', body, { Origin, ...(headers as Record<string, string>) })
}

/** Logs in over HTTP, as a page of that kind of site would. */
export async function signIn(
  app: TestApp,
  user: Pick<User, 'email'>,
  source: Source,
  origin?: string,
): Promise<SignedIn> {
  const answer = await sendLogin(app, user, { source, ...(origin && { Origin: origin }) })
  if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${answer.text}`)
  const { accessToken, sessionId } = answer.json as { accessToken: string; sessionId?: string }
  return { accessToken, sessionId: sessionId ?? cookieValue(answer), answer }
}

/** Somebody in a session of theirs: the user, and what their client holds. */
export type Person = User & SignedIn

/** A new owner in a new account, logged in. */
export async function aSignedInOwner(app: TestApp, source: Source = 'main'): Promise<Person> {
  const owner = await anOwner(app)
  return { ...owner, ...(await signIn(app, owner, source)) }
}

/** A new member of the owner's account, logged in. */
export async function aSignedInMember(app: TestApp, owner: User, source: Source = 'main'): Promise<Person> {
  const member = await aMember(app, owner)
  return { ...member, ...(await signIn(app, member, source)) }
}

function cookieValue({ setCookies }: TestResponse): string {
  return /^sessionId=([^;]*)/.exec(setCookies[0] ?? '')?.[1] ?? ''
}
