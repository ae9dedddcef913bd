import type { ReceivedMail } from '../../sources.js'
import type { TestApp } from '../../support/test-app.js'

/** A link in a mail: the page of the main site, and the token that the page sends. */
export interface MailedLink {
  readonly page: string
  readonly token: string
}

/** What the pages of the main site send a mailed token to; `password` is what the reader of the mail would type. */
const PAGES: Readonly<Record<string, (token: string, password: string) => readonly [string, object]>> = {
  '/undo-email': token => ['/api/email/undo', { token }],
  '/not-me': token => ['/api/sessions/not-me', { token }],
  '/reset-password': (token, password) => ['/api/password/reset', { token, password }],
  '/stop-transfer': token => ['/api/account/transfer/stop', { token }],
  '/accept-transfer': token => ['/api/account/transfer/accept', { token }],
  '/accept-invitation': (token, password) => ['/api/invitations/accept', { token, password }],
  '/confirm-email': (token, password) => ['/api/email/confirm', { token, password }],
  '/factor-reset': token => ['/api/second-factor-reset/confirm', { token }],
}

/** The path and the body that the page of a link sends; null for a page that we do not know. */
export function requestOf({ page, token }: MailedLink, password: string): readonly [string, object] | null {
  return PAGES[page]?.(token, password) ?? null
}

/** Somebody's mailbox. */
export class Mailbox {
  private seen = 0

  constructor(
    private readonly app: TestApp,
    readonly address: string,
  ) {}

  /** What has come since the last call. */
  async news(): Promise<readonly ReceivedMail[]> {
    const mails = await this.app.mailsTo(this.address)
    const news = mails.slice(this.seen)
    this.seen = mails.length
    return news
  }

  /** Every link that ever came, the oldest first. */
  async links(): Promise<MailedLink[]> {
    return (await this.app.mailsTo(this.address)).flatMap(linksIn)
  }

  /** The token of the newest link to this page; null when there is none. */
  async newest(page: string): Promise<string | null> {
    return (await this.links()).findLast(link => link.page === page)?.token ?? null
  }
}

/** One at most. */
export function linksIn({ text }: ReceivedMail): MailedLink[] {
  const [, page, token] = /(\/[a-z-]+)#token=([\w-]+)/.exec(text) ?? []
  return page && token ? [{ page, token }] : []
}
