import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email as ParsedMail } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail as its reader sees it. */
export interface ReceivedMail {
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly receivedAt: Date
}

export interface OutboxOptions {
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
