import { jest } from '@jest/globals'
import {
  AccountDeletionJob,
  FactorResetJob,
  OneTimeTokenCleanup,
  PolicyJob,
  RateLimiter,
  TransferCompletion,
  type User,
} from '../../sources.js'
import { giveAuthenticator } from '../../support/authenticator.js'
import { passTime } from '../../support/passing-time.js'
import { aMember, anOwner, PASSWORD } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { UNCOUNTED } from '../../support/uncounted.js'
import { refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { linksIn, type MailedLink } from '../support/mailbox.js'
import { RightfulOwner, type SetUp } from './rightful-owner.js'
import { Thief } from './thief.js'
import { Witness } from './witness.js'

const HOUR = 60 * 60
const MAC = 'Mozilla/5.0 (Macintosh) Version/17.0 Safari/605.1.15'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'

/** What the thief begins with. */
export interface Theft {
  readonly password: boolean
  /** The cookie of the owner's browser. */
  readonly session: boolean
  /** One second factor of the owner, passed on at once. */
  readonly relayed: boolean
}

/** How long the links that undo everything can be used, less an hour for the steps themselves. */
const LINK_HOURS = 7 * 24 - 1
const LINKS = ['/not-me', '/undo-email']
/** How long a transfer waits, likewise: a link of its own stops it. */
const TRANSFER_HOURS = 3 * 24 - 1

let runs = 0

/** An owner with a colleague, and a thief. */
export class Takeover {
  private transferAt = Number.POSITIVE_INFINITY
  private readonly links: (MailedLink & { readonly goodUntil: number })[] = []

  private constructor(
    private readonly app: TestApp,
    /** What was done and answered, for the message of a failure. */
    readonly log: string[],
    readonly owner: RightfulOwner,
    readonly colleague: User,
    readonly thief: Thief,
    private readonly witness: Witness,
  ) {}

  static async begin(app: TestApp, setUp: SetUp, theft: Theft): Promise<Takeover> {
    const log: string[] = [`set up ${JSON.stringify(setUp)}, stolen ${JSON.stringify(theft)}`]
    const network = `${Math.floor(++runs / 250) % 250}.${runs % 250}`
    const user = await anOwner(app)
    const colleague = await aMember(app, user)
    await giveAuthenticator(app, colleague)
    const home = { name: 'owner', ip: `198.${network}.7`, userAgent: MAC }
    const owner = new RightfulOwner(app, user, home, log)
    await owner.setUp(setUp)
    if (!setUp.isRecent) await passTime(app, (7 * 24 + 2) * HOUR)
    const witness = new Witness(app, user)
    const elsewhere = { name: 'thief', ip: `203.${network}.9`, userAgent: LINUX }
    const thief = new Thief(app, user, theft.password ? PASSWORD : null, elsewhere, log, witness)
    if (theft.session) thief.browser.takeSession(owner.browser.sessionId)
    await owner.mailbox.news()
    return new Takeover(app, log, owner, colleague, thief, witness)
  }

  /** The thief uses what was stolen for the first time; `remember`: a browser that is in by a relayed factor. */
  async thiefArrives({ session, relayed }: Theft, remember: boolean): Promise<void> {
    const { thief, owner } = this
    if (relayed) await this.thiefDoes('uses a relayed code', () => thief.logsIn(remember, owner.relayable()))
    else if (session) await this.thiefDoes('uses the session', () => thief.browser.act('GET', '/api/profile'))
    else await this.thiefDoes('logs in', () => thief.logsIn())
  }

  async thiefDoes(name: string, work: () => Promise<unknown>): Promise<void> {
    await this.owner.mailbox.news()
    this.log.push(`# thief ${name}`)
    await work()
    const now = this.app.clock.now().getTime()
    for (const link of (await this.owner.mailbox.news()).flatMap(linksIn)) {
      if (link.page === '/stop-transfer')
        this.transferAt = Math.min(this.transferAt, now + TRANSFER_HOURS * HOUR * 1000)
      if (LINKS.includes(link.page)) this.links.push({ ...link, goodUntil: now + LINK_HOURS * HOUR * 1000 })
    }
  }

  async ownerDoes(name: string, work: () => Promise<unknown>): Promise<void> {
    this.log.push(`# owner ${name}`)
    await work()
  }

  /** Time passes, but never so much that no mail about the thief would help any more. */
  async wait(hours: number): Promise<void> {
    this.log.push(`# ${hours} h pass`)
    const left = Math.floor((this.deadline() - this.app.clock.now().getTime()) / 1000)
    await passTime(this.app, Math.max(0, Math.min(hours * HOUR, left)))
    await this.runJobs()
  }

  /** The owner follows one of the links about the thief, whichever `pick` says, and what it leads to. */
  async ownerTakesItBack(pick: (count: number) => number): Promise<string | null> {
    this.log.push('# the owner reads a mail')
    const now = this.app.clock.now().getTime()
    const good = this.links.filter(({ goodUntil }) => goodUntil >= now)
    return this.owner.takesItBack(good.length > 0 ? (good[pick(good.length)] as MailedLink) : null)
  }

  get complaints(): readonly string[] {
    return this.witness.complaints
  }

  /** What there still is of the thief, right after the owner is back. */
  async whatIsLeft(): Promise<object> {
    this.log.push('# what is left')
    const { browser, user } = this.owner
    const account = (await browser.act('GET', '/api/account')).json
    const profile = (await browser.act('GET', '/api/profile')).json
    const team: { userId: string; disabledAt: string | null; factorResetAt: string | null }[] = (
      await browser.act('GET', '/api/team')
    ).json.users
    const strangers = team.filter(({ userId }) => ![user.id, this.colleague.id].includes(userId))
    return {
      isOwner: profile.userId === user.id && profile.role === 'owner' && profile.email === user.email,
      deleteAt: account.deleteAt,
      transfer: account.transfer,
      invitations: (await browser.act('GET', '/api/team/invitations')).json.invitations,
      strangers: strangers.filter(({ disabledAt }) => disabledAt === null),
      resets: team.filter(({ factorResetAt }) => factorResetAt !== null),
      rememberedDevices: (await browser.act('GET', '/api/remembered-devices')).json.devices,
      ...(await this.waysInOfThief()),
    }
  }

  /** Whether the owner still has everything when all that was begun would have come to pass. */
  async isOwnerDaysLater(): Promise<boolean> {
    for (const days of [2, 5]) {
      await passTime(this.app, days * 24 * HOUR)
      await this.runJobs()
    }
    const { browser, user } = this.owner
    if ((await this.owner.logsIn()) !== '200') return false
    const { json } = await browser.act('GET', '/api/profile')
    return json.role === 'owner' && json.email === user.email
  }

  /** With no limits any more: a full counter would hide a way in until it is empty again. */
  private async waysInOfThief(): Promise<object> {
    const limits = jest.spyOn(this.app.get(RateLimiter), 'count').mockResolvedValue(UNCOUNTED)
    const logged = this.log.length
    try {
      const found = await this.tryAllWaysIn()
      return { ...found, untried: this.log.slice(logged).filter(line => / 429\b/.test(line)) }
    } finally {
      limits.mockRestore()
    }
  }

  private async tryAllWaysIn(): Promise<object> {
    const { thief, owner } = this
    const opened: string[] = []
    for (const sessionId of thief.browser.sessions)
      if ((await refreshByCookie(this.app, sessionId)).status !== 401) opened.push('session')
    for (const sessionId of thief.codes.sessions)
      if ((await refreshByHeader(this.app, sessionId)).status !== 401) opened.push('satellite session')
    if (await thief.codes.redeem()) opened.push('hand-off code')
    if (await thief.stillLogsIn()) opened.push('login')
    if ((await thief.browser.logInWithPasskey(thief.keys)) === '200') opened.push('passkey')
    // Even with the owner's new password: neither a browser nor a factor of the thief's counts.
    const { json: factors } = await owner.browser.act('GET', '/api/second-factor')
    const hasFactor = factors.totp !== null || factors.passkeys > 0
    const { presentPassword, user } = owner
    if (hasFactor && (await thief.browser.logIn(user.email, presentPassword, thief.keys)) === '200')
      opened.push('second factor')
    if (!hasFactor && factors.recoveryCodesLeft > 0) opened.push('recovery codes')
    return { opened, links: await thief.followsLinks() }
  }

  /**
   * Until when the owner has to read a mail: the first one, before a transfer happens. A way back from another address
   * gives them more time, and no transfer happens meanwhile.
   */
  private deadline(): number {
    const [first, ...later] = this.links
    const waysBack = later.filter(({ page }) => page === '/undo-email').map(({ goodUntil }) => goodUntil)
    const firstMail = first?.goodUntil ?? Number.POSITIVE_INFINITY
    return waysBack.length > 0 ? Math.max(firstMail, ...waysBack) : Math.min(firstMail, this.transferAt)
  }

  private async runJobs(): Promise<void> {
    const jobs = [TransferCompletion, AccountDeletionJob, FactorResetJob, PolicyJob, OneTimeTokenCleanup]
    for (const job of jobs) await this.app.app.get<{ run(): Promise<unknown> }>(job).run()
  }
}
