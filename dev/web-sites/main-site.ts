import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { Settings } from '../../src/config/settings.js'
import { PAGE_PATHS, serveSite } from './serve-site.js'

/** The main site's pages beside the API, as MAIN_ORIGIN is the API's own origin in development. */
export async function serveMainSite(app: NestFastifyApplication, settings: Settings): Promise<void> {
  const { publicUrl, mainOrigin } = settings
  await serveSite(app.getHttpAdapter().getInstance(), {
    name: 'main',
    origin: mainOrigin,
    paths: PAGE_PATHS.main,
    places: {
      apiUrl: publicUrl === mainOrigin ? '' : publicUrl,
      mainUrl: mainOrigin,
    },
  })
}
