import type { Settings } from '../src/config/settings.js'
import type { MailOutbox } from './mail-outbox/mail-outbox.js'
import type { PaymentSandbox } from './payment-sandbox/payment-sandbox.js'
import { SEED_MEMBER, SEED_OWNER, SEED_PASSWORD } from './seed-users.js'

/** What to try next, printed when everything runs. */
export function welcome(
  { publicUrl }: Settings,
  sandbox: PaymentSandbox | null,
  outbox: MailOutbox | null,
): string {
  const body = JSON.stringify({ email: SEED_OWNER, password: SEED_PASSWORD, source: 'main' })
  return `
  Mainstay   ${publicUrl}
  API docs   ${publicUrl}/api/docs
  Payments   ${sandbox ? `${sandbox.url} (sandbox, no real money)` : "Stripe's test mode"}
  Mails      ${outbox ? `${publicUrl}/dev/mails (outbox, nothing leaves this machine)` : 'as SMTP_URL says'}
  Users      ${SEED_OWNER} and ${SEED_MEMBER}, password "${SEED_PASSWORD}"

  Log in:
    curl -c cookies.txt ${publicUrl}/api/login -H 'Content-Type: application/json' \\
      -d '${body}'
`
}
