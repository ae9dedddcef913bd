import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { styleText } from 'node:util'
import PostalMime, { type Email as ParsedMail } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { type Html, html } from '../src/mail/html.js'
import { hostOf, isLoopback } from '../src/platform/config/origin.js'
import type { Settings } from '../src/platform/config/settings.js'
import { printable } from '../src/platform/log.js'
import { type DevPage, type DevPages, filterField } from './pages.js'

/** A mail as its reader sees it. */
export interface ReceivedMail {
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly receivedAt: Date
}

interface OutboxOptions {
  readonly host?: string
  /** 0 picks a free port. */
  readonly port: number
}

/** A real SMTP server that keeps what it receives, for development and tests. Nothing leaves this machine. */
export class MailOutbox {
  readonly mails: ReceivedMail[] = []
  /** Emits `mail` with each incoming one. */
  readonly arrivals = new EventEmitter()
  /** Called before each mail; false refuses it, like a server that has no such mailbox. */
  accepts: (to: string) => boolean | Promise<boolean> = () => true
  /** The reply code of a refusal: with 4xx, the sender is to come back later. */
  refusalCode = 550

  private constructor(
    private readonly server: SMTPServer,
    readonly smtpUrl: string,
  ) {}

  static async start({ host = '127.0.0.1', port }: OutboxOptions): Promise<MailOutbox> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: async ({ address }, _, done) => {
        const isAccepted = await outbox.accepts(address)
        done(
          isAccepted
            ? null
            : Object.assign(new Error('no such mailbox'), { responseCode: outbox.refusalCode }),
        )
      },
      onData: (stream, session, done) => {
        buffer(stream)
          .then(bytes => PostalMime.parse(bytes))
          .then(parsed => {
            const mail = asReceived(session.envelope.rcptTo[0]?.address ?? '', parsed)
            outbox.mails.push(mail)
            outbox.arrivals.emit('mail', mail)
            done()
          })
          .catch(done)
      },
    })
    // A client that hangs up; an occupied port rejects below.
    server.on('error', () => {})
    // Replies to pipelined commands are small; Nagle's algorithm would delay the second one by 40 ms.
    server.server.on('connection', socket => socket.setNoDelay())
    const listening = once(server.server, 'listening')
    server.listen(port, host)
    await listening
    const address = server.server.address() as AddressInfo
    const outbox = new MailOutbox(server, `smtp://${host}:${address.port}`)
    return outbox
  }

  stop(): Promise<void> {
    return new Promise(resolve => this.server.close(() => resolve()))
  }
}

function asReceived(to: string, { from, subject, text, html }: ParsedMail): ReceivedMail {
  return {
    to,
    from: from?.address ?? '',
    subject: subject ?? '',
    text: text ?? '',
    html: html ?? '',
    receivedAt: new Date(),
  }
}

/** The address of the outbox. */
export const OUTBOX = '/dev/mails'
const NEWS = `${OUTBOX}/news`
/** The server closes connections that are idle for a minute. */
const BEAT_MS = 30_000

/** The list of mails, and each of them. */
export function serveMailOutbox(pages: DevPages, outbox: MailOutbox): void {
  const { server } = pages
  pages.serve(OUTBOX, () => listPage(outbox.mails))
  pages.serve(`${OUTBOX}/:index`, ({ index }) => {
    const mail = outbox.mails[Number(index)]
    return mail ? mailPage(mail) : { ...listPage(outbox.mails), lead: NO_SUCH_MAIL, isMissing: true }
  })
  // How many mails there are now: the list in the browser follows.
  const readers = new Set<ServerResponse>()
  const write = (text: string) => {
    for (const reader of readers) reader.write(text)
  }
  const tell = () => write(`data: ${outbox.mails.length}\n\n`)
  outbox.arrivals.on('mail', tell)
  setInterval(() => write(':\n\n'), BEAT_MS).unref()
  // The server would wait for these to end.
  server.addHook('preClose', async () => {
    for (const reader of readers) reader.end()
  })
  server.get(NEWS, (_, reply) => {
    // Fastify would log a warning for each tab that is closed.
    reply.hijack()
    const reader = reply.raw
    reader.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    readers.add(reader)
    reader.once('close', () => readers.delete(reader))
    tell()
  })
}

/** A restart forgets them. */
const NO_SUCH_MAIL = 'This mail is not there, or no longer. Below is everything mailed since the start.'

/** All mails, newest first. */
function listPage(mails: readonly ReceivedMail[]): DevPage {
  const rows = mails.map(
    (mail, index) => html`<li data-filtered>
<div><a href="${OUTBOX}/${index}">${mail.subject}</a><small>${mail.to} · <time>${timeOf(mail)}</time></small></div>${linkButton(mail)}</li>\n`,
  )
  const list = html`<ul class="rows">${rows.reverse()}</ul>`
  const none = html`<p class="absent">No mail yet: this page shows each as it comes.</p>`
  return {
    title: 'Mails',
    lead: 'Everything mailed since the start. None of it has left this machine.',
    content: html`${filterField('Address or subject')}<div class="card" data-live="${NEWS}" data-seen="${mails.length}">
${mails.length > 0 ? list : none}
</div>`,
  }
}

/** One mail, as mail programs show it, and as text. */
export function mailPage(mail: ReceivedMail): DevPage {
  return {
    title: mail.subject,
    lead: `From ${mail.from} to ${mail.to}, ${timeOf(mail)}`,
    action: linkButton(mail),
    content: html`${THEME_CHOICE}${choiceOf('Width', { wide: 'Wide', phone: 'Phone' })}
${mailFrame(mail.html, 'The mail as HTML')}
<details><summary>As text</summary><pre>${withLinks(mail.text)}</pre></details>`,
  }
}

/** To where the button of the mail leads: a line by itself in its text. */
function linkButton({ text, subject }: ReceivedMail): Html {
  const [link] = /^https?:\S+$/m.exec(text) ?? []
  return link
    ? html`<a class="button" href="${link}" aria-label="Open the link of “${subject}”">Open the link</a>`
    : html``
}

function timeOf({ receivedAt }: ReceivedMail): string {
  return `${receivedAt.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** URLs in the text become links, as in every mail program. */
function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}

/** One of several ways to look at mails, by rules of the style sheet; the first to begin with. */
export function choiceOf(legend: string, options: Readonly<Record<string, string>>): Html {
  const name = legend.toLowerCase()
  const choices = Object.entries(options).map(
    ([value, text], index) =>
      html`<label class="choice"><input type="radio" name="${name}" value="${value}"${index === 0 ? html` checked` : ''}> <span>${text}</span></label>\n`,
  )
  return html`<fieldset class="looks"><legend>${legend}</legend>${choices}</fieldset>\n`
}

export const THEME_CHOICE = choiceOf('Theme', { system: 'System', light: 'Light', dark: 'Dark' })

const HEAD = /<head(\s[^>]*)?>/i
const BASE = '<base target="_top">'

/**
 * A mail in a frame that becomes as high as the mail: the page's script may measure it, and what is in it runs none. Its
 * links open outside, because pages of the sites refuse to be framed, as they should.
 */
export function mailFrame(mail: string, title: string): Html {
  const content = HEAD.test(mail) ? mail.replace(HEAD, head => head + BASE) : BASE + mail
  return html`<iframe title="${title}" loading="lazy" sandbox="allow-same-origin allow-popups allow-top-navigation-by-user-activation" srcdoc="${content}"></iframe>\n`
}

/** The mail outbox where SMTP_URL points at this machine; null where mail is really sent, or not configured. */
export async function outboxFor({ mail }: Settings): Promise<MailOutbox | null> {
  if (!mail || !isLoopback(mail.smtpUrl.hostname)) return null
  const outbox = await MailOutbox.start({ host: hostOf(mail.smtpUrl), port: Number(mail.smtpUrl.port) })
  outbox.arrivals.on('mail', show)
  return outbox
}

/** The link in a mail is what a developer is waiting for, so it has lines of its own among those of the log. */
function show({ to, subject, text }: ReceivedMail): void {
  const link = /^https?:\S+#token=\S+$/m.exec(text)?.[0]
  const head = styleText('bold', `Mail to ${to}: ${printable(subject)}`)
  console.log(`\n  ${head}${link ? `\n  ${styleText('cyan', link)}` : ''}\n`)
}
