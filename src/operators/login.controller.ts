import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { Matches } from 'class-validator'
import type { FastifyReply } from 'fastify'
import { NewPasskeyResponse, PasskeyResponse } from '../factors/webauthn.js'
import { Text } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { ExemptFromWriteLimit } from '../sessions/guards.js'
import { type Email, EmailAddress } from '../users/email.js'
import { Name } from '../users/name-text.js'
import { Password } from '../users/passwords/passwords.js'
import { OperatorLogin, OperatorPasskeys } from './login.js'
import {
  CurrentOperator,
  CurrentOperatorActor,
  ForConsole,
  ForOperators,
  type OperatorActor,
} from './operator.guard.js'
import { clearOperatorCookie, type OperatorSession, OperatorSessions, setOperatorCookie } from './sessions.js'

class OperatorLoginBody {
  @EmailAddress() email!: Email
  @Password() password!: string
  @Text({ max: 20 }) code!: string
}

@ApiExcludeController()
@Controller('api/operator')
export class OperatorLoginController {
  constructor(
    private readonly login: OperatorLogin,
    private readonly sessions: OperatorSessions,
  ) {}

  @ForConsole()
  @Post('login')
  @HttpCode(204)
  async logIn(
    @Body() body: OperatorLoginBody,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setOperatorCookie(reply, await this.login.logIn(body, client))
  }

  @ForOperators()
  @ExemptFromWriteLimit()
  @Post('logout')
  @HttpCode(204)
  async logOut(
    @CurrentOperator() session: OperatorSession,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.endAll(session, client)
    clearOperatorCookie(reply)
  }

  @ForOperators()
  @Get('me')
  me(@CurrentOperator() { operatorId, email, expiresAt }: OperatorSession) {
    return { id: operatorId, email, expiresAt }
  }
}

class OperatorPasskeyLoginBody {
  @PasskeyResponse() response!: AuthenticationResponseJSON
}

class NewOperatorPasskeyBody {
  @NewPasskeyResponse() response!: RegistrationResponseJSON
  @Name() name!: string
  @Text({ max: 20 }) code!: string
}

class RemovedOperatorPasskeyBody {
  @Matches(/^[\w-]+$/)
  @Text({ max: 1_400 })
  credentialId!: string
}

@ApiExcludeController()
@Controller('api/operator')
export class OperatorPasskeysController {
  constructor(
    private readonly passkeys: OperatorPasskeys,
    private readonly login: OperatorLogin,
  ) {}

  @ForConsole()
  @Post('login/passkey/options')
  @HttpCode(200)
  requestOptions() {
    return this.login.passkeyOptions()
  }

  @ForConsole()
  @Post('login/passkey')
  @HttpCode(204)
  async logIn(
    @Body() { response }: OperatorPasskeyLoginBody,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setOperatorCookie(reply, await this.login.logInWithPasskey(response, client))
  }

  @ForOperators()
  @Get('passkeys')
  async list(@CurrentOperator() { operatorId }: OperatorSession) {
    const all = await this.passkeys.list(operatorId)
    return { passkeys: all.map(({ credentialId, name, createdAt }) => ({ credentialId, name, createdAt })) }
  }

  @ForOperators()
  @Post('passkeys/options')
  @HttpCode(200)
  creationOptions(@CurrentOperator() session: OperatorSession) {
    return this.passkeys.creationOptions(session)
  }

  @ForOperators()
  @Post('passkeys')
  @HttpCode(204)
  async add(
    @Body() body: NewOperatorPasskeyBody,
    @CurrentOperator() session: OperatorSession,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.passkeys.add(body, session, actor)
  }

  /** Not counted: with a stolen cookie, an attacker could use up the operator's changes and keep their own passkey. */
  @ForOperators()
  @ExemptFromWriteLimit()
  @Post('passkeys/remove')
  @HttpCode(204)
  async remove(
    @Body() { credentialId }: RemovedOperatorPasskeyBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.passkeys.remove(credentialId, actor)
  }
}
