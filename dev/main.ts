import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { readSettings, SettingsError } from '../src/platform/config/read-settings.js'
import { serve, startFailure } from '../src/serve.js'
import { serveApiDocs } from './api-docs/serve-api-docs.js'
import { outboxFor } from './development-outbox.js'
import { sandboxFor } from './development-sandbox.js'
import { serveDocs } from './docs-site/serve-docs.js'
import { httpsSettings } from './https.js'
import { serveMailOutbox } from './mail-outbox/serve-mail-outbox.js'
import { refuseOtherHosts } from './own-hosts.js'
import { seedUsers } from './seed-users.js'
import { redirectToOrigin } from './web-sites/redirect-to-origin.js'
import { startSatelliteSite } from './web-sites/satellite-site.js'
import { welcome } from './welcome.js'

process.env.NODE_ENV ??= 'development'

/** The service with its stand-ins for the outside world, as run by `npm start` and `npm run dev` in development. */
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
