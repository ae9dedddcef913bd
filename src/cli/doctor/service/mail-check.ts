import { openSmtp } from '../../../mail/mailer.js'
import { isLoopback } from '../../../platform/config/origin.js'
import type { Settings } from '../../../platform/config/settings.js'
import { causeMessage } from '../../../platform/errors/api-error.js'
import { type Check, type Finding, fault, ok, warning } from '../finding.js'
import { notStarted } from '../no-answer.js'

const CHECK = 'mail'

/** Connects to SMTP_URL as the service does, upgrades to TLS and logs in; sends no mail. */
export function mailCheck(settings: Settings): Check {
  return { name: CHECK, todo: 'Look at SMTP_URL', run: () => checkMail(settings) }
}

async function checkMail(settings: Settings): Promise<Finding[]> {
  const { mail, isSignUpOpen } = settings
  if (!mail) return [withoutMail(isSignUpOpen)]
  const { smtpUrl } = mail
  const transport = openSmtp(smtpUrl)
  try {
    await transport.verify()
  } catch (error) {
    const saw = `${smtpUrl.host}: ${causeMessage(error)}`
    return [
      notStarted(CHECK, settings, smtpUrl, error) ??
        fault(CHECK, saw, todoOf(error as NodeJS.ErrnoException)),
    ]
  } finally {
    transport.close()
  }
  const isPlain = smtpUrl.searchParams.get('tls') === 'off' && !isLoopback(smtpUrl.hostname)
  return [
    isPlain
      ? warning(
          CHECK,
          `${smtpUrl.host} may be used without TLS (tls=off): its network can then read the links in mails`,
          'Remove ?tls=off from SMTP_URL',
        )
      : ok(CHECK, `${smtpUrl.host} accepts mail${isLoopback(smtpUrl.hostname) ? '' : ' over TLS'}`),
  ]
}

function withoutMail(isSignUpOpen: boolean): Finding {
  const saw = 'SMTP_URL is empty: nobody can reset a password or be invited'
  const todo = 'Set SMTP_URL and MAIL_FROM'
  return isSignUpOpen ? fault(CHECK, `${saw}, nor sign up`, todo) : warning(CHECK, saw, todo)
}

const TODO: Readonly<Record<string, string>> = {
  EAUTH: 'Correct the user and the password in SMTP_URL',
  EDNS: 'Correct the host in SMTP_URL',
}

/** The mail library's code says which step failed; a problem with the certificate is only in the message. */
function todoOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (/STARTTLS/i.test(message)) return 'Let the mail server offer STARTTLS, or use another'
  if (/certificate|altname/i.test(message))
    return 'Give the mail server a valid certificate for its name, or use its right name in SMTP_URL'
  return TODO[code] ?? 'Start the mail server, or correct SMTP_URL'
}
