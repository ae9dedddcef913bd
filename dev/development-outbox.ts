import { isLoopback } from '../src/platform/config/origin.js'
import type { Settings } from '../src/platform/config/settings.js'
import { MailOutbox, type ReceivedMail } from './mail-outbox/mail-outbox.js'

/** The mail outbox where SMTP_URL points at this machine; null where mail is really sent, or not configured. */
export async function outboxFor({ mail }: Settings): Promise<MailOutbox | null> {
  if (!mail || !isLoopback(mail.smtpUrl.hostname)) return null
  return MailOutbox.start({ host: mail.smtpUrl.hostname, port: Number(mail.smtpUrl.port), onMail: show })
}

/** The link in a mail is what a developer is waiting for. */
function show({ to, subject, text }: ReceivedMail): void {
  const link = /^https?:\S+#token=\S+$/m.exec(text)?.[0]
  console.log(`  Mail to ${to}: ${subject}${link ? `\n    ${link}` : ''}`)
}
