import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PaymentSandbox } from '@mainstay-auth/payment-sandbox'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { hostOf, isLoopback } from '../src/platform/config/origin.js'
import { readSettings, SettingsError } from '../src/platform/config/read-settings.js'
import type { Settings } from '../src/platform/config/settings.js'
import { accentsOf } from '../src/platform/contrast.js'
import { serve, startFailure } from '../src/serve.js'
import { canonicalEmail, type Email } from '../src/users/email.js'
import { UserCreation } from '../src/users/user-changes.js'
import { Users } from '../src/users/users.js'
import { serveApiDocs } from './api-docs/reference-page.js'
import { httpsSettings, trustCommand } from './https.js'
import { type MailOutbox, outboxFor, serveMailOutbox } from './mail-outbox.js'
import { redirectToOrigin, refuseOtherHosts } from './own-hosts.js'
import { type SatelliteSite, startSatelliteSite } from './satellite-site.js'
import { serveDocs } from './serve-docs.js'

const SEED_PASSWORD = 'correct horse battery staple'
const SEED_OWNER = canonicalEmail('owner@example.com') as Email
const SEED_MEMBER = canonicalEmail('member@example.com') as Email

process.env.NODE_ENV ??= 'development'

/** The service with its stand-ins for the outside world, as run by `npm start` and `npm run dev`. */
try {
  Object.assign(process.env, await httpsSettings(process.env))
  const settings = readSettings()
  if (settings.environment === 'production')
    throw new SettingsError([
      'NODE_ENV is production: this seeds users with a public password. Run node dist/src/main.js',
    ])
  const [sandbox, outbox, satellite] = await Promise.all([
    sandboxFor(settings),
    outboxFor(settings),
    startSatelliteSite(settings),
  ])
  let hasDocs = false
  await serve(settings, async (app: NestFastifyApplication) => {
    const server = app.getHttpAdapter().getInstance()
    server.addHook('onClose', async () => {
      await Promise.all([sandbox?.stop(), outbox?.stop(), satellite?.stop()])
    })
    // A browser would otherwise ask every port of localhost for https, for a year.
    server.addHook('onSend', async (_, reply) => {
      reply.removeHeader('strict-transport-security')
    })
    refuseOtherHosts(server, settings)
    if (outbox) serveMailOutbox(app, outbox)
    serveApiDocs(app, settings)
    hasDocs = serveDocs(server)
    redirectToOrigin(server, settings.mainOrigin)
    await seedUsers(app)
  })
  console.log(welcome(settings, { sandbox, outbox, satellite, hasDocs }))
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}

/** The payment sandbox where STRIPE_API_URL points at this machine; null where Stripe's own test mode is used. */
async function sandboxFor({
  stripe,
  publicUrl,
  dataDir,
  tls,
  brand,
}: Settings): Promise<PaymentSandbox | null> {
  if (!stripe.apiUrl || !isLoopback(stripe.apiUrl.hostname)) return null
  return PaymentSandbox.start({
    host: hostOf(stripe.apiUrl),
    port: Number(stripe.apiUrl.port),
    secretKey: stripe.secretKey,
    webhookUrl: `${publicUrl}/api/webhooks/stripe`,
    ...(tls && { webhookCertificate: readFileSync(tls.certFile, 'utf8') }),
    webhookSecret: stripe.webhookSecrets[0] as string,
    priceIds: [...stripe.priceIds],
    stateFile: join(dataDir, 'payment-sandbox.json'),
    brand: { ...brand, accent: accentsOf(brand.accent) },
  })
}

/** Creates an account with an owner and a member for trying things out; does nothing if they exist. */
async function seedUsers(app: NestFastifyApplication): Promise<void> {
  const users = app.get(Users)
  const creation = app.get(UserCreation)
  const owner =
    (await users.findByEmail(SEED_OWNER)) ?? (await creation.createAccount(SEED_OWNER, SEED_PASSWORD))
  if (!(await users.findByEmail(SEED_MEMBER)))
    await creation.createMember(owner.accountId, SEED_MEMBER, SEED_PASSWORD)
}

/** What runs beside the service; null for what does not. */
interface StandIns {
  readonly sandbox: PaymentSandbox | null
  readonly outbox: MailOutbox | null
  readonly satellite: SatelliteSite | null
  readonly hasDocs: boolean
}

/** What to try next, printed when everything is running. */
function welcome(
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
