import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { styleText } from 'node:util'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyReply } from 'fastify'
import PostalMime, { type Email as ParsedMail } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { type Html, html, Html as RawHtml } from '../src/mail/html.js'
import { hostOf, isLoopback } from '../src/platform/config/origin.js'
import type { Settings } from '../src/platform/config/settings.js'
import { printable } from '../src/platform/log.js'

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
  /** Called with each incoming mail. */
  readonly onMail?: (mail: ReceivedMail) => void
}

/** A real SMTP server that keeps what it receives, for development and tests. Nothing leaves this machine. */
export class MailOutbox {
  readonly mails: ReceivedMail[] = []
  /** Called before each mail; false refuses it, like a server that has no such mailbox. */
  accepts: (to: string) => boolean | Promise<boolean> = () => true
  /** The reply code of a refusal: with 4xx, the sender is to come back later. */
  refusalCode = 550

  private constructor(
    private readonly server: SMTPServer,
    readonly smtpUrl: string,
  ) {}

  static async start({ host = '127.0.0.1', port, onMail }: OutboxOptions): Promise<MailOutbox> {
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
            onMail?.(mail)
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

/** All mails, newest first. */
function listPage(mails: readonly ReceivedMail[]): Html {
  const rows = mails.map(
    (
      mail,
      index,
    ) => html`<li><a href="/dev/mails/${index}"><strong>${mail.subject}</strong><span>${mail.to}</span>
<time>${mail.receivedAt.toISOString().slice(0, 19).replace('T', ' ')} UTC</time></a></li>\n`,
  )
  const list = html`<ul>${rows.reverse()}</ul>`
  return page(
    'Mail outbox',
    mails.length > 0 ? list : html`<p class="quiet">No mail yet. Reload after an invitation or a reset.</p>`,
  )
}

/** One mail, as mail programs show it, and as text. The frame has its own origin and runs no scripts. */
export function mailPage(mail: ReceivedMail): Html {
  return page(
    mail.subject,
    html`<p class="quiet">From ${mail.from} to ${mail.to} · <a href="/dev/mails">all mails</a></p>
<iframe sandbox="allow-popups allow-top-navigation-by-user-activation" title="The mail as HTML" srcdoc="${inWholeWindow(mail.html)}"></iframe>
<h2>As text</h2>
<pre>${withLinks(mail.text)}</pre>`,
  )
}

const HEAD = /<head(\s[^>]*)?>/i

/** Links open outside the frame, because pages of the sites refuse to be framed, as they should. */
function inWholeWindow(mail: string): string {
  const base = '<base target="_top">'
  return HEAD.test(mail) ? mail.replace(HEAD, head => head + base) : base + mail
}

/** URLs in the text become links, as in every mail program. */
function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Mail outbox</title>
<style>${STYLE}</style>
</head>
<body>
<header class="note"><strong>Development only.</strong> These mails went no further than this machine.</header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
}

const STYLE = new RawHtml(`
:root {
  --page: #f3f4f7; --card: #fff; --text: #1b1f2a; --quiet: #5a6274; --line: #dfe2ea;
  --link: #3b4fd8; --note: #fff3cd; --note-text: #5c4400;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12141b; --card: #1c1f2a; --text: #e9ebf2; --quiet: #a3abbf; --line: #343948;
    --link: #9aa8ff; --note: #3d3210; --note-text: #ffe08a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
.note { margin: 0; padding: .75rem 1rem; background: var(--note); color: var(--note-text); text-align: center; }
main { width: min(46rem, 100% - 1.5rem); margin: 1.5rem auto; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1rem; }
a { color: var(--link); }
ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
li + li { border-top: 1px solid var(--line); }
li a { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .75rem 1rem; color: inherit; text-decoration: none; }
li strong { grid-column: 1 / -1; overflow-wrap: anywhere; }
li span, time, .quiet { color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
iframe { width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
pre { padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); white-space: pre-wrap; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 3px; }
`)

/** Pages without scripts; mails have inline styles. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'none'"

/** The outbox at /dev/mails. */
export function serveMailOutbox(app: NestFastifyApplication, outbox: MailOutbox): void {
  const server = app.getHttpAdapter().getInstance()
  server.get('/dev/mails', (_, reply) => answer(reply, 200, listPage(outbox.mails)))
  server.get<{ Params: { index: string } }>('/dev/mails/:index', (request, reply) => {
    const mail = outbox.mails[Number(request.params.index)]
    return mail ? answer(reply, 200, mailPage(mail)) : answer(reply, 404, listPage(outbox.mails))
  })
}

function answer(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply
    .status(status)
    .headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY })
    .send(page.text)
}

/** The mail outbox where SMTP_URL points at this machine; null where mail is really sent, or not configured. */
export async function outboxFor({ mail }: Settings): Promise<MailOutbox | null> {
  if (!mail || !isLoopback(mail.smtpUrl.hostname)) return null
  return MailOutbox.start({ host: hostOf(mail.smtpUrl), port: Number(mail.smtpUrl.port), onMail: show })
}

/** The link in a mail is what a developer is waiting for, so it has lines of its own among those of the log. */
function show({ to, subject, text }: ReceivedMail): void {
  const link = /^https?:\S+#token=\S+$/m.exec(text)?.[0]
  const head = styleText('bold', `Mail to ${to}: ${printable(subject)}`)
  console.log(`\n  ${head}${link ? `\n  ${styleText('cyan', link)}` : ''}\n`)
}
