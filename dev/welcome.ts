import type { PaymentSandbox } from '@mainstay-auth/payment-sandbox'
import type { Settings } from '../src/platform/config/settings.js'
import { trustCommand } from './https.js'
import type { MailOutbox } from './mail-outbox/mail-outbox.js'
import { SEED_MEMBER, SEED_OWNER, SEED_PASSWORD } from './seed-users.js'
import type { SatelliteSite } from './web-sites/satellite-site.js'

/** What runs beside the service; null for what does not. */
interface StandIns {
  readonly sandbox: PaymentSandbox | null
  readonly outbox: MailOutbox | null
  readonly satellite: SatelliteSite | null
  readonly hasDocs: boolean
}

/** What to try next, printed when everything is running. */
export function welcome(
  { publicUrl, mainOrigin, operators, tls }: Settings,
  { sandbox, outbox, satellite, hasDocs }: StandIns,
): string {
  const body = JSON.stringify({ email: SEED_OWNER, password: SEED_PASSWORD, source: 'main' })
  return `
  Main site  ${mainOrigin}
  Satellite  ${satellite ? satellite.url : 'not served: set ALLOWED_ORIGINS to an origin on this machine whose port is free'}
  Docs       ${hasDocs ? `${publicUrl}/docs/` : 'in the repository, folder docs'}
  API docs   ${publicUrl}/api/docs${operators ? `\n  Operators  ${operators.origin} (npm run cli -- operator:add <email>, while this is stopped)` : ''}
  Payments   ${sandbox ? `${sandbox.url} (sandbox, no real money)` : "Stripe's test mode"}
  Mails      ${outbox ? `${publicUrl}/dev/mails (outbox, nothing leaves this machine)` : 'as SMTP_URL says'}
  Users      ${SEED_OWNER} and ${SEED_MEMBER}, password "${SEED_PASSWORD}"
${safariLine(mainOrigin, tls)}

  Log in there, or like this:
    curl ${tls ? `--cacert ${tls.certFile} ` : ''}-c cookies.txt ${publicUrl}/api/login -H 'Content-Type: application/json' \\
      -d '${body}'
`
}

/** The session cookie is `Secure`, as the specification wants it: Safari keeps it over https alone, even at localhost. */
function safariLine(mainOrigin: string, tls: Settings['tls']): string {
  if (tls) return `  To trust the certificate  ${trustCommand(tls.certFile)}`
  if (mainOrigin.startsWith('https:')) return ''
  return '  Safari     keeps nobody logged in here, because the cookie needs https: HTTPS=on npm start'
}
