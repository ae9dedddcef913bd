import type { TestResponse } from '../../support/http-request.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { bearer, outcome } from '../support/api-calls.js'
import type { Keyring } from './keyring.js'
import type { Witness } from './witness.js'

/** Where a browser is, and what it says it is. */
export interface Surroundings {
  readonly name: string
  readonly ip: string
  readonly userAgent: string
}

/** The cookies that are kept between requests. */
const SESSION = 'sessionId'

/** Somebody's browser on the main site, with its cookies. */
export class Browser {
  private readonly cookies = new Map<string, string>()
  private accessToken = ''
  /** Every session that was ever in it. */
  readonly sessions = new Set<string>()

  constructor(
    private readonly app: TestApp,
    readonly surroundings: Surroundings,
    private readonly log: string[],
    /** Who sees what is done in it; nobody in the owner's. */
    private readonly witness: Witness | null = null,
  ) {}

  get sessionId(): string {
    return this.cookies.get(SESSION) ?? ''
  }

  /** The cookie of a session that was opened elsewhere. */
  takeSession(sessionId: string): void {
    this.cookies.set(SESSION, sessionId)
    this.sessions.add(sessionId)
  }

  /** A request without an access token, as the pages send it to what is public. */
  open(path: string, body: object, ip = this.surroundings.ip): Promise<TestResponse> {
    return this.send('POST', path, body, { 'X-Forwarded-For': ip })
  }

  /** As {@link open}, in a private window, which leaves the cookies of the others alone. */
  async openApart(path: string, body: object): Promise<TestResponse> {
    const kept = [...this.cookies]
    this.cookies.clear()
    try {
      return await this.open(path, body)
    } finally {
      this.cookies.clear()
      for (const [name, value] of kept) this.cookies.set(name, value)
    }
  }

  /** A request in the session; the refusal of the refresh when it is over. */
  async act(method: string, path: string, body?: object): Promise<TestResponse> {
    const refreshed = await this.send('POST', '/api/refresh')
    if (refreshed.status !== 200) return refreshed
    this.accessToken = refreshed.json.accessToken
    return this.send(method, path, body, bearer(this.accessToken))
  }

  /** Logs in, and uses a second factor where one is asked for; the outcome of the last step. */
  async logIn(email: string, password: string, keys: Keyring, rememberDevice = false): Promise<string> {
    const first = await this.open('/api/login', { email, password, source: 'main' })
    if (first.json?.code !== 'SECOND_FACTOR_REQUIRED') return outcome(first)
    let last = outcome(first)
    for (const method of first.json.methods)
      for (const prove of keys.proofs(method)) {
        const proof = await prove()
        const { challenge } = first.json
        last = outcome(await this.open('/api/login/second-factor', { challenge, ...proof, rememberDevice }))
        if (last === '200') return last
      }
    return last
  }

  /** Logs in with one of these passkeys and nothing else; the outcome of the last try, null without any. */
  async logInWithPasskey(keys: Keyring): Promise<string | null> {
    let last: string | null = null
    for (const prove of keys.proofs('passkey')) {
      const { passkey: response } = (await prove()) as { passkey: object }
      last = outcome(await this.open('/api/login/passkey', { response, source: 'main' }))
      if (last === '200') return last
    }
    return last
  }

  /** Re-authenticates with the factors that are right, otherwise with the password; whether anything was. */
  async reauthenticate(password: string | null, keys: Keyring): Promise<boolean> {
    const { json } = await this.act('GET', '/api/reauthenticate')
    const factors = ((json?.methods ?? []) as string[]).flatMap(method => keys.proofs(method))
    for (const prove of [...factors, async () => ({ password })]) {
      const proof = await prove()
      if ((await this.act('POST', '/api/reauthenticate', proof)).status === 200) return true
    }
    return false
  }

  private async send(
    method: string,
    path: string,
    body?: object,
    more: Record<string, string> = {},
  ): Promise<TestResponse> {
    const request = `${method} ${path}`
    const before = await this.witness?.before(request)
    const answer = await this.exchange(method, path, body, more)
    if (before && answer.status < 300) await this.witness?.after(request, before)
    return answer
  }

  private async exchange(
    method: string,
    path: string,
    body?: object,
    more: Record<string, string> = {},
  ): Promise<TestResponse> {
    const { name, ip, userAgent } = this.surroundings
    const Cookie = [...this.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const headers = { Origin: MAIN, 'User-Agent': userAgent, 'X-Forwarded-For': ip, Cookie, ...more }
    const answer = await this.app.request({
      ...{ method, path, headers, timeoutMs: 60_000 },
      ...(body && { body }),
    })
    this.keepCookies(answer)
    if (path !== '/api/refresh' || answer.status !== 200)
      this.log.push(`  ${name}: ${method} ${path} ${outcome(answer)}`)
    return answer
  }

  private keepCookies({ setCookies }: TestResponse): void {
    for (const line of setCookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (!name) continue
      if (value) this.cookies.set(name, value)
      else this.cookies.delete(name)
      if (name === SESSION && value) this.sessions.add(value)
    }
  }
}
