import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ArgumentMetadata,
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Module,
  type NestInterceptor,
  Param,
  type PipeTransform,
  Post,
  Query,
  Redirect,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createNestApplication, type SelectiveGuard } from '../../sources.js'

const seen: string[] = []

class First implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    seen.push(`first of ${context.getClass().name}.${context.getHandler().name}`)
    return true
  }
}

class Second implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await sleep(1)
    seen.push('second')
    return !context.switchToHttp().getRequest<FastifyRequest>().headers['x-refuse']
  }
}

class Noting implements PipeTransform {
  transform(value: unknown, { type, data, metatype }: ArgumentMetadata) {
    seen.push(`${type} ${data ?? 'whole'}: ${metatype?.name}`)
    return value
  }
}

class Doubling implements PipeTransform<string, Promise<number>> {
  async transform(value: string): Promise<number> {
    await sleep(1)
    if (value === 'x') throw new Error('not a number')
    return Number(value) * 2
  }
}

const Caller = createParamDecorator(
  (prefix: string, context: ExecutionContext) =>
    `${prefix}${context.getArgByIndex<FastifyRequest>(0).method}`,
)

class Question {
  q?: string
}

@Controller('routes')
@UseGuards(First)
class Routes {
  @Post('all/:id')
  @UseGuards(Second)
  @Header('X-Of-Route', 'yes')
  all(
    @Param('id', Doubling) id: number,
    @Body() body: Question,
    @Query('q') q: string,
    @Caller('by ') caller: string,
    @Req() request: FastifyRequest,
  ) {
    seen.push('handler')
    return { id, body, q, caller, path: request.url }
  }

  @Get('nothing')
  @HttpCode(204)
  nothing() {}

  @Get('later')
  async later(@Res() reply: FastifyReply) {
    void sleep(20).then(() => reply.send('later'))
  }

  @Get('both')
  both(@Res({ passthrough: true }) reply: FastifyReply) {
    reply.header('x-from', 'handler')
    return { sent: true }
  }

  @Get('fails')
  fails(): never {
    throw new Error('of the handler')
  }

  @Get('fails-later')
  async failsLater(): Promise<never> {
    await sleep(1)
    throw new Error('of the handler, later')
  }
}

class OnChanges implements SelectiveGuard {
  appliesTo(_: object, method: string): boolean {
    seen.push('asked')
    return method !== 'GET'
  }

  canActivate(): boolean {
    seen.push('on changes')
    return false
  }
}

@Controller('routes/selective')
@UseGuards(First, OnChanges)
class Selective {
  @Get()
  read() {
    return 'read'
  }

  @Post()
  change() {}
}

class Whoever implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next.handle()
  }
}

@Controller()
class Intercepted {
  @Get()
  @UseInterceptors(Whoever)
  read() {}
}

@Controller()
class Elsewhere {
  @Get()
  @Redirect('/other')
  read() {}
}

@Module({ controllers: [Routes, Selective] })
class OurModule {}

async function start(module: new () => object): Promise<NestFastifyApplication> {
  const { log } = Fastify()
  const app = await createNestApplication({ module }, new FastifyAdapter(), log)
  app.useGlobalPipes(new Noting())
  app.useGlobalFilters({
    catch: (error: Error, host) =>
      host.switchToHttp().getResponse<FastifyReply>().code(418).send(error.message),
  })
  try {
    return await app.init()
  } catch (error) {
    await app.close()
    throw error
  }
}

describe('Routes of controllers', () => {
  let app: NestFastifyApplication
  beforeAll(async () => {
    app = await start(OurModule)
  })
  afterAll(() => app?.close())

  const ask = (url: string, headers = {}) => {
    seen.length = 0
    return app.inject({ method: 'GET', url: `/routes/${url}`, headers })
  }
  const post = (url: string, headers = {}) => {
    seen.length = 0
    return app.inject({ method: 'POST', url: `/routes/${url}`, headers, payload: { q: 'why' } })
  }

  it('pass guards, pipes and handler in this order, and pipes of all routes see what was sent', async () => {
    const answer = await post('all/4?q=who')
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['x-of-route']).toBe('yes')
    expect(answer.json()).toEqual({
      id: 8,
      body: { q: 'why' },
      q: 'who',
      caller: 'by POST',
      path: '/routes/all/4?q=who',
    })
    const [first, second, ...rest] = seen
    expect([first, second, rest.pop()]).toEqual(['first of Routes.all', 'second', 'handler'])
    expect(rest.sort()).toEqual(['body whole: Question', 'param id: Number', 'query q: String'])
  })

  it('end at the guard that refuses, and at the pipe that throws', async () => {
    const refused = await post('all/4', { 'x-refuse': '1' })
    expect([refused.statusCode, refused.body, seen]).toEqual([
      418,
      'Forbidden',
      ['first of Routes.all', 'second'],
    ])
    const malformed = await post('all/x')
    expect([malformed.statusCode, malformed.body]).toEqual([418, 'not a number'])
    expect(seen).not.toContain('handler')
  })

  it('give what a handler throws to the filters', async () => {
    expect((await ask('fails')).body).toBe('of the handler')
    expect((await ask('fails-later')).body).toBe('of the handler, later')
  })

  it('answer with nothing, with what is returned beside a reply, or when the handler does', async () => {
    expect([(await ask('nothing')).statusCode, (await ask('nothing')).body]).toEqual([204, ''])
    const both = await ask('both')
    expect([both.headers['x-from'], both.json()]).toEqual(['handler', { sent: true }])
    expect((await ask('later')).body).toBe('later')
  })

  it('are built without a guard that does not apply to them, and with every other', async () => {
    const read = await ask('selective')
    expect([read.statusCode, read.body, seen]).toEqual([200, 'read', ['first of Selective.read']])
    const change = await post('selective')
    expect([change.statusCode, seen]).toEqual([418, ['first of Selective.change', 'on changes']])
  })

  it.each([Intercepted, Elsewhere])('fail at start when they need more: %p', async controller => {
    @Module({ controllers: [controller] })
    class Theirs {}
    await expect(start(Theirs)).rejects.toThrow(
      `${controller.name}.read needs what src/platform/nest/direct-routes.ts leaves out`,
    )
  })
})
