import { Authenticator } from '../../support/authenticator.js'
import { SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import type { TestApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { passkeyOptions } from '../support/passkey-calls.js'
import type { Browser } from './browser.js'

/** A code works once, so the next one is waited for. */
const STEP_SECONDS = 30

type Prove = () => Promise<object>

/** The second factors that somebody holds, whether or not they count any more. */
export class Keyring {
  readonly apps: Authenticator[] = []
  readonly passkeys: SoftwareAuthenticator[] = []
  recoveryCodes: string[] = []

  constructor(private readonly app: TestApp) {}

  get isEmpty(): boolean {
    return this.apps.length + this.passkeys.length + this.recoveryCodes.length === 0
  }

  /** What it can prove by this method, as the body of a request; the newest first. */
  proofs(method: string): Prove[] {
    if (method === 'totp')
      return this.apps.toReversed().map(authenticator => async () => {
        this.app.clock.advance(STEP_SECONDS)
        return { code: authenticator.code() }
      })
    if (method === 'passkey')
      return this.passkeys.toReversed().map(passkey => async () => ({
        passkey: passkey.get(await passkeyOptions(this.app)),
      }))
    const [recoveryCode] = this.recoveryCodes
    if (method !== 'recovery' || recoveryCode === undefined) return []
    return [
      async () => {
        this.recoveryCodes.shift()
        return { recoveryCode }
      },
    ]
  }

  /** Sets up an authenticator app in the browser's session; the outcome. */
  async addApp(browser: Browser): Promise<string> {
    const begun = await browser.act('POST', '/api/second-factor/totp')
    if (begun.status >= 300) return outcome(begun)
    const authenticator = new Authenticator(this.app, begun.json.secret)
    const body = { code: authenticator.code() }
    const confirmed = await browser.act('POST', '/api/second-factor/totp/confirm', body)
    if (confirmed.status === 200) this.keep(confirmed.json.recoveryCodes, this.apps, authenticator)
    return outcome(confirmed)
  }

  /** Adds a passkey in the browser's session; the outcome. */
  async addPasskey(browser: Browser): Promise<string> {
    const options = await browser.act('POST', '/api/passkeys/options')
    if (options.status !== 200) return outcome(options)
    const passkey = new SoftwareAuthenticator()
    const added = await browser.act('POST', '/api/passkeys', { response: passkey.create(options.json) })
    if (added.status === 201) this.keep(added.json.recoveryCodes, this.passkeys, passkey)
    return outcome(added)
  }

  /** Makes new recovery codes in the browser's session; the outcome. */
  async replaceCodes(browser: Browser): Promise<string> {
    const made = await browser.act('POST', '/api/second-factor/recovery-codes')
    if (made.status === 201) this.recoveryCodes = [...made.json.recoveryCodes]
    return outcome(made)
  }

  private keep<T>(codes: string[] | null, kept: T[], factor: T): void {
    kept.push(factor)
    if (codes) this.recoveryCodes = [...codes]
  }
}
