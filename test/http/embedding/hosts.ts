import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import fastifyCors from '@fastify/cors'
import { Body, Controller, Get, HttpException, type INestApplication, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import express, { type ErrorRequestHandler } from 'express'
import { type FastifyServerFactory, fastify } from 'fastify'
import { ExpressAdapter } from 'nest-platform-express'
import type { Mainstay } from '../../sources.js'

/** The one page that may read the host's own answers. */
export const HOST_PAGE = 'https://page-of-the-host.test'

export interface Host {
  readonly url: string
  stop(): Promise<unknown>
}

/**
 * Programs around Mainstay, all alike: `POST /own` answers with the body that it was sent, `GET /own/error` fails, and
 * their own pages may read them from {@link HOST_PAGE}.
 */
export const HOSTS: readonly (readonly [string, (mainstay: Mainstay) => Promise<Host>])[] = [
  ['node:http', startNode],
  ['Express', startExpress],
  ['Fastify', startFastify],
  ['Nest on Express', startNestOnExpress],
  ['Nest on Fastify', startNestOnFastify],
]

export async function listen(server: Server): Promise<Host> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

function startNode(mainstay: Mainstay): Promise<Host> {
  return listen(
    createServer((request, response) => {
      mainstay.handler(request, response, () => void answerItself(request, response))
    }),
  )
}

async function answerItself(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('Access-Control-Allow-Origin', HOST_PAGE)
  if (request.url === '/own/error') return void response.writeHead(500).end('{"host":"failed"}')
  if (request.url !== '/own') return void response.writeHead(404).end('{"host":"nothing here"}')
  response.end(JSON.stringify({ host: await json(request) }))
}

async function startExpress(mainstay: Mainstay): Promise<Host> {
  const app = express()
  app.use(mainstay.handler)
  app.use((_, response, next) => {
    response.setHeader('Access-Control-Allow-Origin', HOST_PAGE)
    next()
  })
  app.use(express.json())
  app.post('/own', (request, response) => void response.json({ host: request.body }))
  app.get('/own/error', () => {
    throw new Error('failed')
  })
  app.use((_, response) => void response.status(404).json({ host: 'nothing here' }))
  const failed: ErrorRequestHandler = (_error, _request, response, _next) => {
    response.status(500).json({ host: 'failed' })
  }
  app.use(failed)
  return listen(createServer(app))
}

async function startFastify(mainstay: Mainstay): Promise<Host> {
  const server = fastify()
  server.addHook('onRequest', (request, reply, done) => mainstay.handler(request.raw, reply.raw, done))
  await server.register(fastifyCors, { origin: HOST_PAGE })
  server.post('/own', request => ({ host: request.body }))
  server.get('/own/error', () => {
    throw new Error('failed')
  })
  server.setNotFoundHandler((_, reply) => reply.status(404).send({ host: 'nothing here' }))
  server.setErrorHandler((_, __, reply) => reply.status(500).send({ host: 'failed' }))
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  return { url, stop: () => server.close() }
}

@Controller('own')
class OwnController {
  @Post()
  echo(@Body() body: object) {
    return { host: body }
  }

  @Get('error')
  fail() {
    throw new HttpException({ host: 'failed' }, 500)
  }
}

@Module({ controllers: [OwnController] })
class OwnModule {}

async function startNestOnExpress(mainstay: Mainstay): Promise<Host> {
  const app = await NestFactory.create<INestApplication>(OwnModule, new ExpressAdapter(), { logger: false })
  app.use(mainstay.handler)
  return started(app)
}

async function startNestOnFastify(mainstay: Mainstay): Promise<Host> {
  const serverFactory: FastifyServerFactory = handler =>
    createServer((request, response) => mainstay.handler(request, response, () => handler(request, response)))
  const adapter = new FastifyAdapter({ serverFactory })
  return started(await NestFactory.create<INestApplication>(OwnModule, adapter, { logger: false }))
}

async function started(app: INestApplication): Promise<Host> {
  app.enableCors({ origin: HOST_PAGE })
  await app.listen(0, '127.0.0.1')
  return { url: await app.getUrl(), stop: () => app.close() }
}
