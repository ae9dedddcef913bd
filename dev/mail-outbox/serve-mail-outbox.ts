import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyReply } from 'fastify'
import type { Html } from '../../src/mail/html.js'
import type { MailOutbox } from './mail-outbox.js'
import { listPage, mailPage } from './outbox-pages.js'

/** Pages without scripts; mails have inline styles. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'none'"

/** The outbox at /dev/mails. */
export function serveMailOutbox(app: NestFastifyApplication, outbox: MailOutbox): void {
  const server = app.getHttpAdapter().getInstance()
  server.get('/dev/mails', (_, reply) => answer(reply, 200, listPage(outbox.mails)))
  server.get<{ Params: { index: string } }>('/dev/mails/:index', (request, reply) => {
    const mail = outbox.mails[Number(request.params.index)]
    return mail ? answer(reply, 200, mailPage(mail)) : answer(reply, 404, listPage(outbox.mails))
  })
}

function answer(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply
    .status(status)
    .headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY })
    .send(page.text)
}
