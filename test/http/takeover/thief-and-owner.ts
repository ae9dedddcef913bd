import { randomUUID } from 'node:crypto'
import {
  AccountDeletionJob,
  OneTimeTokenCleanup,
  type ReceivedMail,
  TransferCompletion,
  type User,
} from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { passTime } from '../../support/passing-time.js'
import { anEmail, anOwner, PASSWORD, sendLogin } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { bearer, cookie, refreshByCookie } from '../support/api-calls.js'
import { linksIn, Mailbox, requestOf } from '../support/mailbox.js'

const HOUR = 60 * 60
const OWNERS_NEW_PASSWORD = 'seven quiet otters juggle'
const ALL = {
  payments: true,
  accountSettings: true,
  teamManagement: true,
  dataEntry: true,
  viewReports: true,
}

/** Somebody at a browser: a live main session and what they know of it. */
interface Hands {
  accessToken: string
  sessionId: string
}

/** Requests by links name no device here, whoever makes them. */
const NEW_LOGIN_OF_LINK = 'New login at Mainstay: unknown device'
/** How many of them the owner takes for the thief's. */
const DOUBTS = 3

/**
 * An owner whose password is stolen, and the thief, who has mailboxes of his own and a puppet. Every method that begins with
 * `thief` does what the API lets him do, and does nothing where it refuses.
 */
export class ThiefAndOwner {
  /** Until when the first promise that was mailed to the owner holds. */
  private deadline = Number.POSITIVE_INFINITY
  private password = PASSWORD
  private readonly newPasswords = ['walrus ninety copper lamp', 'granite pelican seven tuba']
  private hands: Hands | null = null
  private puppetHands: Hands | null = null
  private readonly sessions: string[] = []
  private readonly mailboxes = [anEmail(), anEmail()] as const
  private readonly puppet = anEmail()
  private readonly read = new Set<ReceivedMail>()
  /** What was asked and answered, for the message of a failure. */
  readonly log: string[] = []

  private constructor(
    private readonly app: TestApp,
    private readonly owner: User,
  ) {}

  static async meet(app: TestApp): Promise<ThiefAndOwner> {
    const pair = new ThiefAndOwner(app, await anOwner(app))
    // The owner has logged in from somewhere before, so that the thief's device is a new one.
    await pair.logIn(pair.owner.email, PASSWORD, 'Mozilla/5.0 (Macintosh) Version/17.0 Safari/605.1.15')
    await pair.thiefLogsIn()
    return pair
  }

  async thiefLogsIn(): Promise<void> {
    for (const email of [await this.presentEmail(), ...this.mailboxes]) {
      if (!email) continue
      const hands = await this.logIn(email, this.password, 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0')
      if (!hands) continue
      this.hands = hands
      this.sessions.push(hands.sessionId)
      return
    }
  }

  async thiefChangesEmail(mailbox: 0 | 1, isConfirmed: boolean): Promise<void> {
    const email = this.mailboxes[mailbox]
    if (!(await this.asThief('POST', '/api/email/change', { email }))) return
    if (!isConfirmed) return
    const token = await this.newestToken(email, '/confirm-email')
    if (token && (await this.asThief('POST', '/api/email/confirm', { token }))) this.promise(7 * 24)
  }

  async thiefAsksForOwnersAddress(): Promise<void> {
    await this.asThief('POST', '/api/email/change', { email: this.owner.email })
  }

  async thiefConfirmsLater(mailbox: 0 | 1): Promise<void> {
    const token = await this.newestToken(this.mailboxes[mailbox], '/confirm-email')
    if (!token) return
    const { status } = await this.post('/api/email/confirm', { token, password: this.password })
    if (status === 204) this.promise(7 * 24)
  }

  async thiefChangesPassword(): Promise<void> {
    const password = this.newPasswords.find(text => text !== this.password) as string
    const body = { currentPassword: this.password, password }
    if (await this.asThief('POST', '/api/password/change', body)) this.password = password
  }

  async thiefInvitesPuppet(): Promise<void> {
    if (!(await this.asThief('POST', '/api/team/invitations', { email: this.puppet, permissions: ALL })))
      return
    await this.puppetJoins()
  }

  async thiefInvitesOwnersMailbox(): Promise<void> {
    await this.asThief('POST', '/api/team/invitations', { email: this.owner.email })
  }

  /** With a link of before, perhaps. */
  async puppetJoins(): Promise<void> {
    const token = await this.newestToken(this.puppet, '/accept-invitation')
    if (token) await this.post('/api/invitations/accept', { token, password: PASSWORD })
    this.puppetHands ??= await this.logIn(this.puppet, PASSWORD, 'Mozilla/5.0 Firefox/130.0')
  }

  async thiefTransfersToPuppet(): Promise<void> {
    const team = await this.asThief('GET', '/api/team')
    const puppet = team?.json.users.find((user: { email: string }) => user.email === this.puppet)
    if (puppet && (await this.asThief('POST', '/api/account/transfer', { userId: puppet.userId })))
      this.promise(72)
  }

  async puppetAccepts(): Promise<void> {
    const token = await this.newestToken(this.puppet, '/accept-transfer')
    if (token) await this.post('/api/account/transfer/accept', { token })
  }

  async puppetAttacksOwner(path: '/disable' | ''): Promise<void> {
    const method = path ? 'POST' : 'DELETE'
    await this.as(this.puppetHands, method, `/api/team/${this.owner.id}${path}`)
    await this.as(this.puppetHands, 'DELETE', `/api/team/${this.owner.id}/sessions`)
  }

  async thiefAsksForDeletion(): Promise<void> {
    await this.asThief('POST', '/api/account/deletion')
  }

  async thiefLogsOthersOut(): Promise<void> {
    await this.asThief('DELETE', '/api/sessions')
  }

  async thiefForgets(whose: 'own' | "owner's"): Promise<void> {
    const email = whose === 'own' ? ((await this.presentEmail()) ?? this.mailboxes[0]) : this.owner.email
    await this.post('/api/password/forgot', { email })
  }

  /** Every link in the thief's mailboxes, the oldest first. */
  async thiefFollowsLinks(): Promise<void> {
    for (const mailbox of this.mailboxes)
      for (const mail of await this.app.mailsTo(mailbox)) {
        const answer = await this.follow(mail, this.newPasswords[0] as string)
        if (answer?.status === 204 && mail.text.includes('/reset-password'))
          this.password = this.newPasswords[0] as string
        if (answer?.status === 204 && mail.text.includes('/confirm-email')) this.promise(7 * 24)
      }
  }

  /** The owner asks for a new password, and reads the mail later. */
  async ownerForgets(): Promise<void> {
    await this.post('/api/password/forgot', { email: this.owner.email })
  }

  /** Time passes, but never so much that what was mailed to the owner first is out of date. */
  async wait(hours: number): Promise<void> {
    const left = this.deadline - this.app.clock.now().getTime() - HOUR * 1000
    await passTime(this.app, Math.max(0, Math.min(hours * HOUR, Math.floor(left / 1000))))
    await this.runJobs()
  }

  /**
   * The owner follows every link that comes to the original mailbox, in an order that `pick` chooses, until there is none left;
   * then asks for a new password, logs in, and keeps the account where its deletion was asked for.
   */
  async ownerTakesItBack(pick: (count: number) => number): Promise<void> {
    const open: ReceivedMail[] = []
    let ownLogins = 0
    for (;;) {
      for (const mail of await this.app.mailsTo(this.owner.email))
        if (!this.read.has(mail)) {
          this.read.add(mail)
          // A new password logs in, which may be mailed: to call that "not me" each time would go on for ever.
          const mayBeOwn = mail.subject === NEW_LOGIN_OF_LINK
          if (!mayBeOwn || ++ownLogins <= DOUBTS) open.push(mail)
        }
      if (open.length === 0) break
      const [mail] = open.splice(pick(open.length), 1)
      await this.follow(mail as ReceivedMail, OWNERS_NEW_PASSWORD)
    }
    await this.post('/api/password/forgot', { email: this.owner.email })
    const token = await this.newestToken(this.owner.email, '/reset-password')
    if (token) await this.post('/api/password/reset', { token, password: OWNERS_NEW_PASSWORD })
  }

  /** What the owner has then; days later too, when everything that was begun would have come to pass. */
  async whatOwnerHas(): Promise<object> {
    const before = await this.standing()
    await this.thiefFollowsLinks()
    await this.puppetAccepts()
    for (const days of [3, 6]) {
      await passTime(this.app, days * 24 * HOUR)
      await this.runJobs()
    }
    return { now: before, later: await this.standing() }
  }

  private async standing(): Promise<object> {
    const hands = await this.logIn(this.owner.email, OWNERS_NEW_PASSWORD, 'Mozilla/5.0 Safari/605.1.15')
    const profile = await this.as(hands, 'GET', '/api/profile')
    if (hands) await this.as(hands, 'DELETE', '/api/account/deletion')
    const alive = []
    for (const sessionId of this.sessions)
      if ((await refreshByCookie(this.app, sessionId)).status !== 401) alive.push(sessionId)
    const { email, role, userId } = profile?.json ?? {}
    return {
      hasMailbox: email === this.owner.email,
      isSameUser: userId === this.owner.id,
      role,
      sessionsOfThief: alive.length,
      isThiefLetIn: (await this.logIn(this.owner.email, this.password, 'curl/8')) !== null,
    }
  }

  private promise(hours: number): void {
    this.deadline = Math.min(this.deadline, this.app.clock.now().getTime() + hours * HOUR * 1000)
  }

  private async runJobs(): Promise<void> {
    await this.app.get(TransferCompletion).run()
    await this.app.get(AccountDeletionJob).run()
    await this.app.get(OneTimeTokenCleanup).run()
  }

  private async presentEmail(): Promise<string | null> {
    const profile = await this.as(this.hands, 'GET', '/api/profile')
    return profile?.json.email ?? this.owner.email
  }

  /** A call in the thief's session, with the password given again; null when it is refused. */
  private async asThief(method: string, path: string, body?: object): Promise<TestResponse | null> {
    if (!this.hands) return null
    await this.as(this.hands, 'POST', '/api/reauthenticate', { password: this.password })
    return this.as(this.hands, method, path, body)
  }

  private async as(
    hands: Hands | null,
    method: string,
    path: string,
    body?: object,
  ): Promise<TestResponse | null> {
    if (!hands) return null
    const refreshed = await refreshByCookie(this.app, hands.sessionId)
    if (refreshed.status !== 200) return null
    hands.accessToken = refreshed.json.accessToken
    const headers = { Origin: MAIN, ...bearer(hands.accessToken), ...cookie(hands.sessionId) }
    const answer = await this.app.request({ method, path, headers, ...(body && { body }) })
    this.log.push(`${method} ${path} ${answer.status} ${answer.json?.code ?? ''}`)
    return answer.status < 300 ? answer : null
  }

  private async post(path: string, body: object): Promise<TestResponse> {
    const answer = await this.app.post(path, body)
    this.log.push(`POST ${path} ${answer.status} ${answer.json?.code ?? ''}`)
    return answer
  }

  private async follow(mail: ReceivedMail, password: string): Promise<TestResponse | null> {
    const [link] = linksIn(mail)
    const target = link && requestOf(link, password)
    return target ? this.post(...target) : null
  }

  private newestToken(email: string, page: string): Promise<string | null> {
    return new Mailbox(this.app, email).newest(page)
  }

  private async logIn(email: string, password: string, userAgent: string): Promise<Hands | null> {
    const answer = await sendLogin(
      this.app,
      { email },
      { password, 'User-Agent': userAgent, 'X-Request-Id': randomUUID() },
    )
    this.log.push(`login ${email} ${answer.status}`)
    if (answer.status !== 200) return null
    const sessionId = /^sessionId=([^;]*)/.exec(
      answer.setCookies.find(text => text.startsWith('sessionId=')) ?? '',
    )
    return { accessToken: answer.json.accessToken, sessionId: sessionId?.[1] ?? '' }
  }
}
