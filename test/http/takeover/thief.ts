import type { User } from '../../sources.js'
import { anEmail, PASSWORD } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { Mailbox, requestOf } from '../support/mailbox.js'
import { Browser, type Surroundings } from './browser.js'
import { Keyring } from './keyring.js'
import { Puppet } from './puppet.js'
import { TakenCodes } from './taken-codes.js'
import type { Witness } from './witness.js'

/** Everything that a member can be granted. */
const ALL = {
  payments: true,
  accountSettings: true,
  teamManagement: true,
  dataEntry: true,
  viewReports: true,
}
const PASSWORDS = ['walrus ninety copper lamp', 'granite pelican seven tuba']

/**
 * Somebody who acts as the owner, with mailboxes and a puppet of their own. Every method does what the API lets them do, and
 * nothing where it refuses.
 */
export class Thief {
  readonly keys: Keyring
  readonly browser: Browser
  readonly mailboxes: readonly Mailbox[]
  readonly puppet: Puppet
  readonly codes: TakenCodes

  constructor(
    app: TestApp,
    private readonly owner: User,
    /** The owner's, or one of their own; null when they do not know any. */
    public password: string | null,
    surroundings: Surroundings,
    log: string[],
    private readonly witness: Witness,
  ) {
    this.keys = new Keyring(app)
    this.browser = new Browser(app, surroundings, log, witness)
    this.mailboxes = [new Mailbox(app, anEmail()), new Mailbox(app, anEmail())]
    this.codes = new TakenCodes(app)
    this.puppet = new Puppet(app, surroundings, log)
  }

  /** With whatever the account has by now; `keys` may be the owner's, for a code that was relayed. */
  async logsIn(remember = false, keys = this.keys): Promise<void> {
    if (this.password === null) return this.logsInWithPasskey()
    for (const email of [this.owner.email, ...this.mailboxes.map(({ address }) => address)])
      if ((await this.browser.logIn(email, this.password, keys, remember)) === '200') {
        if (!keys.isEmpty) this.witness.hasProvedFactor = true
        return
      }
  }

  private async logsInWithPasskey(): Promise<void> {
    if ((await this.browser.logInWithPasskey(this.keys)) === '200') this.witness.hasProvedFactor = true
  }

  async addsApp(): Promise<void> {
    await this.proves()
    if ((await this.keys.addApp(this.browser)) === '200') this.witness.hasProvedFactor = true
  }

  async addsPasskey(): Promise<void> {
    await this.proves()
    if ((await this.keys.addPasskey(this.browser)) === '201') this.witness.hasProvedFactor = true
  }

  async replacesCodes(): Promise<void> {
    await this.proves()
    await this.keys.replaceCodes(this.browser)
  }

  async removesApp(): Promise<void> {
    const { json } = await this.browser.act('GET', '/api/second-factor')
    if (json.totp) await this.does('DELETE', '/api/second-factor/totp')
  }

  async removesPasskeys(): Promise<void> {
    const listed = await this.browser.act('GET', '/api/passkeys')
    for (const { id } of listed.json.passkeys ?? []) await this.does('DELETE', `/api/passkeys/${id}`)
  }

  async givesUpPassword(): Promise<void> {
    const { json } = await this.browser.act('GET', '/api/second-factor')
    if (json.hasPassword && (await this.does('DELETE', '/api/password'))) this.password = null
  }

  async changesPassword(): Promise<void> {
    const password = PASSWORDS.find(text => text !== this.password) as string
    const body = { currentPassword: this.password ?? PASSWORD, password }
    if ((await this.browser.act('POST', '/api/password/change', body)).status === 204)
      this.password = password
  }

  async changesEmail(n: 0 | 1): Promise<void> {
    const mailbox = this.mailboxes[n] as Mailbox
    if (!(await this.asksForEmail(mailbox.address))) return
    const token = await mailbox.newest('/confirm-email')
    if (token) await this.browser.act('POST', '/api/email/confirm', { token })
  }

  asksForEmail(email: string): Promise<boolean> {
    return this.does('POST', '/api/email/change', { email })
  }

  async changesPolicy(required: 'off' | 'everyone'): Promise<void> {
    const { json } = await this.browser.act('GET', '/api/account/second-factor')
    if (json.required === required) return
    const body = { required, graceDays: 0, paymentStepUpMinutes: null }
    await this.does('PUT', '/api/account/second-factor', body)
  }

  async invitesPuppet(): Promise<void> {
    const { mailbox } = this.puppet
    await this.does('POST', '/api/team/invitations', { email: mailbox.address, permissions: ALL })
    const token = await mailbox.newest('/accept-invitation')
    if (token) await this.browser.openApart('/api/invitations/accept', { token, password: PASSWORD })
    await this.puppet.logsIn()
  }

  async transfersToPuppet(): Promise<void> {
    const team = await this.browser.act('GET', '/api/team')
    const users: { email: string; userId: string }[] = team.json?.users ?? []
    const puppet = users.find(({ email }) => email === this.puppet.mailbox.address)
    if (puppet) await this.does('POST', '/api/account/transfer', { userId: puppet.userId })
  }

  async hasTransferAccepted(): Promise<void> {
    const token = await this.puppet.mailbox.newest('/accept-transfer')
    if (token) await this.browser.open('/api/account/transfer/accept', { token })
  }

  puppetAttacksOwner(request: string): Promise<void> {
    return this.puppet.attacks(this.owner, request)
  }

  async asksForDeletion(): Promise<void> {
    const { json } = await this.browser.act('GET', '/api/account')
    if (json.deleteAt === null) await this.does('POST', '/api/account/deletion')
  }

  /** Of a member who has done nothing. */
  async resetsFactorsOf({ id }: User): Promise<void> {
    const { json } = await this.browser.act('GET', `/api/team/${id}`)
    if (json.factorResetAt === null) await this.does('POST', `/api/team/${id}/second-factor/reset`)
  }

  /** With any password that they ever knew, and what they hold. */
  async stillLogsIn(): Promise<boolean> {
    for (const password of [PASSWORD, ...PASSWORDS])
      if ((await this.browser.logIn(this.owner.email, password, this.keys)) === '200') return true
    return false
  }

  async forgets(): Promise<void> {
    for (const { address } of this.mailboxes)
      await this.browser.open('/api/password/forgot', { email: address })
  }

  async endsOtherSessions(): Promise<void> {
    await this.browser.act('DELETE', '/api/sessions')
    await this.browser.act('DELETE', '/api/remembered-devices')
  }

  /** Every link in all mailboxes but the owner's; the pages that were accepted. */
  async followsLinks(): Promise<string[]> {
    const accepted: string[] = []
    for (const mailbox of [...this.mailboxes, this.puppet.mailbox])
      for (const link of await mailbox.links()) {
        const [path, body] = requestOf(link, PASSWORDS[0] as string) ?? ['/', {}]
        const answer = await this.browser.open(path, body)
        if (answer.status >= 300) continue
        accepted.push(link.page)
        if (link.page === '/reset-password') this.password = PASSWORDS[0] as string
      }
    return accepted
  }

  private proves(): Promise<boolean> {
    return this.browser.reauthenticate(this.password, this.keys)
  }

  /** With everything proved that they can prove; whether it was done. */
  private async does(method: string, path: string, body?: object): Promise<boolean> {
    await this.proves()
    return (await this.browser.act(method, path, body)).status < 300
  }
}
