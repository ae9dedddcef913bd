import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Caller, callerOf } from '@mainstay-auth/verify'
import {
  CurrentCaller,
  MainstayGuard,
  MainstayGuardModule,
  Public,
  RequireAuthentication,
  RequirePermission,
} from '@mainstay-auth/verify/nest'
import {
  Controller,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  Req,
  type Type,
  UseGuards,
} from '@nestjs/common'
import { APP_GUARD, NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { ExpressAdapter } from 'nest-platform-express'
import { request } from '../../support/http-request.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { bearer, outcome } from '../support/api-calls.js'

/** Guarded one by one, unless everything is. */
@Controller('reports')
class ReportsController {
  @Get('open')
  open() {
    return 'open'
  }

  @Get('mine')
  @UseGuards(MainstayGuard)
  mine(
    @CurrentCaller() caller: Caller,
    @CurrentCaller('accountId') accountId: string,
    @Req() request: object,
  ) {
    return { caller, accountId, isSame: callerOf(request) === caller }
  }

  @Get('paid')
  @RequirePermission('payments')
  paid(@CurrentCaller('userId') userId: string) {
    return { userId }
  }

  @Get('stacked')
  @RequirePermission('payments')
  @RequirePermission('dataEntry')
  stacked() {}

  @Get('strong')
  @RequirePermission('dataEntry')
  @RequireAuthentication({ maxAgeSeconds: 900 })
  @RequireAuthentication({ acr: 'urn:mainstay:acr:2' })
  strong() {}

  @Get('recent')
  @RequireAuthentication({ acr: 'urn:mainstay:acr:1', maxAgeSeconds: 900 })
  recent() {}

  @Get('welcome')
  @Public()
  welcome() {
    return 'welcome'
  }

  @Get('unguarded')
  @Public()
  unguarded(@CurrentCaller() caller: Caller) {
    return caller
  }
}

@Controller('team')
@RequirePermission('teamManagement')
class TeamController {
  @Get()
  list() {}

  @Get('paid')
  @RequirePermission('payments', 'viewReports')
  paid() {}

  @Get('rules')
  @Public()
  rules() {
    return 'rules'
  }
}

@Controller('public')
@Public()
class PublicController {
  @Get()
  read() {
    return 'read'
  }

  @Get('paid')
  @RequirePermission('payments')
  paid() {}
}

/** Where the program itself knows the addresses. */
@Injectable()
class Addresses {
  constructor(@Inject('ADDRESSES') readonly known: { issuer: string; jwksUrl: string }) {}
}

const controllers = [ReportsController, TeamController, PublicController]
const app = anApp()
let owners: { Authorization: string }
let members: { Authorization: string }
beforeAll(async () => {
  const owner = await anOwner(app)
  const member = await aMember(app, owner)
  owners = bearer((await signIn(app, owner, 'main')).accessToken)
  members = bearer((await signIn(app, member, 'satellite')).accessToken)
})

function options() {
  return { issuer: app.settings.jwtIssuer, jwksUrl: `${app.url}/.well-known/jwks.json` }
}

/** Guards what is marked. */
function marked(): Type {
  @Module({ imports: [MainstayGuardModule.forRoot(options())], controllers })
  class MarkedModule {}
  return MarkedModule
}

/** Guards everything but what is public. */
function everything(): Type {
  @Module({ providers: [Addresses, { provide: 'ADDRESSES', useValue: options() }], exports: [Addresses] })
  class AddressesModule {}

  @Module({
    imports: [
      MainstayGuardModule.forRootAsync({
        imports: [AddressesModule],
        inject: [Addresses],
        useFactory: async ({ known }: Addresses) => known,
      }),
    ],
    providers: [{ provide: APP_GUARD, useExisting: MainstayGuard }],
    controllers,
  })
  class GuardedModule {}
  return GuardedModule
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('embedding: the module for Nest on %s', (_, adapter) => {
  let guarded: INestApplication
  let open: INestApplication
  beforeAll(async () => {
    guarded = await NestFactory.create<INestApplication>(everything(), adapter(), { logger: false })
    open = await NestFactory.create<INestApplication>(marked(), adapter(), { logger: false })
    await Promise.all([guarded.listen(0, '127.0.0.1'), open.listen(0, '127.0.0.1')])
  })
  afterAll(() => Promise.all([guarded.close(), open.close()]))

  async function ask(program: INestApplication, path: string, headers: Record<string, string> = {}) {
    return request(await program.getUrl(), { path, headers })
  }

  it.each([
    ['/reports/open', '401 ACCESS_TOKEN_REQUIRED', '200', '200'],
    ['/reports/mine', '401 ACCESS_TOKEN_REQUIRED', '200', '200'],
    ['/reports/paid', '401 ACCESS_TOKEN_REQUIRED', '403 PERMISSION_REQUIRED', '200'],
    ['/reports/strong', '401 ACCESS_TOKEN_REQUIRED', '401 STEP_UP_REQUIRED', '401 STEP_UP_REQUIRED'],
    ['/reports/recent', '401 ACCESS_TOKEN_REQUIRED', '200', '200'],
    ['/reports/stacked', '401 ACCESS_TOKEN_REQUIRED', '403 PERMISSION_REQUIRED', '200'],
    ['/reports/welcome', '200', '200', '200'],
    ['/team', '401 ACCESS_TOKEN_REQUIRED', '403 PERMISSION_REQUIRED', '200'],
    ['/team/paid', '401 ACCESS_TOKEN_REQUIRED', '403 PERMISSION_REQUIRED', '200'],
    ['/team/rules', '200', '200', '200'],
    ['/public', '200', '200', '200'],
    ['/public/paid', '401 ACCESS_TOKEN_REQUIRED', '403 PERMISSION_REQUIRED', '200'],
  ])('%s answers a stranger %s, a member %s and the owner %s', async (path, stranger, member, owner) => {
    const outcomesIn = async (program: INestApplication) =>
      Promise.all([{}, members, owners].map(async who => outcome(await ask(program, path, who))))
    expect(await outcomesIn(guarded)).toEqual([stranger, member, owner])
    // Without the guard for everything, only what is not marked differs.
    const [first] = path === '/reports/open' ? ['200'] : [stranger]
    expect(await outcomesIn(open)).toEqual([first, member, owner])
  })

  it('says who is calling, and refuses as the service does', async () => {
    const { json } = await ask(open, '/reports/mine', owners)
    expect(json).toMatchObject({ caller: { source: 'main', accountId: json.accountId }, isSame: true })
    const { headers, json: problem } = await ask(open, '/reports/paid', members)
    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope"')
    expect(problem).toMatchObject({ type: 'urn:mainstay:problem:permission-required', status: 403 })
  })

  it('has no caller where nothing was guarded: that is a mistake, not a stranger', async () => {
    expect((await ask(guarded, '/reports/unguarded', owners)).status).toBe(500)
  })
})
