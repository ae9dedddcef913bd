import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { Settings } from '../../src/platform/config/settings.js'
import { openApiDocument } from './document.js'
import { referencePage } from './reference-page.js'

/** A page without scripts, and with its own inline styles. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** The API reference: as a page at /api/docs, and as an OpenAPI document at /api/docs-json. */
export function serveApiDocs(app: NestFastifyApplication, { publicUrl }: Settings): void {
  const server = app.getHttpAdapter().getInstance()
  server.get('/api/docs', (_, reply) =>
    reply
      .headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY })
      .send(referencePage(openApiDocument(app, publicUrl)).text),
  )
  server.get('/api/docs-json', () => openApiDocument(app, publicUrl))
}
