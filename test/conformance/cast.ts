import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { canonicalEmail, type Email, type Source, type User, UserAdministration } from '../sources.js'
import { MAIN, SHOP_ONE } from '../support/test-app.js'
import { lockOut } from './guesses.js'
import type { Service } from './service/service.js'
import { forgetProof, moveIntoThePast } from './values/expired-session.js'
import { deviceIdsOf, sessionIdOf } from './values/session-cookie.js'

/** A user and the password that only the user knows. */
export interface Person extends User {
  readonly password: string
}

/** What a client holds after logging in. */
export interface Login {
  readonly accessToken: string
  readonly sessionId: string
}

/** What a satellite's page needs to log in by hand-off. */
export interface Handoff {
  readonly code: string
  readonly verifier: string
}

/** More than the 72 bytes at which some hashes stop reading, with letters that have an upper case. */
const PASSWORD = 'An owner of a shop types this whole sentence whenever a form asks for a password'
const NEW_PASSWORD = 'Nobody but the owner of this shop knows the fourth verse of that song'
const UNICODE_PASSWORD = 'Über Ängste: nö, dieses Paßwort schützt wäßrige Crème brûlée'.normalize('NFC')

/** The people of one case and their sessions, each made when it is first asked for. */
export class Cast {
  private readonly made = new Map<string, Promise<unknown>>()

  constructor(readonly service: Service) {}

  /** The owner of an account of their own. */
  owner(name: 'U1' | 'U2' | 'UUNI'): Promise<Person> {
    return this.once(name, () => this.hire(name === 'UUNI' ? UNICODE_PASSWORD : PASSWORD))
  }

  /** An owner who was logged in at a satellite and then disabled. */
  disabled(): Promise<{ person: Person; session: Login }> {
    return this.once('disabled', async () => {
      const person = await this.hire(PASSWORD)
      const session = await this.logIn(person, 'satellite')
      await this.service.node.get(UserAdministration).disable(person)
      return { person, session }
    })
  }

  /** An owner at whose password this network has guessed too often. */
  locked(): Promise<Person> {
    return this.once('locked', async () => {
      const person = await this.hire(PASSWORD)
      await lockOut(this.service, person.email)
      return person
    })
  }

  /**
   * The one session of that owner from the main site, or from the first satellite: as in a browser that was left open,
   * its login no longer counts as a re-authentication.
   */
  session(name: 'U1' | 'U2', source: Source): Promise<Login> {
    return this.once(`${name} ${source}`, async () => {
      const session = await this.logIn(await this.owner(name), source)
      await forgetProof(this.service, session.sessionId)
      return session
    })
  }

  /** The main session of U1, just after the password was given again. */
  proven(): Promise<Login> {
    return this.once('proven', async () => {
      const session = await this.session('U1', 'main')
      const { password } = await this.owner('U1')
      await this.post('/api/reauthenticate', session, { password })
      return session
    })
  }

  /** A code by which the main session of U1 is handed off to the first satellite, and what its page has kept. */
  handoff(): Promise<Handoff> {
    return this.once('handoff', async () => {
      const { accessToken, sessionId } = await this.session('U1', 'main')
      const verifier = randomBytes(32).toString('base64url')
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const { status, text, json } = await this.service.request({
        method: 'POST',
        path: '/api/handoff/codes',
        headers: { Origin: MAIN, Authorization: `Bearer ${accessToken}`, Cookie: `sessionId=${sessionId}` },
        body: { satellite: SHOP_ONE, challenge, state: challenge },
      })
      if (status !== 201) throw new Error(`the code was refused: ${status} ${text}`)
      const code = new URLSearchParams(new URL(json.redirect).hash.slice(1)).get('code') as string
      this.service.secrets.add(code, verifier)
      return { code, verifier }
    })
  }

  /** The session of U1, of that source, once it has expired; its row is still in the database. */
  expired(source: Source): Promise<Login> {
    return this.once('expired', async () => {
      const session = await this.session('U1', source)
      await moveIntoThePast(this.service, session.sessionId)
      return session
    })
  }

  /** The main session of U1, once it was logged out. */
  revoked(): Promise<Login> {
    return this.once('revoked', async () => {
      const session = await this.session('U1', 'main')
      await this.logOut(session)
      return session
    })
  }

  /** Logs in over HTTP, as a page of that kind of site would. */
  async logIn({ email, password }: Person, source: Source): Promise<Login> {
    const answer = await this.service.request({
      method: 'POST',
      path: '/api/login',
      headers: { Origin: source === 'main' ? MAIN : SHOP_ONE },
      body: { email, password, source },
    })
    if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${answer.text}`)
    const login = { accessToken: answer.json.accessToken, sessionId: sessionIdOf(answer)! }
    this.service.secrets.add(login.accessToken, login.sessionId, ...deviceIdsOf(answer))
    return login
  }

  /** Logs out over HTTP. */
  logOut(login: Login): Promise<void> {
    return this.post('/api/logout', login)
  }

  /** Sets another password, in this session. */
  async changePassword({ password: currentPassword }: Person, login: Login): Promise<void> {
    this.service.secrets.add(NEW_PASSWORD)
    await this.post('/api/password/change', login, { currentPassword, password: NEW_PASSWORD })
  }

  private async post(path: string, { accessToken, sessionId }: Login, body?: object): Promise<void> {
    const headers = { Authorization: `Bearer ${accessToken}`, Cookie: `sessionId=${sessionId}` }
    const { status, text } = await this.service.request({
      method: 'POST',
      path,
      headers,
      ...(body && { body }),
    })
    if (status >= 300) throw new Error(`${path} answered ${status} ${text}`)
  }

  /** i, k and s are the letters that have a twin outside ASCII under some rule of upper and lower case. */
  private async hire(password: string): Promise<Person> {
    const email = canonicalEmail(`kiss-${randomUUID()}@example.com`) as Email
    const user = await this.service.node.get(UserAdministration).createAccount(email, password)
    this.service.secrets.add(password)
    return { ...user, password }
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.made.get(name) ?? make()
    this.made.set(name, known)
    return known as Promise<T>
  }
}
