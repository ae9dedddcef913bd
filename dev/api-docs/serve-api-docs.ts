import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { SwaggerModule } from '@nestjs/swagger'
import type { Settings } from '../../src/config/settings.js'
import { openApiDocument } from './document.js'

const PATH = 'api/docs'
/** The reference is a page of our own: scripts from here only, and its own inline styles. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/** The API reference at /api/docs, as a page for trying things out. */
export function serveApiDocs(app: NestFastifyApplication, { publicUrl }: Settings): void {
  const server = app.getHttpAdapter().getInstance()
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(`/${PATH}`)) reply.header('Content-Security-Policy', PAGE_POLICY)
    done()
  })
  SwaggerModule.setup(PATH, app, () => openApiDocument(app, publicUrl), {
    customSiteTitle: 'Mainstay API',
    // The bar keeps the switch between light and dark.
    customCss:
      '.swagger-ui .topbar-wrapper .link { display: none } .swagger-ui .topbar-wrapper { justify-content: end }',
    swaggerOptions: { withCredentials: true, persistAuthorization: true },
  })
}
