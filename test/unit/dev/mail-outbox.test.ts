import { expect, it } from '@jest/globals'
import fastify from 'fastify'
import { DevPages, MailOutbox, openSmtp, serveMailOutbox } from '../../sources.js'

const BRAND = { name: 'Rope & <Sail>', logoUrl: null, accent: '#3b4fd8', supportUrl: null }
const LINK = 'https://www.test/reset-password#token=abc'

it('the outbox lists each mail with its link and tells whoever looks, who keeps no server from closing', async () => {
  const outbox = await MailOutbox.start({ port: 0 })
  const smtp = openSmtp(new URL(outbox.smtpUrl))
  const server = fastify()
  serveMailOutbox(new DevPages(server, BRAND, []), outbox)
  const url = await server.listen({ port: 0 })
  const { body } = await fetch(`${url}/dev/mails/news`)
  const news = body!.pipeThrough(new TextDecoderStream()).getReader()
  expect(await news.read()).toMatchObject({ value: 'data: 0\n\n' })
  await smtp.sendMail({ from: 'us@b.test', to: 'a@b.test', subject: '<b>', text: `Here:\n${LINK}\n` })
  expect(await news.read()).toMatchObject({ value: 'data: 1\n\n' })

  const list = await (await fetch(`${url}/dev/mails`)).text()
  expect(list).toContain(`<a class="button" href="${LINK}"`)
  expect(list).toContain('<a href="/dev/mails/0">&#60;b&#62;</a><small>a@b.test ·')
  expect(list).toContain('<span>Rope &#38; &#60;Sail&#62;</span>')
  const { status } = await fetch(`${url}/dev/mails/1`)
  expect(status).toBe(404)

  await server.close()
  expect((await news.read()).done).toBe(true)
  smtp.close()
  await outbox.stop()
})
