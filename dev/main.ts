import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { PaymentSandbox } from '@mainstay-auth/payment-sandbox'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Satellites } from '../src/cors/satellites.js'
import { SiteHosts } from '../src/pages/site-hosts.js'
import { SERVICE } from '../src/platform/audit/audit-event.js'
import { hostOf, isLoopback, LOCAL_PORTS } from '../src/platform/config/origin.js'
import { PACKAGE_ROOT } from '../src/platform/config/package-root.js'
import { readSettings, SettingsError } from '../src/platform/config/read-settings.js'
import type { Settings } from '../src/platform/config/settings.js'
import { accentsOf } from '../src/platform/contrast.js'
import type { Branding } from '../src/platform/database/schema/columns.js'
import { isRefusal } from '../src/platform/errors/api-error.js'
import { SatelliteAdministration, SatelliteRegistry } from '../src/satellites/registry.js'
import { SatelliteVerification } from '../src/satellites/verification.js'
import { serve, startFailure } from '../src/serve.js'
import { canonicalEmail, type Email } from '../src/users/email.js'
import type { User } from '../src/users/user.js'
import { UserAdministration } from '../src/users/user-changes.js'
import { Users } from '../src/users/users.js'
import { API_DOCS, serveApiDocs } from './api-docs/reference-page.js'
import { httpsSettings, trustCommand } from './https.js'
import { GALLERY, serveMailGallery } from './mail-gallery.js'
import { type MailOutbox, OUTBOX, outboxFor, serveMailOutbox } from './mail-outbox.js'
import { redirectToOrigin, refuseOtherHosts } from './own-hosts.js'
import { builtFile, DevPages } from './pages.js'
import { type SatelliteSite, startSatelliteSite } from './satellite-site.js'
import { serveDocs } from './serve-docs.js'

const SEED_PASSWORD = 'correct horse battery staple'
const SEED_OWNER = canonicalEmail('owner@example.com') as Email
const SEED_MEMBER = canonicalEmail('member@example.com') as Email
/** How the seeded satellite looks. It has no logo: that would have to come over https from another server. */
const CORNER_SHOP: Branding = {
  name: 'Corner Shop',
  logoUrl: null,
  accent: '#0f766e',
  background: '#faf6ee',
}

process.env.NODE_ENV ??= 'development'

/** The service with its stand-ins for the outside world, as run by `npm start` and `npm run dev`. */
try {
  Object.assign(process.env, await httpsSettings(process.env))
  const settings = readSettings()
  if (settings.environment === 'production')
    throw new SettingsError([
      'NODE_ENV is production: this seeds users with a public password. Run node dist/src/main.js',
    ])
  const [sandbox, outbox] = await Promise.all([sandboxFor(settings), outboxFor(settings)])
  let satellite: SatelliteSite | null = null
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
    hasDocs = serveDocs(server)
    const pages = new DevPages(server, settings.brand, [
      ...(outbox ? [{ name: 'Mails', href: OUTBOX }] : []),
      { name: 'Kinds of mail', href: GALLERY },
      { name: 'API', href: API_DOCS },
      ...(hasDocs ? [{ name: 'Docs', href: '/docs/' }] : []),
      ...(sandbox ? [{ name: 'Payments', href: sandbox.url }] : []),
    ])
    if (outbox) serveMailOutbox(pages, outbox)
    serveMailGallery(pages, { ...settings.brand, host: new URL(settings.mainOrigin).host })
    serveApiDocs(pages, app, settings)
    redirectToOrigin(server, settings.mainOrigin)
    const { accountId } = await seedUsers(app)
    satellite = await startSatelliteSite(settings, app.get(SiteHosts))
    if (satellite) await seedSatellite(app, accountId, satellite.origin)
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
  if (!stripe?.apiUrl || !isLoopback(stripe.apiUrl.hostname)) return null
  const font = builtFile(/^inter-latin-wght-.*\.woff2$/)
  return PaymentSandbox.start({
    host: hostOf(stripe.apiUrl),
    port: Number(stripe.apiUrl.port),
    secretKey: stripe.secretKey,
    webhookUrl: `${publicUrl}/api/webhooks/stripe`,
    ...(tls && { webhookCertificate: readFileSync(tls.certFile, 'utf8') }),
    webhookSecret: stripe.webhookSecrets[0] as string,
    priceIds: [...stripe.priceIds],
    stateFile: join(dataDir, 'payment-sandbox.json'),
    brand: { ...brand, accent: accentsOf(brand.accent), ...(font && { font }) },
  })
}

/** Creates an account with an owner and a member for trying things out, where they do not exist; returns the owner. */
async function seedUsers(app: NestFastifyApplication): Promise<User> {
  const users = app.get(Users)
  const creation = app.get(UserAdministration)
  const owner =
    (await users.findByEmail(SEED_OWNER)) ?? (await creation.createAccount(SEED_OWNER, SEED_PASSWORD))
  if (!(await users.findByEmail(SEED_MEMBER)))
    await creation.createMember(owner.accountId, SEED_MEMBER, SEED_PASSWORD)
  return owner
}

/**
 * Registers the satellite for the account, as an operator who vouches for it: only then does it have a name and colours,
 * and is seen in the account. Does nothing where the account has it, in any state, or another account does.
 */
async function seedSatellite(app: NestFastifyApplication, accountId: string, origin: string): Promise<void> {
  const registry = app.get(SatelliteRegistry)
  const wanted = { accountId, origin, name: CORNER_SHOP.name, kind: 'production' } as const
  const own = await registry.list(accountId)
  if (own.some(({ satellite }) => satellite.origin === origin)) return
  try {
    await app.get(SatelliteAdministration).requireFree(wanted)
  } catch (error) {
    if (isRefusal(error)) return
    throw error
  }
  const actor = { ...SERVICE, accountId }
  // Of an earlier start, with another PORT or without HTTPS.
  for (const { satellite, proof } of own)
    if (satellite.name === wanted.name && proof.method === 'operator')
      await registry.remove(actor, satellite.id)
  const added = await registry.insert(actor, wanted)
  await registry.change(actor, added.satellite.id, { branding: CORNER_SHOP })
  await app.get(SatelliteVerification).vouchFor(actor, added, { isMove: false })
  await app.get(Satellites).refresh()
}

/** What runs beside the service; null for what does not. */
interface StandIns {
  readonly sandbox: PaymentSandbox | null
  readonly outbox: MailOutbox | null
  readonly satellite: SatelliteSite | null
  readonly hasDocs: boolean
}

/** A line of a table: what it is, where or who, and a remark. */
type Row = readonly [what: string, where: string, remark: string]

/** What is where and what to try, printed when everything is running. */
function welcome(settings: Settings, { sandbox, outbox, satellite, hasDocs }: StandIns): string {
  const { publicUrl, mainOrigin, operators, stripe, tls, brand, mail } = settings
  const places: Row[] = [
    ['Main site', mainOrigin, 'accounts, teams, payments; and the API'],
    satellite
      ? ['Satellite', satellite.origin, `${CORNER_SHOP.name}, where people log in through ${brand.name}`]
      : ['Satellite', 'not served', 'set ALLOWED_ORIGINS to an origin on this machine whose port is free'],
    outbox
      ? ['Mails', `${publicUrl}/dev/mails`, `none leaves this machine; all kinds at ${GALLERY}`]
      : ['Mails', mail ? 'sent' : 'not sent', mail ? 'as SMTP_URL says' : 'SMTP_URL is empty'],
    paymentsRow(stripe, sandbox),
    hasDocs ? ['Docs', `${publicUrl}/docs/`, 'with search'] : ['Docs', 'docs/', 'in the repository'],
    ['API docs', `${publicUrl}/api/docs`, 'with a request for each operation'],
  ]
  if (operators)
    places.push(['Operators', operators.origin, 'npm run cli -- operator:add <email>, while this is stopped'])
  const users: Row[] = [
    ['Log in as', SEED_OWNER, 'who may do everything'],
    ['or', SEED_MEMBER, 'who enters data and sees reports'],
    ['with', `"${SEED_PASSWORD}"`, ''],
  ]
  const more = [
    ...(existsSync(join(PACKAGE_ROOT, 'examples'))
      ? ['Examples   npm run example -- shop, in another terminal; or react-satellite, express-backend, expo']
      : []),
    `Your site  at localhost or 127.0.0.1 needs no setting, with port ${LOCAL_PORTS.join(', ')}`,
    safariLine(mainOrigin, tls),
  ]
  return `\n${table(places)}\n\n${table(users)}\n\n${more.map(line => `  ${line}\n`).join('')}`
}

/** The three parts of each row below each other, with what to open or to type in colour. */
function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([, where]) => where.length))
  return rows
    .map(([what, where, remark]) => `${what.padEnd(9)}  ${styleText('cyan', where.padEnd(width))}  ${remark}`)
    .map(line => `  ${line.trimEnd()}`)
    .join('\n')
}

function paymentsRow(stripe: Settings['stripe'], sandbox: PaymentSandbox | null): Row {
  if (!stripe) return ['Payments', 'off', 'as PAYMENTS says']
  return sandbox ? ['Payments', sandbox.url, 'no real money'] : ['Payments', 'at Stripe', 'in its test mode']
}

/** The session cookie is `Secure`, as the specification wants it: Safari keeps it over https alone, even at localhost. */
function safariLine(mainOrigin: string, tls: Settings['tls']): string {
  if (tls) return `To trust the certificate: ${trustCommand(tls.certFile)}`
  if (mainOrigin.startsWith('https:')) return ''
  return 'Safari     keeps nobody logged in here, because the cookie needs https: HTTPS=on npm start'
}
