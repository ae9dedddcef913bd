import { setTimeout as sleep } from 'node:timers/promises'
import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { createTransport, type Transporter } from 'nodemailer'
import { isLoopback } from '../platform/config/origin.js'
import { MAILS_TO_LOG } from '../platform/config/readers.js'
import { Settings } from '../platform/config/settings.js'
import { type ApiError, unavailable } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { countsOf, Metrics } from '../platform/metrics.js'
import { Tracing } from '../platform/tracing.js'
import { FailedMails } from './failed-mails.js'
import { MailLanguage } from './language.js'
import { BrandedSites, htmlOf, type MailSender, type SatelliteOfMail, textOf } from './layout.js'
import type { Mail, Recipient } from './mail.js'

/** A mail server that does not answer must not delay a shutdown. */
const SMTP_TIMEOUT_MS = 10_000

/**
 * Connects to SMTP_URL. `smtps://` uses TLS from the start. `smtp://` upgrades with STARTTLS before anything
 * is sent, and fails if the server does not offer it or its certificate is not valid for its name. Plain text
 * is used only for this machine, or with `?tls=off`.
 */
export function openSmtp(url: URL): Transporter {
  const address = new URL(url)
  address.searchParams.delete('tls')
  return createTransport({
    url: address.href,
    requireTLS: url.protocol === 'smtp:' && !mayBePlain(url),
    pool: true,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    // A mail is text that we have written: nothing in it may read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** {@link openSmtp}, or where SMTP_URL says so, a transport that logs each mail with its first link. */
function openMail(url: URL, logger: Logger): Transporter {
  if (url.protocol !== MAILS_TO_LOG) return openSmtp(url)
  return createTransport({
    name: 'log',
    version: '1',
    send: ({ data: { to, subject, text } }, done) => {
      const link = /\bhttps?:\/\/\S+/.exec(String(text))?.[0]
      logger.log(
        `Mail to ${(to as { readonly address: string }).address}: ${subject}${link ? ` ${link}` : ''}`,
      )
      done(null, {} as never)
    },
  })
}

function mayBePlain({ hostname, searchParams }: URL): boolean {
  return isLoopback(hostname) || searchParams.get('tls') === 'off'
}

/**
 * Whether the server would refuse this mail again: a 5xx reply (RFC 5321 §4.2.1) to its addresses or its text. One
 * to the greeting or the login is not about the mail.
 */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { readonly code?: string; readonly responseCode?: number }
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}

/** Waits before each retry, long enough for a mail server to restart. */
const RETRY_AFTER_MS = [1_000, 10_000, 60_000]
/** Mails go out after the response, because its timing would otherwise reveal that a mail is sent. */
const POST_AFTER_MS = 100
/** After this, a process that stops gives up the mails that its mail server has not taken, and keeps them. */
const LAST_TRY_MS = 3_000
/** More than this would be a flood: requests that mail are refused, but what follows from others is mailed. */
const MAX_WAITING = 1_000
/** The rest is for mails with one recipient: mails to many must not displace others. */
const MAX_WAITING_FOR_MANY = MAX_WAITING / 2

/** Sends mail over SMTP after the response, so that a response takes equally long with and without a mail. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly logger = new Logger('Mailer')
  private readonly transport: Transporter | null
  private readonly sender: MailSender
  /** In posting order, each with a controller that ends its delay. */
  private readonly sending = new Map<Promise<void>, AbortController>()
  private readonly closing = new AbortController()
  private readonly counts = countsOf(['sent', 'failed'])

  constructor(
    private readonly settings: Settings,
    private readonly failedMails: FailedMails,
    private readonly sites: BrandedSites,
    private readonly tracing: Tracing,
    metrics: Metrics,
  ) {
    this.declareIn(metrics)
    this.sender = { ...settings.brand, host: new URL(settings.mainOrigin).host }
    this.transport = settings.mail && openMail(settings.mail.smtpUrl, this.logger)
  }

  /**
   * Throws `MAIL_UNAVAILABLE` where mail is not configured, or when too many mails are waiting. Call it first
   * in anything that sends a mail, to any recipient.
   */
  requireMail(): void {
    this.requireMailServer()
    if (this.sending.size >= MAX_WAITING) throw unavailable('MAIL_UNAVAILABLE')
  }

  /** Like {@link requireMail}, however many wait: a flood must not stop links that take an account back. */
  requireMailServer(): void {
    if (!this.transport) throw notConfigured()
  }

  /**
   * Sends the result of `write` in the background and retries for about a minute; a mail that could not be
   * sent is recorded in the audit log (`mail`, failed) and kept for a while. Call it after the commit.
   * Without a mail server it only logs a warning.
   */
  post({ email, language }: Recipient, write: (words: MailLanguage) => Mail): void {
    this.hold(email, async () => write(this.wordsFor(language)))
  }

  /**
   * Like {@link post}, for one of many recipients of the same mail: while many mails are waiting, it is only recorded
   * as failed, and not kept.
   */
  postToOneOfMany(to: Recipient, write: (words: MailLanguage) => Mail): void {
    if (this.sending.size < MAX_WAITING_FOR_MANY) this.post(to, write)
    else this.giveUp(to.email, write(this.wordsFor(to.language)), new Error('too many mails are waiting'))
  }

  /**
   * Like {@link post}, for a mail about a satellite, or with null about the main site: uses its colours, and
   * passes its readable name to `write`. The mail is written after the response too, because the branding is
   * read from the database.
   */
  postAbout(
    { email, language }: Recipient,
    satellite: SatelliteOfMail | null,
    write: (words: MailLanguage, site: string) => Mail,
  ): void {
    this.hold(email, async () => {
      const { name, branding } = await this.sites.find(satellite)
      // The satellite's name accompanies its logo, whatever the mail is about.
      return { ...write(this.wordsFor(language), name), ...(branding && { branding, site: name }) }
    })
  }

  /**
   * A single attempt, now; rejects with the mail server's error, or throws `MAIL_UNAVAILABLE` where mail is
   * not configured. For mails that have failed before; all others are posted.
   */
  async deliver(to: string, mail: Mail): Promise<void> {
    const { transport } = this
    if (!transport) throw notConfigured()
    const message = {
      // Both are parsed already: as text they would be parsed again, by other rules than ours.
      from: this.settings.mail?.from,
      to: { name: '', address: to },
      subject: mail.subject,
      text: textOf(mail, this.sender),
      html: htmlOf(mail, this.sender),
      // RFC 3834 §5: no out-of-office answers to these.
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    await this.tracing.span('mail', () => transport.sendMail(message))
    this.counts.sent++
  }

  /** Sends the delayed mails, one after the other; resolves when no mail is waiting any longer. */
  async flush(): Promise<void> {
    for (const [sending, held] of this.sending) {
      held.abort()
      await sending
    }
  }

  /** How many mails this process has given up. */
  get givenUp(): number {
    return this.counts.failed
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort()
    const lastTry = setTimeout(() => this.transport?.close({ force: true }), LAST_TRY_MS)
    await this.flush()
    clearTimeout(lastTry)
    this.transport?.close()
  }

  private declareIn(metrics: Metrics): void {
    metrics.gauge({
      name: 'mails_waiting',
      help: 'Mails that this process has not sent yet',
      read: () => this.sending.size,
    })
    metrics.counter({
      name: 'mails_total',
      help: 'Mails by what became of them: the mail server took them, or they were given up',
      label: 'outcome',
      read: () => this.counts,
    })
  }

  private wordsFor(language: string | null): MailLanguage {
    return MailLanguage.of(language ?? this.settings.defaultLanguage)
  }

  private hold(to: string, compose: () => Promise<Mail>): void {
    const held = new AbortController()
    const sending = this.send(to, compose, held.signal).finally(() => this.sending.delete(sending))
    this.sending.set(sending, held)
  }

  private async send(to: string, compose: () => Promise<Mail>, held: AbortSignal): Promise<void> {
    await pause(POST_AFTER_MS, AbortSignal.any([this.closing.signal, held]))
    const mail = await compose().catch(error => this.giveUp(to, { subject: 'A mail' }, error))
    if (!mail) return
    if (!this.transport) return this.logger.warn(`Mail is not configured: "${mail.subject}" was not sent`)
    for (const waitMs of [...RETRY_AFTER_MS, null]) {
      try {
        return await this.deliver(to, mail)
      } catch (error) {
        if (waitMs !== null && !this.closing.signal.aborted && !isFinal(error))
          await pause(waitMs, this.closing.signal)
        else {
          this.giveUp(to, mail, error as Error)
          return await this.failedMails.keep({ to, mail }, error as Error, isFinal(error))
        }
      }
    }
  }

  private giveUp(email: string, { subject }: Pick<Mail, 'subject'>, { message }: Error): void {
    this.counts.failed++
    this.logger.error(`"${subject}" was not sent: ${message}`)
    this.failedMails.recordFailure(email, subject)
  }
}

function notConfigured(): ApiError {
  return unavailable('MAIL_UNAVAILABLE', new Error('Mail is not configured: SMTP_URL is not set'))
}

/** Ends early, without an error, when `signal` is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { ref: false, signal }).catch(() => {})
}
