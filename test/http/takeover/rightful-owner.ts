import type { User } from '../../sources.js'
import { PASSWORD } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { Mailbox, type MailedLink, requestOf } from '../support/mailbox.js'
import { Browser, type Surroundings } from './browser.js'
import { Keyring } from './keyring.js'

/** What the owner has set up before anything is stolen. */
export interface SetUp {
  readonly app: boolean
  readonly passkeys: 0 | 1 | 2
  /** Only where the factors are enough without it. */
  readonly givesUpPassword: boolean
  readonly remembersBrowser: boolean
  readonly requires: 'off' | 'everyone'
  /** Whether all of that was done within the last seven days. */
  readonly isRecent: boolean
}

/** Each is good once: nobody sets a password that was stolen. */
const NEW_PASSWORDS = [
  'seven quiet otters juggle',
  'marble lanterns drift upstream',
  'copper kites over harbour',
]

/** The owner of an account, at home, with their mailbox and whatever factors they have set up. */
export class RightfulOwner {
  readonly keys: Keyring
  readonly browser: Browser
  readonly mailbox: Mailbox
  private password = PASSWORD
  private readonly newPasswords = [...NEW_PASSWORDS]

  constructor(
    private readonly app: TestApp,
    readonly user: User,
    surroundings: Surroundings,
    log: string[],
  ) {
    this.keys = new Keyring(app)
    this.browser = new Browser(app, surroundings, log)
    this.mailbox = new Mailbox(app, user.email)
  }

  /** Logs in for the first time, from home, and sets up what the owner has. */
  async setUp({ app, passkeys, givesUpPassword, remembersBrowser, requires }: SetUp): Promise<void> {
    await this.logsIn()
    if (app) await this.addsApp()
    for (let added = 0; added < passkeys; added++) await this.addsPasskey()
    if (requires === 'everyone' && !this.keys.isEmpty) await this.requiresFactors()
    if (givesUpPassword) await this.proven('DELETE', '/api/password')
    await this.logsIn(remembersBrowser)
  }

  /** With the password, and a factor where one is asked for; otherwise with a passkey. */
  async logsIn(remember = false): Promise<string> {
    const answer = await this.browser.logIn(this.user.email, this.password, this.keys, remember)
    return answer === '200' ? answer : ((await this.browser.logInWithPasskey(this.keys)) ?? answer)
  }

  async addsApp(): Promise<void> {
    if (await this.proves()) await this.keys.addApp(this.browser)
  }

  async addsPasskey(): Promise<void> {
    if (await this.proves()) await this.keys.addPasskey(this.browser)
  }

  async removesApp(): Promise<void> {
    await this.proven('DELETE', '/api/second-factor/totp')
  }

  async replacesCodes(): Promise<void> {
    if (await this.proves()) await this.keys.replaceCodes(this.browser)
  }

  async changesPassword(): Promise<void> {
    if (this.newPasswords.length === 1) return
    const password = this.newPasswords[0] as string
    const body = { currentPassword: this.password, password }
    const { status } = await this.browser.act('POST', '/api/password/change', body)
    if (status === 204) this.useNewPassword()
  }

  async requiresFactors(): Promise<void> {
    const body = { required: 'everyone', graceDays: 0, paymentStepUpMinutes: null }
    await this.proven('PUT', '/api/account/second-factor', body)
  }

  /** Asks for a link to choose another password. */
  async forgets(): Promise<void> {
    await this.browser.open('/api/password/forgot', { email: this.user.email })
  }

  /**
   * What the mails ask for: one link, if one came; the new password by the link that comes then; a login with what the
   * owner has; an app where one is required. The first outcome that is not as promised; null when all are.
   */
  async takesItBack(link: MailedLink | null): Promise<string | null> {
    if (!link) await this.forgets()
    else if ((await this.follow(link)) !== 204) return `${link.page} was refused`
    const token = await this.mailbox.newest('/reset-password')
    if (!token) return 'no link for a new password came'
    const reset = { page: '/reset-password', token }
    if ((await this.follow(reset)) !== 200) return 'the new password was refused'
    this.useNewPassword()
    const loggedIn = await this.logsIn()
    if (loggedIn !== '200') return `the login was answered ${loggedIn}`
    const { json } = await this.browser.act('GET', '/api/second-factor')
    return json.mustEnrol ? this.enrols() : null
  }

  private async follow(link: MailedLink): Promise<number> {
    const [path, body] = requestOf(link, this.newPasswords[0] as string) ?? ['/', {}]
    return (await this.browser.open(path, body)).status
  }

  private useNewPassword(): void {
    this.password = this.newPasswords.shift() as string
  }

  private async enrols(): Promise<string | null> {
    await this.proves()
    const added = await this.keys.addApp(this.browser)
    return added === '200' ? null : `the required app was answered ${added}`
  }

  /** Those that somebody in between can use at once. A passkey is not among them: it signs for our page alone. */
  relayable(): Keyring {
    const keys = new Keyring(this.app)
    keys.apps.push(...this.keys.apps)
    keys.recoveryCodes.push(...this.keys.recoveryCodes)
    return keys
  }

  /** What the owner logs in with now. */
  get presentPassword(): string {
    return this.password
  }

  private proves(): Promise<boolean> {
    return this.browser.reauthenticate(this.password, this.keys)
  }

  private async proven(method: string, path: string, body?: object): Promise<void> {
    if (await this.proves()) await this.browser.act(method, path, body)
  }
}
